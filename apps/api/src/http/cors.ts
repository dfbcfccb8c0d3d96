import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';
const MAX_AGE_SECONDS = '3600';

/**
 * CORS for every address under /rest, errors included: headers appear only when the request has an
 * `Origin`, and a preflight is answered here, before authentication.
 * @param origins allowed origins; `*` allows any
 * @returns whether the request was answered
 */
export function answerCors(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): boolean {
  if (!request.url.startsWith('/rest')) return false;
  const allowed = allowedOrigin(request.headers.origin, origins);
  if (!origins.includes('*')) reply.header('vary', 'Origin');
  if (allowed !== undefined) {
    reply.header('access-control-allow-origin', allowed);
    reply.header('access-control-expose-headers', 'X-Request-Id, ETag');
  }
  if (request.method !== 'OPTIONS') return false;
  if (allowed !== undefined) {
    reply.header('access-control-allow-methods', METHODS);
    reply.header('access-control-allow-headers', requestedHeaders(request) ?? 'x-api-key, content-type');
    reply.header('access-control-max-age', MAX_AGE_SECONDS);
  }
  void reply.code(204).send();
  return true;
}

function allowedOrigin(origin: string | undefined, origins: readonly string[]): string | undefined {
  if (origin === undefined) return undefined;
  if (origins.includes('*')) return '*';
  return origins.includes(origin) ? origin : undefined;
}

/** Echoed only when it is a list of header names: what comes from a client goes into a header again. */
function requestedHeaders(request: FastifyRequest): string | undefined {
  const asked = request.headers['access-control-request-headers'];
  return typeof asked === 'string' && /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/.test(asked)
    ? asked
    : undefined;
}
