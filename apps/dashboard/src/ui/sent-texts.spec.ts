import { describe, expect, it } from '@jest/globals';

import { sentAfter } from './sent-texts.js';

describe('what a search field does with what the address says', () => {
  it('leaves what is typed alone while its own texts arrive, in turn or with some skipped', () => {
    expect(sentAfter(['ab', 'abc'], 'ab')).toEqual(['abc']);
    expect(sentAfter(['abc'], 'abc')).toEqual([]);
    expect(sentAfter(['ab', 'abc'], 'abc')).toEqual([]);
  });

  it('shows what comes from elsewhere, also what it sent itself before', () => {
    expect(sentAfter([], 'sale')).toBeUndefined();
    expect(sentAfter(['ab'], '')).toBeUndefined();
    expect(sentAfter(sentAfter(['ab', 'abc'], 'abc') ?? [], 'ab')).toBeUndefined();
  });

  it('awaits nothing that was sent before a text that came twice', () => {
    expect(sentAfter(['a', 'ab', 'a'], 'a')).toEqual([]);
  });
});
