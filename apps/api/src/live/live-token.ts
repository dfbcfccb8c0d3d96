import { createHmac, timingSafeEqual } from 'node:crypto';

import type { Identity } from '@hopcount/identities';
import { AppError } from '@hopcount/runtime';

const LIFETIME_MS = 24 * 3_600_000;
const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

/** A key or a session, by what is kept of it. */
type Holder = Pick<Identity, 'kind' | 'hash'>;

interface LiveToken {
  /** It was given to: the token is worth what they are worth now. */
  holder: Holder;
  endsAtMs: number;
}

/** Lets a page follow visits: a browser's EventSource sends no header, and an API key does not belong into an address. */
export class LiveTokens {
  readonly #key: Buffer;

  constructor(
    secret: string,
    private readonly now: () => number = Date.now,
  ) {
    // Nothing else that is signed with the secret is a token.
    this.#key = createHmac('sha256', secret).update('hopcount live token').digest();
  }

  /** @param holder who asks; nobody can make their key or session of its hash */
  issue({ kind, hash }: Holder): { token: string; expiresAtMs: number } {
    const expiresAtMs = this.now() + LIFETIME_MS;
    const content = `${HEADER}.${encode({
      exp: Math.floor(expiresAtMs / 1_000),
      sub: hash.toString('base64url'),
      kind,
      mercure: { subscribe: ['*'] },
    })}`;
    return { token: `${content}.${this.#sign(content)}`, expiresAtMs };
  }

  /** @throws AppError `missing-authentication` */
  expect(token: string | undefined): LiveToken {
    const [header, payload, signature] = token?.split('.') ?? [];
    const signed = Buffer.from(this.#sign(`${header}.${payload}`));
    const given = Buffer.from(signature ?? '');
    if (payload !== undefined && given.length === signed.length && timingSafeEqual(given, signed)) {
      // Those of older versions are of keys.
      type Payload = { exp: number; sub?: string; kind?: Holder['kind'] };
      const { exp, sub, kind = 'key' } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Payload;
      if (exp * 1_000 > this.now() && sub !== undefined) {
        return { holder: { kind, hash: Buffer.from(sub, 'base64url') }, endsAtMs: exp * 1_000 };
      }
    }
    throw new AppError('missing-authentication', 'The token is missing, wrong or too old: take one of mercure-info.', {
      details: { param: 'authorization' },
    });
  }

  #sign(content: string): string {
    return createHmac('sha256', this.#key).update(content).digest('base64url');
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
