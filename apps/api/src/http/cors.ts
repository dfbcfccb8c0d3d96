import type { FastifyCorsOptions } from '@fastify/cors';

const MAX_AGE_SECONDS = 3_600;
const ALLOWED = {
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  exposedHeaders: ['X-Request-Id', 'ETag', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Statistics'],
  maxAge: MAX_AGE_SECONDS,
  strictPreflight: false,
};
const NOT_ALLOWED = { origin: false };

interface CrossOriginRequest {
  url: string;
  headers: { origin?: string | undefined };
}

/** The allowed origin of a request under /rest; undefined without an `Origin` or for a foreign one. */
export function allowedOrigin({ url, headers }: CrossOriginRequest, origins: readonly string[]): string | undefined {
  if (headers.origin === undefined || !url.startsWith('/rest')) return undefined;
  if (origins.includes('*')) return '*';
  return origins.includes(headers.origin) ? headers.origin : undefined;
}

/** Preflights of allowed origins are answered before authentication; headers they ask for are allowed. */
export function corsOptions(origins: readonly string[]): FastifyCorsOptions {
  return {
    delegator: (request, done) => {
      const origin = allowedOrigin(request, origins);
      done(null, origin === undefined ? NOT_ALLOWED : { ...ALLOWED, origin });
    },
  };
}
