import { createHmac } from 'node:crypto';

import type { Secrets } from '@hopcount/runtime';

const KEY_ID_LENGTH = 4;

export interface SigningKey {
  /** Says in what is signed which key it was. */
  id: string;
  key: Buffer;
}

/** One key for each use of a secret, so that one signature or hash never stands in for another. */
export function deriveKey(secret: string, use: string): Buffer {
  return createHmac('sha256', secret).update(`hopcount/${use}/v1`).digest();
}

/** The first signs; all are believed. */
export function signingKeys({ signing: [first, ...others] }: Pick<Secrets, 'signing'>, use: string) {
  const keyOf = (secret: string): SigningKey => ({
    id: deriveKey(secret, `${use} key id`).toString('base64url').slice(0, KEY_ID_LENGTH),
    key: deriveKey(secret, use),
  });
  return [keyOf(first), ...others.map(keyOf)] as const;
}
