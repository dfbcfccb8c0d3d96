import { createHmac } from 'node:crypto';

import { decodeBase62, encodeBase62 } from './base62.js';

/** A balanced Feistel network needs 4 rounds to be a strong permutation (Luby and Rackoff, 1988); 8 cost 10 µs. */
const ROUNDS = 8;
const HALF_BITS = 32n;
const HALF_MASK = 0xffff_ffffn;
const MIN_LENGTH = 10;
const MAX_ID = (1n << 63n) - 1n;
const VALUE_LIMIT = 1n << 64n;

/**
 * Snowflake ids as codes: id → keyed permutation of the 64-bit numbers → Base62, 10 or 11 characters.
 * Neighbouring ids share nothing visible, and only the holder of the secret can order or count them.
 */
export class SnowflakeCodes {
  readonly #key: Buffer;

  /** @param secret the installation's secret: with another one no code decodes to its id. */
  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('hopcount snowflake codes v1').digest();
  }

  /** @throws RangeError unless 0 <= id < 2^63 */
  encode(id: bigint): string {
    if (id < 0n || id > MAX_ID) throw new RangeError(`not a snowflake id: ${id}`);
    return encodeBase62(this.#permute(id, 'forward'), MIN_LENGTH);
  }

  /** Exactly the id that `encode` was given; undefined for a text that `encode` never returns. */
  decode(code: string): bigint | undefined {
    const value = decodeBase62(code);
    // One spelling each: no value of 11 characters starts with 0.
    if (value === undefined || value >= VALUE_LIMIT || encodeBase62(value, MIN_LENGTH) !== code) return undefined;
    const id = this.#permute(value, 'backward');
    return id > MAX_ID ? undefined : id;
  }

  #permute(value: bigint, direction: 'forward' | 'backward'): bigint {
    let left = value >> HALF_BITS;
    let right = value & HALF_MASK;
    for (let step = 0; step < ROUNDS; step++) {
      if (direction === 'forward') {
        [left, right] = [right, left ^ this.#round(step, right)];
      } else {
        [left, right] = [right ^ this.#round(ROUNDS - 1 - step, left), left];
      }
    }
    return (left << HALF_BITS) | right;
  }

  #round(round: number, half: bigint): bigint {
    const input = Buffer.alloc(5);
    input.writeUInt8(round, 0);
    input.writeUInt32BE(Number(half), 1);
    return BigInt(createHmac('sha256', this.#key).update(input).digest().readUInt32BE(0));
  }
}

/** The link id in a `CODE_STRATEGY=snowflake` code; undefined when no id has that code. */
export function decodeSnowflakeCode(code: string, secret: string): bigint | undefined {
  return new SnowflakeCodes(secret).decode(code);
}
