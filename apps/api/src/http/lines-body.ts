import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import {
  BadRequestException,
  HttpException,
  PayloadTooLargeException,
  UnsupportedMediaTypeException,
} from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, preParsingHookHandler, RequestPayload } from 'fastify';

import type { RoutedOperation } from './operation.js';

const LINES_TYPE = 'text/plain';

/** What of a request is text, and no JSON that is a string. */
export function hasLines({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() === LINES_TYPE;
}

/** Of operations that take lines of text, gzipped or not; on other routes the type stays unknown. */
export function takeLines(server: FastifyInstance, operations: readonly RoutedOperation[]): void {
  const taking = new Set(
    operations.filter(({ takesLines }) => takesLines === true).map(({ method, path }) => `${method} ${path}`),
  );
  server.addHook('onRoute', (route) => {
    if (taking.has(`${String(route.method)} ${route.url}`)) route.preParsing = unpack;
  });
  server.addContentTypeParser(LINES_TYPE, { parseAs: 'string' }, (request, body, done) => {
    const isTaken = taking.has(`${request.method} ${request.routeOptions.url}`);
    done(isTaken ? null : new UnsupportedMediaTypeException(), body);
  });
}

/** The limit of the body holds for what is in it, too: unpacking ends there. */
const unpack: preParsingHookHandler = (request, _reply, payload, done) => {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  const { bodyLimit } = request.routeOptions;
  const isRefused = Number(request.headers['content-length']) > bodyLimit;
  if (encoding === 'identity' || isRefused) return done(null, payload);
  if (encoding !== 'gzip') return done(new UnsupportedMediaTypeException());
  const gunzip = createGunzip();
  // Not a pipeline: it would end the connection, and with that the answer.
  payload.once('error', (error) => gunzip.destroy(error));
  const plain: RequestPayload = Readable.from(chunksOf(payload, gunzip, bodyLimit), {
    objectMode: false,
  });
  plain.receivedEncodedLength = 0;
  payload.on('data', (chunk: Buffer) => {
    plain.receivedEncodedLength = (plain.receivedEncodedLength ?? 0) + chunk.length;
  });
  payload.pipe(gunzip);
  done(null, plain);
};

async function* chunksOf(
  payload: RequestPayload,
  gunzip: ReturnType<typeof createGunzip>,
  limit: number,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) throw new PayloadTooLargeException();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof HttpException ? error : new BadRequestException();
  } finally {
    payload.unpipe(gunzip);
    payload.resume();
  }
}
