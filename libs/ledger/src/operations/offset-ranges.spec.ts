import { describe, expect, it } from '@jest/globals';

import { chooseRanges, countOffsets } from './offset-ranges.js';

const LOGS = [
  { partition: 0, low: 5n, high: 20n },
  { partition: 1, low: 0n, high: 10n },
];

describe('chooseRanges', () => {
  it('takes all that is there', () => {
    const ranges = chooseRanges(LOGS, {});
    expect(ranges).toEqual([
      { partition: 0, from: 5n, to: 20n },
      { partition: 1, from: 0n, to: 10n },
    ]);
    expect(countOffsets(ranges)).toBe(25n);
  });

  it('cuts to the asked offsets and to what the log still has', () => {
    expect(chooseRanges(LOGS, { partitions: [0], from: 2n, to: 8n })).toEqual([{ partition: 0, from: 5n, to: 8n }]);
    expect(chooseRanges(LOGS, { from: 12n })).toEqual([
      { partition: 0, from: 12n, to: 20n },
      { partition: 1, from: 10n, to: 10n },
    ]);
    expect(countOffsets(chooseRanges(LOGS, { partitions: [1], from: 90n, to: 99n }))).toBe(0n);
  });

  it('refuses what cannot be', () => {
    expect(() => chooseRanges(LOGS, { partitions: [0, 7] })).toThrow(/no partition 7/);
    expect(() => chooseRanges(LOGS, { from: 9n, to: 3n })).toThrow(/before/);
  });
});
