import { createHmac } from 'node:crypto';

import { z } from 'zod';

import { AppError } from './app-error.js';
import { KeyPeriods, type KeyRotation, keyRotations } from './key-periods.js';

const secret = () => z.string().min(32, 'at least 32 characters');

/** Of every process that signs or hashes; the same everywhere. */
export const secretSettings = () => ({
  HOPCOUNT_SECRET: secret(),
  /** While HOPCOUNT_SECRET is being replaced: the other one of the old and the new. Believed, never used. */
  HOPCOUNT_OTHER_SECRET: secret().optional(),
  /** Of hashes and codes, which must never change; the secret unless given. */
  HOPCOUNT_HASH_SECRET: secret().optional(),
  /** When hashes of visitors and addresses get another key, made of the same secret. What has begun is never edited. */
  HASH_KEY_ROTATIONS: keyRotations,
});

/** What hashes of people are made with. */
export interface HashKeys {
  /** Stays the same for ever: with another one every visitor and address would count anew. */
  hashing: string;
  keyPeriods: KeyPeriods;
}

export interface Secrets extends HashKeys {
  /** What new cookies are signed with first, then others whose cookies are believed. */
  signing: readonly [string, ...string[]];
}

/** @throws AppError `invalid-config`: two secrets, and nobody says which one the hashes are made with */
export function secretsOf(config: {
  hopcountSecret: string;
  hopcountOtherSecret?: string | undefined;
  hopcountHashSecret?: string | undefined;
  hashKeyRotations?: readonly KeyRotation[];
}): Secrets {
  const { hopcountSecret, hopcountOtherSecret, hopcountHashSecret, hashKeyRotations } = config;
  if (hopcountOtherSecret !== undefined && hopcountHashSecret === undefined) {
    throw new AppError(
      'invalid-config',
      'With HOPCOUNT_OTHER_SECRET set HOPCOUNT_HASH_SECRET, too: to the first secret this installation had, for ever.',
    );
  }
  return {
    signing: [hopcountSecret, ...(hopcountOtherSecret === undefined ? [] : [hopcountOtherSecret])],
    hashing: hopcountHashSecret ?? hopcountSecret,
    keyPeriods: new KeyPeriods(hashKeyRotations),
  };
}

/** By which processes tell whether they have the same secret, and nobody tells which one. */
export function fingerprintOf({ hashing }: HashKeys): string {
  return createHmac('sha256', hashing).update('hopcount/hash-keys/v1').digest('hex').slice(0, 16);
}
