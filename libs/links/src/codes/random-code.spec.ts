import { describe, expect, it } from '@jest/globals';

import { RANDOM_CODE_ALPHABET, randomCode } from './random-code.js';

describe('a random code', () => {
  it('has seven characters without vowels and look-alikes', () => {
    for (let index = 0; index < 2_000; index++)
      expect(randomCode()).toMatch(/^[2-9b-df-hj-km-np-tv-xzB-DF-HJ-NP-TV-XZ]{7}$/);
    expect(RANDOM_CODE_ALPHABET).not.toMatch(/[aeiouAEIOU0O1lI]/);
    expect(new Set(RANDOM_CODE_ALPHABET).size).toBe(RANDOM_CODE_ALPHABET.length);
  });

  it('uses every character about equally often', () => {
    const codes = 10_000;
    const counts = new Map<string, number>();
    for (const character of randomCode(codes * 7)) counts.set(character, (counts.get(character) ?? 0) + 1);
    const expected = (codes * 7) / RANDOM_CODE_ALPHABET.length;
    // 1,489 each; the standard deviation is 38, so 300 is never reached by chance.
    for (const character of RANDOM_CODE_ALPHABET)
      expect(Math.abs((counts.get(character) ?? 0) - expected)).toBeLessThan(300);
  });

  it('does not repeat itself', () => {
    expect(new Set(Array.from({ length: 5_000 }, () => randomCode())).size).toBe(5_000);
  });
});
