import { timingSafeEqual } from 'node:crypto';

import type { Secrets } from '@hopcount/runtime';

import { signatureOf, type SigningKey, signingKeys } from '../signing-keys.js';

const SHAPE = /^([\w-]{4})\.([0-9a-z]{1,8})\.([\w-]{22})$/;

/**
 * `<key id>.<when it ends, epoch seconds in base 36>.<signature>`: 132 bits of an HMAC over the end and what the token is of.
 * With two secrets the first signs and both are believed, as for visitors' cookies.
 */
export class SignedTokens {
  readonly #keys: ReturnType<typeof signingKeys>;

  /** @param use tells tokens of one kind from all others */
  constructor(secrets: Pick<Secrets, 'signing'>, use: string) {
    this.#keys = signingKeys(secrets, use);
  }

  sign(of: readonly string[], endsMs: number): string {
    const [key] = this.#keys;
    const ends = Math.floor(endsMs / 1_000).toString(36);
    return `${key.id}.${ends}.${signature(key, ends, of)}`;
  }

  isValid(token: string, of: readonly string[], nowMs: number): boolean {
    const [, keyId, ends = '', given = ''] = SHAPE.exec(token) ?? [];
    const key = this.#keys.find(({ id }) => id === keyId);
    if (key === undefined || Number.parseInt(ends, 36) * 1_000 <= nowMs) return false;
    return timingSafeEqual(Buffer.from(signature(key, ends, of)), Buffer.from(given));
  }
}

/** As JSON: no text can pass for two others. */
function signature({ mac }: SigningKey, ends: string, of: readonly string[]): string {
  return signatureOf(mac, JSON.stringify([ends, ...of]));
}
