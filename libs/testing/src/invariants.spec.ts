import { describe, expect, it } from '@jest/globals';

import { assertNoDuplicates, assertNoGaps, assertSameIds } from './invariants.js';

describe('assertSameIds', () => {
  it('accepts the same ids in any order, and doubtful ones present or absent', () => {
    assertSameIds(['a', 'b'], ['b', 'a']);
    assertSameIds(['a'], ['a', 'x'], { inDoubt: ['x', 'y'] });
  });

  it('sees a loss and a duplicate that cancel out in the total', () => {
    expect(() => assertSameIds(['a', 'b'], ['a', 'a'])).toThrow(/lost \(1\): b[^]*doubled \(1\): a/);
  });

  it('sees an id nobody sent', () => {
    expect(() => assertSameIds(['a'], ['a', 'z'], { inDoubt: ['x'] })).toThrow(/invented \(1\): z/);
  });

  it('sees a doubtful id that was counted twice', () => {
    expect(() => assertSameIds([], ['x', 'x'], { inDoubt: ['x'] })).toThrow(/doubled \(1\): x/);
  });

  it('shows only a handful of many', () => {
    const many = Array.from({ length: 100 }, (_, index) => `id-${index}`);
    expect(() => assertSameIds(many, [])).toThrow(/lost \(100\): id-0, .* … 95 more/);
  });
});

describe('assertNoDuplicates', () => {
  it('accepts distinct ids and names doubled ones', () => {
    assertNoDuplicates(['a', 'b']);
    expect(() => assertNoDuplicates(['a', 'b', 'a'])).toThrow(/doubled \(1\): a/);
  });
});

describe('assertNoGaps', () => {
  it('accepts an unbroken run in any order', () => {
    assertNoGaps([]);
    assertNoGaps([7, 5, 6]);
    assertNoGaps([9007199254740993n, 9007199254740992n]);
  });

  it('names holes and repeats', () => {
    expect(() => assertNoGaps([1, 2, 5])).toThrow(/2 → 5/);
    expect(() => assertNoGaps([1, 1])).toThrow(/1 twice/);
  });
});
