import { describe, expect, it } from '@jest/globals';

import { percentile, ratioSpread, spreadOf } from './numbers.js';

describe('the numbers of a benchmark', () => {
  it('are a median with its extremes', () => {
    expect(spreadOf([5, 1, 9])).toEqual({ median: 5, min: 1, max: 9, runs: [5, 1, 9] });
    expect(spreadOf([4, 1, 2, 3]).median).toBe(2.5);
    expect(() => spreadOf([])).toThrow(RangeError);
  });

  it('know percentiles by nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, index) => index + 1);
    expect(percentile(values, 50)).toBe(100);
    expect(percentile(values, 95)).toBe(190);
    expect(percentile([7], 99)).toBe(7);
  });

  it('compare run with run, not median with median', () => {
    expect(ratioSpread([10, 40], [20, 10]).runs).toEqual([0.5, 4]);
  });
});
