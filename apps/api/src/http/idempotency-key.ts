import type { OnceOnly } from '@hopcount/links';
import { AppError } from '@hopcount/runtime';
import type { FastifyRequest } from 'fastify';

import type { Settings } from '../settings.js';

/** Printable ASCII, as a header can carry it unchanged. */
const KEY = /^[\x20-\x7e]{1,255}$/;

/**
 * What the `Idempotency-Key` of a request says about it; undefined without one. Two bodies are one request when the
 * operation understands them alike.
 * A password is no part of what is kept, and yet another one is another request.
 * @param operation its id: the same body means something else elsewhere
 * @throws AppError `invalid-data`
 */
export function onceOnly(
  request: FastifyRequest,
  operation: string,
  settings: Pick<Settings, 'digestOf'>,
): OnceOnly | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.identity === undefined) return undefined;
  if (!isIdempotencyKey(key)) throw noKey();
  const withoutSecrets = (name: string, value: unknown) =>
    name === 'password' && typeof value === 'string' ? settings.digestOf(value) : value;
  return { by: request.identity, key, request: JSON.stringify([operation, request.body], withoutSecrets) };
}

/** @throws AppError `invalid-data`: there has to be one */
export function idempotencyKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const key = headers['idempotency-key'];
  if (!isIdempotencyKey(key)) throw noKey();
  return key;
}

export function isIdempotencyKey(key: string | string[] | undefined): key is string {
  return typeof key === 'string' && KEY.test(key);
}

function noKey(): AppError {
  return new AppError('invalid-data', 'An Idempotency-Key has 1 to 255 printable ASCII characters.', {
    details: { invalidElements: ['Idempotency-Key'] },
  });
}
