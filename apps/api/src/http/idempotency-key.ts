import type { OnceOnly } from '@hopcount/links';
import { AppError } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

/** Printable ASCII, as a header can carry it unchanged. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * What the `Idempotency-Key` of a request says about it; undefined without one. Two bodies are one request when the
 * operation understands them alike.
 * @param operation its id: the same body means something else elsewhere
 * @throws AppError `invalid-data`
 */
export function onceOnly(request: FastifyRequest, operation: string): OnceOnly | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.identity === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new AppError('invalid-data', 'An Idempotency-Key has 1 to 255 printable ASCII characters.', {
      details: { invalidElements: ['Idempotency-Key'] },
    });
  }
  return { by: request.identity, key, request: JSON.stringify([operation, request.body]) };
}
