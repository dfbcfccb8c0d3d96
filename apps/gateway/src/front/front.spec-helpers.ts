import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';

import { BadHttp, createBoundedServer } from '@hopcount/runtime';

import { type Handle, HEADER_NAMES, type RedirectRequest } from './exchange.js';
import { LightFront } from './light-front.js';

export const USUAL_HEADS = [
  'GET /abc HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: */*\r\nAccept-Language: en-GB,en;q=0.9\r\n\r\n',
  'GET /a%20b/c?x=1&y=%C3%A4 HTTP/1.1\r\nhost: a.test:8080\r\ncookie: hc_visitor=v1.a.b.c; other="x y"\r\nreferer: https://example.com/?a=b\r\n\r\n',
  'HEAD /abc HTTP/1.1\r\nHOST:a.test\r\nX-Forwarded-For: 203.0.113.9, 10.0.0.1\r\nX-Forwarded-Proto:  https \r\nConnection: keep-alive\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a.test\r\nDNT: 1\r\nSec-GPC: 1\r\nSec-CH-UA: "Chromium";v="141"\r\nSec-CH-UA-Mobile: ?0\r\nSec-CH-UA-Platform: "Linux"\r\nSec-Fetch-Dest: document\r\nPurpose: prefetch\r\nTraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n',
  'GET /caf\xe9 HTTP/1.1\r\nHost: a.test\r\nUser-Agent: caf\xe9\t2\r\nUpgrade-Insecure-Requests: 1\r\nCache-Control: max-age=0\r\nEmpty:\r\n\r\n',
];

/** What is done to heads to find a reading that differs: lines and bytes that other servers were fooled with. */
export const PIECES = [
  ...[
    'Content-Length: 0',
    'Content-Length: 5',
    'content-length:5',
    'Content-Length : 5',
    ' Content-Length: 5',
    'Content-Length: +5',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding : chunked',
    'transfer-encoding: identity',
    'TRANSFER-ENCODING:x',
  ],
  ...['Host: b.test', 'host:', 'Host : b.test', ' Host: b.test', 'Ho\u0000st: b', 'Host: a.test b.test', 'Host: a@b'],
  ...[
    'Connection: close',
    'Connection: keep-alive',
    'connection: Keep-Alive , close',
    'Connection: upgrade',
    'Upgrade: websocket',
    'Upgrade: h2c',
  ],
  ...[
    'Expect: 100-continue',
    'Expect: x',
    'TE: trailers',
    'Trailer: x',
    'Keep-Alive: timeout=5',
    'Proxy-Connection: close',
    'HTTP2-Settings: x',
  ],
  ...[
    'Cookie: a=1',
    'Cookie: a=2',
    'Referer: b',
    'X-Forwarded-For: 1.1.1.1',
    'User-Agent: second',
    ': nameless',
    'nameless',
    ' folded',
    '\tfolded',
    '',
  ],
  ...[
    'X: \u0000',
    'X: \u007f',
    'X: \u001b[0m',
    'X: a\rb',
    'X: a\nb',
    'X\u00e9: y',
    '\u00ef\u00bb\u00bfX: y',
    'X(: y',
    'X: \u0080\u00ff',
    '__proto__: x',
    'constructor: x',
  ],
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    '\n\n',
    ' ',
    '\t',
    '\0',
    ':',
    '/',
    '#',
    '?',
    '%',
    'HTTP/1.0',
    'HTTP/1.1',
    'HTTP/2.0',
    'http/1.1',
    'GET',
    'POST',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ],
  ...[
    'http://b.test/',
    '//b.test/',
    '*',
    '0\r\n\r\n',
    '5\r\nGET /x\r\n',
    'GET /smuggled HTTP/1.1\r\nHost: a.test\r\n\r\n',
  ],
];

export interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: (string | undefined)[];
}

export function seen({ method, url, headers }: RedirectRequest): Seen {
  return { method, url, headers: HEADER_NAMES.map((name) => headers[name] as string | undefined) };
}

export interface Mutation {
  kind: 'insert' | 'delete' | 'replace' | 'line' | 'twice';
  /** 0 to 1, of the head. */
  at: number;
  piece: string;
}

export function mutated(head: string, mutations: readonly Mutation[]): Buffer {
  let text = head;
  for (const { kind, at, piece } of mutations) {
    const from = Math.floor(at * text.length);
    const lineAt = text.indexOf('\r\n', from) + 2;
    if (kind === 'insert') text = text.slice(0, from) + piece + text.slice(from);
    else if (kind === 'delete') text = text.slice(0, from) + text.slice(from + 1 + (piece.length % 4));
    else if (kind === 'replace') text = text.slice(0, from) + piece.charAt(0) + text.slice(from + 1);
    else if (kind === 'twice')
      text = text.slice(0, lineAt) + text.slice(lineAt, text.indexOf('\r\n', lineAt) + 2) + text.slice(lineAt);
    else text = `${text.slice(0, lineAt)}${piece}\r\n${text.slice(lineAt)}`;
  }
  return Buffer.from(text, 'latin1');
}

/** A connection to a server in this process: as a socket for the server. */
export function connectTo(server: Server): Duplex {
  const [client, ofServer] = duplexPair();
  const socket = { setNoDelay: () => ofServer, setTimeout: () => ofServer, remoteAddress: '127.0.0.1' };
  server.emit('connection', Object.assign(ofServer, socket));
  client.on('error', () => undefined).once('close', () => ofServer.destroy());
  return client;
}

/**
 * Sends chunks so many turns of the event loop after each other. @returns all that came back when nothing more comes,
 * without dates
 */
export async function exchange(server: Server, chunks: readonly Buffer[], turns: number): Promise<string> {
  const client = connectTo(server);
  let answer = '';
  client.on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')));
  for (const chunk of chunks) {
    if (!client.writable) break;
    client.write(chunk);
    await pass(turns);
  }
  // Everything is in this process: what has not happened by then does not happen.
  await pass(8);
  client.destroy();
  await turn();
  return answer.replace(/\r\nDate: [^\r]+/gi, '');
}

export async function pass(turns: number): Promise<void> {
  for (let at = 0; at < turns; at += 1) await turn();
}

/** The server of the gateway without and with the front, before the same handler, and what each handled. */
export function servers(handle: Handle) {
  const handled: { node: Seen[]; front: Seen[] } = { node: [], front: [] };
  const noting =
    (by: keyof typeof handled): Handle =>
    (request, response) => {
      handled[by].push(seen(request));
      handle(request, response);
    };
  const serverOf = (by: keyof typeof handled) => {
    const server = createBoundedServer({ requireHostHeader: false }, noting(by));
    const badHttp = new BadHttp();
    badHttp.follow(server);
    return server.on('clientError', badHttp.refuse as never);
  };
  const [node, behind] = [serverOf('node'), serverOf('front')];
  const tally = { front: { requests: 0, handovers: 0 } };
  const health = { isDraining: false };
  new LightFront(behind, { handle: noting('front'), isRedirect: (url) => !url.startsWith('/livez'), health, tally });
  return { node, front: behind, handled, tally, health };
}

const READER = createServer({ requireHostHeader: false });

/** What Node's `http` makes of bytes; undefined: anything but one whole request. One at a time. */
export async function readByNode(bytes: Buffer): Promise<Seen | undefined> {
  const requests: IncomingMessage[] = [];
  let isBroken = false;
  READER.removeAllListeners('request').on('request', (request: IncomingMessage) => requests.push(request));
  for (const event of ['checkContinue', 'checkExpectation', 'upgrade', 'connect', 'clientError'])
    READER.removeAllListeners(event).on(event, () => (isBroken = true));
  const client = connectTo(READER);
  client.write(bytes);
  await turn();
  await turn();
  const [request, ...more] = requests;
  const isWhole = request?.complete === true && more.length === 0;
  client.destroy();
  return isWhole && !isBroken ? seen(request) : undefined;
}
