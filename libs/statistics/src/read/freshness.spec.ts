import { describe, expect, it } from '@jest/globals';

import { describeFreshness } from './freshness.js';

const row = (partition: number, nextOffset: number, lastRecordAt: number | null) => ({
  partition,
  nextOffset: BigInt(nextOffset),
  lastRecordAt,
});
const end = (partition: number, high: number) => ({ partition, high: BigInt(high) });

describe('freshness', () => {
  it('is the moment the log ends were read when all of it is counted', () => {
    const checkpoints = [row(0, 10, 500), row(1, 7, 900)];
    expect(describeFreshness({ checkpoints, logEnd: [end(0, 10), end(1, 5)], logEndReadAt: 1000 })).toEqual({
      countedUpTo: 1000,
      pending: 0,
    });
  });

  it('is the earliest last record among the partitions that lag', () => {
    const checkpoints = [row(0, 10, 100), row(1, 7, 900), row(2, 7, 800)];
    const logEnd = [end(0, 10), end(1, 9), end(2, 8)];
    expect(describeFreshness({ checkpoints, logEnd, logEndReadAt: 1000 })).toEqual({ countedUpTo: 800, pending: 3 });
  });

  it('is unknown when a partition with records was never counted', () => {
    expect(describeFreshness({ checkpoints: [], logEnd: [end(0, 4), end(1, 0)], logEndReadAt: 1000 })).toEqual({
      countedUpTo: null,
      pending: 4,
    });
  });

  it('does without Kafka', () => {
    const away = { logEnd: null, logEndReadAt: 1000 };
    expect(describeFreshness({ checkpoints: [row(0, 1, 7), row(1, 1, 5)], ...away })).toEqual({
      countedUpTo: 5,
      pending: null,
    });
    expect(describeFreshness({ checkpoints: [], ...away })).toEqual({ countedUpTo: null, pending: null });
  });
});
