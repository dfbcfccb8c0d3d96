import { describe, expect, it } from '@jest/globals';

import { SignedTokens } from './signed-tokens.js';

const NOON_MS = Date.UTC(2026, 10, 23, 12);
const [OLD, NEW] = ['an old secret of tests, 32 characters', 'a new secret of tests, 32 characters'];

describe('a signed token', () => {
  it('is worth something until it ends, for what it is of, and under the secrets there are', () => {
    const tokens = new SignedTokens({ signing: [OLD] }, 'tests');
    const token = tokens.sign(['a', 'b'], NOON_MS);
    expect(tokens.isValid(token, ['a', 'b'], NOON_MS - 1)).toBe(true);
    expect(tokens.isValid(token, ['a', 'b'], NOON_MS)).toBe(false);
    for (const other of [['a'], ['ab'], ['b', 'a'], ['a', 'b', '']]) {
      expect([other, tokens.isValid(token, other, NOON_MS - 1)]).toEqual([other, false]);
    }
    expect(new SignedTokens({ signing: [OLD] }, 'others').isValid(token, ['a', 'b'], NOON_MS - 1)).toBe(false);
    expect(new SignedTokens({ signing: [NEW, OLD] }, 'tests').isValid(token, ['a', 'b'], NOON_MS - 1)).toBe(true);
    expect(new SignedTokens({ signing: [NEW] }, 'tests').isValid(token, ['a', 'b'], NOON_MS - 1)).toBe(false);
  });
});
