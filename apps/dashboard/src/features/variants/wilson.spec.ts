import { describe, expect, it } from '@jest/globals';

import { compareVariants } from './compare-variants.js';
import { wilsonInterval } from './wilson.js';

describe("Wilson's interval", () => {
  it.each([
    // As statsmodels' proportion_confint(…, method='wilson') has them.
    [0, 10, 0, 0.27753],
    [1, 10, 0.01788, 0.40415],
    [5, 10, 0.23659, 0.76341],
    [50, 100, 0.40383, 0.59617],
    [10, 10, 0.72247, 1],
  ])('of %d of %d is from %d to %d', (part, whole, low, high) => {
    const interval = wilsonInterval(part, whole);
    expect(interval?.low).toBeCloseTo(low, 4);
    expect(interval?.high).toBeCloseTo(high, 4);
  });

  it.each([
    [0, 0],
    [3, 2],
    [-1, 2],
  ])('is not known of %d of %d', (part, whole) => expect(wilsonInterval(part, whole)).toBeUndefined());
});

describe('variants', () => {
  const split = [
    { longUrl: 'https://a.example/', weight: 1 },
    { longUrl: 'https://b.example/', weight: 3 },
  ];

  it('have their shares of the visits that were split, and say where these are not those of the weights', () => {
    const [a, b] = compareVariants(split, [
      ...[
        { value: 'split:1', visits: 500, people: 400 },
        { value: 'split:2', visits: 500, people: 500 },
      ],
      { value: 'rule:1', visits: 7_000, people: 0 },
    ]);
    expect(a).toMatchObject({ route: 'split:1', visits: 500, share: 0.5, wanted: 0.25, isOff: true });
    expect(b).toMatchObject({ route: 'split:2', visits: 500, share: 0.5, wanted: 0.75, isOff: true });
    expect(a?.people).toMatchObject({ share: 0.8 });
  });

  it('are not off by chance, nor where nobody came', () => {
    const few = compareVariants(split, [
      { value: 'split:1', visits: 1, people: 1 },
      { value: 'split:2', visits: 2, people: 2 },
    ]);
    expect(few.map(({ isOff }) => isOff)).toEqual([false, false]);
    expect(compareVariants(split, []).map(({ share, interval, isOff }) => [share, interval, isOff])).toEqual([
      [undefined, undefined, false],
      [undefined, undefined, false],
    ]);
  });

  it('are not said to have nobody where they may be counted with others', () => {
    const [a, b] = compareVariants(split, [{ value: 'split:1', visits: 500, people: 400 }], true);
    expect(a).toMatchObject({ visits: 500, share: undefined, interval: undefined, isOff: false });
    expect(a?.people.share).toBe(0.8);
    expect(b).toMatchObject({ visits: undefined, share: undefined, isOff: false, people: { share: undefined } });
  });

  it('that are no longer set are there for as long as they have visits', () => {
    const old = compareVariants(split, [{ value: 'split:3', visits: 4, people: 4 }]);
    expect(old.map(({ route, wanted }) => [route, wanted])).toEqual([
      ['split:1', 0.25],
      ['split:2', 0.75],
      ['split:3', undefined],
    ]);
  });
});
