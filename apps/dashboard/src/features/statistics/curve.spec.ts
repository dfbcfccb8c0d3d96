import { describe, expect, it } from '@jest/globals';

import { comparedVisits, splitOpen, toPoints } from './curve.js';

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

describe('what a curve is compared with', () => {
  const atHours = (day: string, ...hours: string[]) =>
    hours.map((hour, index) => ({ start: `${day}T${hour}`, visits: index + 1 }));
  const usual = atHours('2026-10-24', '01:00:00+02:00', '02:00:00+02:00', '03:00:00+02:00', '04:00:00+02:00');
  const long = atHours('2026-10-25', '01:00:00+02:00', '02:00:00+02:00', '02:00:00+01:00', '03:00:00+01:00');
  const short = atHours('2026-03-29', '01:00:00+01:00', '03:00:00+02:00', '04:00:00+02:00');

  it('are the same hours of the clock, also on a day that shows one twice or leaves one out', () => {
    const beside = (series: typeof usual, compared: typeof usual) =>
      comparedVisits({ interval: 'hour', series }, compared);
    expect(beside(long, usual)).toEqual([1, 2, 2, 3]);
    expect(beside(usual, long)).toEqual([1, 2, 4, null]);
    expect(beside(short, usual)).toEqual([1, 3, 4]);
    expect(beside(usual, short)).toEqual([1, null, 2, 3]);
    const [cairo, before] = [
      atHours('2026-04-24', '01:00:00+03:00', '02:00:00+03:00'),
      atHours('2026-04-23', '00:00:00+02:00', '01:00:00+02:00', '02:00:00+02:00'),
    ];
    expect(beside(cairo, before)).toEqual([2, 3]);
    expect(beside(before, cairo)).toEqual([null, 1, 2]);
  });

  it('are days one by one, months of other lengths too', () => {
    const months = (...starts: string[]) => starts.map((start, index) => ({ start, visits: index + 1 }));
    const series = months('2026-03-01T00:00:00+01:00', '2026-04-01T00:00:00+02:00', '2026-05-01T00:00:00+02:00');
    const compared = months('2026-01-01T00:00:00+01:00', '2026-02-01T00:00:00+01:00');
    expect(comparedVisits({ interval: 'month', series }, compared)).toEqual([1, 2, null]);
  });
});
