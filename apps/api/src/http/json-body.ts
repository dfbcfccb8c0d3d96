import { AppError } from '@hopcount/runtime';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';

import type { RoutedOperation } from './operation.js';

const JSON_TYPE = 'application/json';
const CHARSET = /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i;

/**
 * Operations read their bodies as JSON whatever the header calls them: `curl -d` and the apps of Shlink name another type, or none.
 * The type never protected a session: what a page of somebody else sends is refused by its origin (same-origin.ts).
 * Files keep their types, and so do lines of text where an operation takes them.
 */
export function takeJson(server: FastifyInstance, operations: readonly RoutedOperation[]): void {
  const byRoute = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  server.addHook('onRoute', (route) => {
    const operation = byRoute.get(`${String(route.method)} ${route.url}`);
    if (operation === undefined || operation.method === 'GET' || operation.takesFile !== undefined) return;
    route.onRequest = operation.takesLines === true ? unlessText : asJson;
  });
  server.removeContentTypeParser(['text/plain', JSON_TYPE]);
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    // Shlink's clients name a type for every request, also for those without a body.
    if (body.length === 0) return done(null, undefined);
    void parseJson(request, decode(body as Buffer, request), (error, value) => {
      done(error && malformed('The body is not valid JSON. Send one JSON document, encoded as UTF-8.'), value);
    });
  });
}

const asJson: onRequestHookHandler = ({ raw: { headers } }, _reply, done) => {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1];
  headers['content-type'] = charset === undefined ? JSON_TYPE : `${JSON_TYPE}; charset=${charset}`;
  done();
};

const unlessText: onRequestHookHandler = function (request, reply, done) {
  if (/^\s*text\//i.test(request.headers['content-type'] ?? '')) return done();
  asJson.call(this, request, reply, done);
};

/** @throws AppError `unsupported-media-type`, `malformed-request-body`: a character that was replaced would be stored as another one */
function decode(body: Buffer, { headers }: FastifyRequest): string {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw malformed(`The body is not valid ${charset}. Send JSON encoded as UTF-8.`);
    if (code !== 'ERR_ENCODING_NOT_SUPPORTED') throw error;
    throw new AppError('unsupported-media-type', `The charset ${charset} is not known. Send JSON encoded as UTF-8.`);
  }
}

function malformed(message: string): AppError {
  return new AppError('malformed-request-body', message);
}
