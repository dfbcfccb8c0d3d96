import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { ANSWER_HEADERS, type Logger, STRICT_TRANSPORT, withinRequest } from '@hopcount/runtime';
import type { FastifyInstance } from 'fastify';

import type { ApiMetrics } from '../api.metrics.js';
import type { Settings } from '../settings.js';
import type { RouteTable } from './route-table.js';

const REQUEST_ID = /^[\w.:/+=-]{1,128}$/;
/** Of health: not in the log, and always answered. */
export const QUIET_ROUTES = new Set(['/livez', '/readyz', '/rest/v3/health']);

/** A client's `x-request-id` when it is short and plain, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Request ids, durations, one log line per request at `debug`; to be added before any route. */
export function addRequestHooks(
  fastify: FastifyInstance,
  parts: { metrics: ApiMetrics; routes: RouteTable; logger: Logger; hasReplica: boolean; settings: Settings },
): void {
  fastify.addHook('onRoute', ({ url, method }) => parts.routes.add(url, method));
  fastify.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    reply.headers(ANSWER_HEADERS);
    if (parts.settings.urlFor(request).startsWith('https:')) reply.header(...STRICT_TRANSPORT);
    next();
  });
  // Not earlier: what follows the reading of a body is not part of what began before it.
  if (parts.hasReplica) fastify.addHook('preHandler', (_request, _reply, next) => withinRequest(next));
  fastify.addHook('onResponse', (request, reply, next) => {
    // The pattern, not the path: codes are neither labels nor log fields of their own.
    const route = request.routeOptions.url ?? 'unmatched';
    const status = reply.statusCode;
    // As long as somebody listens is no duration of a request.
    if (reply.getHeader('content-type') !== 'text/event-stream')
      parts.metrics.requestDuration.observe({ method: request.method, route, status }, reply.elapsedTime / 1_000);
    if (!QUIET_ROUTES.has(route)) {
      const durationMs = Math.round(reply.elapsedTime * 10) / 10;
      parts.logger.debug({ requestId: request.id, method: request.method, route, status, durationMs }, 'request');
    }
    next();
  });
}
