import { describe, expect, it } from '@jest/globals';

import { unknownRuns } from './point-runs.js';

const POINTS = Array.from({ length: 40 }, (_, point) => ({ from: point * 10, to: point * 10 + 10 }));
const knownBut = (...unknown: number[]) =>
  new Map(POINTS.flatMap((_, point) => (unknown.includes(point) ? [] : [[point, {}] as const])));

describe('points that are left to ask for', () => {
  it('are none where all are known', () => {
    expect(unknownRuns(POINTS, knownBut())).toEqual([]);
  });

  it('are one run where they touch, and leave out what lies between', () => {
    expect(unknownRuns(POINTS, knownBut(2, 3, 39))).toEqual([
      { from: 20, to: 40, first: 2, starts: [20, 30] },
      { from: 390, to: 400, first: 39, starts: [390] },
    ]);
  });

  it('are few runs, however many there would be: the widest gaps stay out', () => {
    const runs = unknownRuns(POINTS, knownBut(0, 2, 5, 9, 13, 17, 21, 25, 29, 34));
    expect(runs.map(({ first }) => first)).toEqual([0, 9, 13, 17, 21, 25, 29, 34]);
    expect(runs[0]).toEqual({ from: 0, to: 60, first: 0, starts: [0, 10, 20, 30, 40, 50] });
  });
});
