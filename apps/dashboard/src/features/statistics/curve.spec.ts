import { describe, expect, it } from '@jest/globals';

import { splitOpen, toPoints } from './curve.js';

const HOUR_MS = 3_600_000;
const START_MS = Date.parse('2026-03-01T00:00:00Z');
const series = [4, 5, 6, 0].map((visits, hour) => ({
  start: new Date(START_MS + hour * HOUR_MS).toISOString(),
  visits,
}));
const END = new Date(START_MS + 4 * HOUR_MS).toISOString();

describe('the curve', () => {
  it('draws what is over as a line, what goes on apart, and of what has not begun nothing', () => {
    const points = toPoints(series, END, START_MS + 2.5 * HOUR_MS);
    expect(points.map(({ visits, isOpen }) => [visits, isOpen])).toEqual([
      [4, false],
      [5, false],
      [6, true],
      [null, false],
    ]);
    expect(splitOpen(points)).toEqual({ closed: [4, 5, null, null], open: [null, 5, 6, null] });
  });

  it('has nothing open when all is over, and says 0 only of what is known', () => {
    const points = toPoints(series, END, START_MS + 9 * HOUR_MS);
    expect(splitOpen(points)).toEqual({ closed: [4, 5, 6, 0], open: [null, null, null, null] });
    expect(points.map(({ visitors }) => visitors)).toEqual([null, null, null, null]);
  });

  it('is one open point when only the first interval has begun', () => {
    expect(splitOpen(toPoints(series, END, START_MS + 1)).open).toEqual([4, null, null, null]);
  });
});
