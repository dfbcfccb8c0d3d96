import { describe, expect, it } from '@jest/globals';

import { PartitionImbalance } from './partition-imbalance.js';

describe('imbalance of partitions', () => {
  const SECOND = 1_000;
  const at = (...offsets: number[]) =>
    offsets.map((offset, partition) => ({ partition, nextOffset: BigInt(offset), lastRecordAt: null }));

  it('is of what was counted in the last five minutes', () => {
    const imbalance = new PartitionImbalance();
    expect(imbalance.look(0, at(1_000_000, 0, 0, 0))).toBe(0);
    expect(imbalance.look(100 * SECOND, at(1_000_010, 10, 10, 10))).toBe(1);
    expect(imbalance.look(200 * SECOND, at(1_000_010, 40, 10, 10))).toBeCloseTo((40 * 4) / 70);
    // The first hundred seconds are past.
    expect(imbalance.look(400 * SECOND, at(1_000_010, 50, 10, 10))).toBe(4);
    expect(imbalance.look(900 * SECOND, at(1_000_010, 50, 10, 10))).toBe(0);
  });

  it('takes a partition that is new, and a topic that was made anew', () => {
    const imbalance = new PartitionImbalance();
    imbalance.look(0, at(500));
    expect(imbalance.look(SECOND, at(510, 30))).toBe(1.5);
    expect(imbalance.look(2 * SECOND, at(3, 40))).toBe(2);
    expect(imbalance.look(2 * SECOND, [])).toBe(0);
  });
});
