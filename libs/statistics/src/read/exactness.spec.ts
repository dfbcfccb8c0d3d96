import { describe, expect, it } from '@jest/globals';

import { type Evidence, exactnessOf } from './exactness.js';

const RANGE = { from: 0, to: 900_000 };
const [sum, other] = [
  { visits: 2, checksum: '5' },
  { visits: 2, checksum: '6' },
];

describe('an answer', () => {
  it.each<[string, Evidence, ReturnType<typeof exactnessOf>]>([
    ['is exact where all visits are known', { unknown: [] }, { exact: true, inexact: [] }],
    ['is inexact where some are not', { unknown: [RANGE] }, { exact: false, inexact: [RANGE] }],
    [
      'is exact where rows are what was added up',
      { unknown: [], proof: { rows: sum, buckets: sum, range: RANGE } },
      { exact: true, inexact: [] },
    ],
    [
      'is inexact where its proof disagrees',
      { unknown: [], proof: { rows: sum, buckets: other, range: RANGE } },
      { exact: false, inexact: [RANGE] },
    ],
    [
      'is inexact where sums by host still have what was purged',
      { unknown: [], isAttributed: false },
      { exact: false, inexact: [] },
    ],
  ])('%s', (_, evidence, expected) => {
    expect(exactnessOf(evidence)).toEqual(expected);
  });
});
