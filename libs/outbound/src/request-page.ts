import { type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import { failed, refused } from './outcomes.js';
import type { HostAddress } from './resolve-host.js';

export interface FetchedPage {
  /** Where it was found, after redirects. */
  url: string;
  status: number;
  contentType: string | undefined;
  /** Decompressed. */
  body: Buffer;
  /** Whether more was there than {@link RequestLimits.maxBytes}. */
  isCut: boolean;
}

export interface RequestLimits {
  maxBytes: number;
  signal: AbortSignal;
}

const MAX_HEADER_BYTES = 16_384;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What is sent beside headers; absent: a GET. */
type RequestBody = { method: 'POST'; body: string };

/**
 * One request, on a connection of its own to the address that was judged: no cookie, no credentials, no connection
 * that somebody before could have left in some state.
 * @returns the page, or where it says it is
 * @throws AppError `outbound-refused` (encoding), `outbound-failed` (connection); the signal's reason
 */
export async function requestPage(
  url: URL,
  host: HostAddress,
  headers: Record<string, string>,
  limits: RequestLimits,
  sent?: RequestBody,
): Promise<FetchedPage | { location: string; status: number }> {
  const { signal } = limits;
  let request: ReturnType<typeof requestHttp> | undefined;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = url.protocol === 'https:' ? requestHttps : requestHttp;
      const method = sent?.method ?? 'GET';
      request = send(url, { ...connectionTo(url, host), method, headers, signal, maxHeaderSize: MAX_HEADER_BYTES });
      request.on('response', resolve).on('error', reject);
      // An answer that is none (a switch of protocols, a socket that just closes) ends without an error.
      request.on('close', () => reject(new Error('closed without an answer')));
      request.end(sent?.body);
    });
    const { location } = response.headers;
    const status = response.statusCode ?? 0;
    if (REDIRECTS.has(status) && location !== undefined) return { location, status };
    return { url: url.href, status, contentType: response.headers['content-type'], ...(await read(response, limits)) };
  } catch (error) {
    signal.throwIfAborted();
    throw isOurs(error) ? error : failed('connection', error);
  } finally {
    request?.destroy();
  }
}

const isOurs = (error: unknown) => (error as { code?: unknown } | undefined)?.code === 'outbound-refused';

function connectionTo(url: URL, { address, family }: HostAddress): RequestOptions & { servername?: string } {
  const lookup: LookupFunction = (_name, options, answer) => {
    if (options.all === true) answer(null, [{ address, family }]);
    else answer(null, address, family);
  };
  const name = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return { agent: false, lookup, family, ...(isIP(name) === 0 ? { servername: name } : {}) };
}

/** As much as is allowed of what is sent, counted after decompression. */
async function read(
  response: IncomingMessage,
  { maxBytes }: RequestLimits,
): Promise<Pick<FetchedPage, 'body' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decompressed(response) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}

/** Asked for as it is; some servers compress all the same. Of several codings on top of each other none is undone. */
function decompressed(response: IncomingMessage): Readable {
  const decoder = decoderOf(response.headers['content-encoding']?.trim().toLowerCase() ?? 'identity');
  // Its errors come out of the decoder, too.
  return decoder === undefined ? response : pipeline(response, decoder, () => undefined);
}

function decoderOf(encoding: string) {
  switch (encoding) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw refused('encoding');
  }
}
