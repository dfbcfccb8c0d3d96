import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { RoutedOperation } from './operation.js';
import type { OperationGuard } from './operation.guard.js';

/** What a client still sends after its answer is thrown away, so that it reads the answer; beyond this its connection ends. */
const DISCARDED_BYTES = 1_024 * 1_024;

const PAGE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Nothing of a body is read, kept or parsed before it is known who sends it: without a key a client costs the head of its
 * request. A request without a body is asked by the guard alone, in the place where it is answered.
 */
export function askBeforeBody(
  server: FastifyInstance,
  operations: readonly RoutedOperation[],
  guard: Pick<OperationGuard, 'identify'>,
): void {
  const known = new Map(operations.map((operation) => [`${operation.method} ${operation.path}`, operation]));
  server.addHook('onRequest', async (request, reply) => {
    // The dashboard has pages at addresses without a route.
    if (request.is404 && !PAGE_METHODS.has(request.method)) throw new NotFoundException();
    if (!hasBody(request)) return;
    const operation = known.get(`${request.method} ${request.routeOptions.url}`);
    if (operation !== undefined) await guard.identify(request, reply, operation);
  });
  // Before the end of the answer: Node then throws away by itself, without an end, what nobody reads.
  server.addHook('onSend', (request, _reply, _payload, next) => {
    if (hasBody(request) && !request.raw.complete) discard(request);
    next();
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function discard({ raw }: FastifyRequest): void {
  let bytes = 0;
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARDED_BYTES) raw.destroy();
  });
}
