import { createHmac } from 'node:crypto';

import { createFastHmac, type FastHmac, type Secrets } from '@hopcount/runtime';

const KEY_ID_LENGTH = 4;
/** The first 132 of 256 bits. */
const SIGNATURE_LENGTH = 22;

export interface SigningKey {
  /** Says in what is signed which key it was. */
  id: string;
  mac: FastHmac;
}

/** One key for each use of a secret, so that one signature or hash never stands in for another. */
export function deriveKey(secret: string, use: string): Buffer {
  return createHmac('sha256', secret).update(`hopcount/${use}/v1`).digest();
}

/** The first signs; all are believed. */
export function signingKeys({ signing: [first, ...others] }: Pick<Secrets, 'signing'>, use: string) {
  const keyOf = (secret: string): SigningKey => ({
    id: deriveKey(secret, `${use} key id`).toString('base64url').slice(0, KEY_ID_LENGTH),
    mac: createFastHmac(deriveKey(secret, use)),
  });
  return [keyOf(first), ...others.map(keyOf)] as const;
}

/** 22 base64url characters. */
export function signatureOf(mac: FastHmac, text: string): string {
  return mac.text(text, 'base64url').slice(0, SIGNATURE_LENGTH);
}
