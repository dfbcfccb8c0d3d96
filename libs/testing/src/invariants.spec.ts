import { describe, expect, it } from '@jest/globals';

import { assertSameIds } from './invariants.js';

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
