import { HOUR_MS } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';

import { planStretches } from './plan-stretches.js';

const due = (hour: number, visits = 100, filed = false) => ({ hour: hour * HOUR_MS, visits, filed });
const hours = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const plan = (...all: ReturnType<typeof due>[]) =>
  planStretches(all).map((stretch) => stretch.map((hour) => hour / HOUR_MS));

describe('a backlog of due hours', () => {
  it('is one stretch where hours adjoin', () => {
    expect(plan(...hours(0, 23).map((hour) => due(hour)))).toEqual([hours(0, 23)]);
    const withGap = [...hours(0, 6), ...hours(8, 15)];
    expect(plan(...withGap.map((hour) => due(hour)))).toEqual([hours(0, 6), hours(8, 15)]);
  });

  it('of few hours stays hours', () => {
    expect(plan(...hours(3, 7).map((hour) => due(hour)))).toEqual(hours(3, 7).map((hour) => [hour]));
  });

  it('leaves an hour alone that files hold something of', () => {
    const all = hours(0, 20).map((hour) => due(hour, 100, hour === 8));
    expect(plan(...all)).toEqual([hours(0, 7), [8], hours(9, 20)]);
  });

  it('is cut where there are too many visits', () => {
    expect(plan(...hours(0, 20).map((hour) => due(hour, 50_000)))).toEqual([hours(0, 9), hours(10, 19), [20]]);
    expect(plan(...hours(0, 3).map((hour) => due(hour, 9_000_000)))).toEqual(hours(0, 3).map((hour) => [hour]));
  });
});
