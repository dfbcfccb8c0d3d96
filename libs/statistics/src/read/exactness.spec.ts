import { describe, expect, it } from '@jest/globals';

import { type Comparison, COUNTED_FROM_VISITS, type Evidence, exactnessOf, exactnessOfHostSums } from './exactness.js';

const RANGE = { from: 0, to: 900_000 };
const LATER = { from: 900_000, to: 1_800_000 };
const [sum, other] = [
  { visits: 2, checksum: '5' },
  { visits: 2, checksum: '6' },
];
const comparison = (rows: Comparison['rows'], buckets: Comparison['buckets'], range = RANGE) => ({
  rows,
  buckets,
  range,
});

describe('an answer', () => {
  it.each<[string, Partial<Evidence>, ReturnType<typeof exactnessOf>]>([
    ['is exact where all visits are known', {}, { exact: true, inexact: [] }],
    ['is inexact where some are not', { unknown: [RANGE] }, { exact: false, inexact: [RANGE] }],
    ['is inexact where sums are known to be wrong', { doubted: [LATER] }, { exact: false, inexact: [LATER] }],
    ['is exact where rows are what was added up', { compared: [comparison(sum, sum)] }, { exact: true, inexact: [] }],
    [
      'is inexact where its proof disagrees',
      { compared: [comparison(sum, sum), comparison(sum, other, LATER)] },
      { exact: false, inexact: [LATER] },
    ],
    [
      'is inexact where there are more visits than were added up',
      { compared: [comparison({ visits: 3 }, { visits: 2 })] },
      { exact: false, inexact: [RANGE] },
    ],
    [
      'is inexact where only one of two counts has a checksum',
      { compared: [comparison(sum, { visits: 2 })] },
      { exact: false, inexact: [RANGE] },
    ],
    [
      'says which visits are missing, not that both counts differ for it',
      { unknown: [LATER], compared: [comparison(sum, other)] },
      { exact: false, inexact: [LATER] },
    ],
    [
      'is inexact where sums by host still have what was purged',
      { isAttributed: false },
      { exact: false, inexact: [] },
    ],
  ])('%s', (_, evidence, expected) => {
    expect(exactnessOf({ ...COUNTED_FROM_VISITS, ...evidence })).toEqual(expected);
  });

  it('of sums of all time by host is exact once these are without what was purged', () => {
    expect([true, false].map((isAttributed) => exactnessOfHostSums(isAttributed).exact)).toEqual([true, false]);
  });
});
