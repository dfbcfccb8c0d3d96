import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { decodeBase62, encodeBase62 } from './base62.js';
import { decodeSnowflakeCode, SnowflakeCodes } from './snowflake-code.js';

const SECRET = 'a secret of more than thirty-two characters';
const codes = new SnowflakeCodes(SECRET);
const anyId = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });

describe('a snowflake code', () => {
  it('is decoded to exactly its id, with the secret only', () => {
    fc.assert(fc.property(anyId, (id) => codes.decode(codes.encode(id)) === id));
    const id = 249_856_225_617_469_440n;
    expect(decodeSnowflakeCode(codes.encode(id), SECRET)).toBe(id);
    expect(decodeSnowflakeCode(codes.encode(id), `${SECRET}!`)).not.toBe(id);
  });

  it('has 10 or 11 characters of 0-9a-zA-Z, at the edges too', () => {
    for (const id of [0n, 1n, (1n << 63n) - 1n]) expect(codes.encode(id)).toMatch(/^[0-9a-zA-Z]{10,11}$/);
    fc.assert(fc.property(anyId, (id) => /^[0-9a-zA-Z]{10,11}$/.test(codes.encode(id))));
  });

  it('is a bijection: no two ids share a code, no two codes an id', () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => 249_856_225_617_469_440n + BigInt(index));
    expect(new Set(ids.map((id) => codes.encode(id))).size).toBe(ids.length);
    const anyCode = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }).map((value) => encodeBase62(value, 10));
    fc.assert(
      fc.property(anyCode, (code) => {
        const id = codes.decode(code);
        return id === undefined || codes.encode(id) === code;
      }),
    );
  });

  it('tells nothing about its neighbours: half of all bits change, and no order is kept', () => {
    let changedBits = 0;
    let rising = 0;
    const pairs = 1_000;
    for (let index = 0; index < pairs; index++) {
      const id = 249_856_225_617_469_440n + BigInt(index);
      const [value, next] = [id, id + 1n].map((given) => decodeBase62(codes.encode(given)) as bigint) as [
        bigint,
        bigint,
      ];
      changedBits += (value ^ next).toString(2).replaceAll('0', '').length;
      if (next > value) rising++;
    }
    // Of 64,000 bits 32,000 ± 126; of 1,000 pairs 500 ± 16.
    expect(Math.abs(changedBits - 32_000)).toBeLessThan(1_000);
    expect(Math.abs(rising - 500)).toBeLessThan(120);
  });

  it('has one spelling', () => {
    const code = codes.encode(249_856_225_617_469_440n);
    for (const other of [`0${code}`, `${code}0`, code.slice(1), '', 'short', 'ZZZZZZZZZZZ', `${code} `]) {
      const id = codes.decode(other);
      expect(id === undefined || codes.encode(id) === other).toBe(true);
    }
    expect(codes.decode(`0${code}`)).toBeUndefined();
    expect(codes.decode('ZZZZZZZZZZZ')).toBeUndefined();
  });

  it('is refused for what is no id', () => {
    expect(() => codes.encode(-1n)).toThrow(RangeError);
    expect(() => codes.encode(1n << 63n)).toThrow(RangeError);
  });
});
