import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { decodeBase62, encodeBase62 } from './base62.js';

const anyUint64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });

describe('Base62', () => {
  it('gives back every number', () => {
    fc.assert(fc.property(anyUint64, (value) => decodeBase62(encodeBase62(value, 1)) === value));
  });

  it('keeps the order of numbers of the same length', () => {
    expect(encodeBase62(61n)).toBe('Z');
    expect(encodeBase62(62n)).toBe('10');
    expect(encodeBase62((1n << 64n) - 1n)).toBe('lYGhA16ahyf');
  });

  it('pads to a length and ignores the padding when reading', () => {
    expect(encodeBase62(62n, 10)).toBe('0000000010');
    expect(decodeBase62('0000000010')).toBe(62n);
  });

  it('reads nothing but its digits', () => {
    for (const text of ['', '-1', 'a b', 'ä', '1_000', '+1']) expect(decodeBase62(text)).toBeUndefined();
    expect(() => encodeBase62(-1n)).toThrow(RangeError);
  });
});
