import { describe, expect, it } from '@jest/globals';

import { computeLag, totalLost, totalPending } from './lag.js';

const NOW = 1_700_000_000_000;

describe('computeLag', () => {
  const lagOf = (log: [low: bigint, high: bigint], checkpoint: bigint | null, committed: bigint | null = null) =>
    computeLag(
      {
        logEnds: [{ partition: 0, low: log[0], high: log[1] }],
        committed: [{ partition: 0, offset: committed }],
        checkpoints:
          checkpoint === null ? [] : [{ partition: 0, nextOffset: checkpoint, lastRecordAt: null, lost: 0n }],
      },
      NOW,
    )[0]?.pending;

  it('holds the log end against what PostgreSQL counted, not against what Kafka was told', () => {
    expect(lagOf([0n, 10n], 7n, 10n)).toBe(3n);
    expect(lagOf([0n, 10n], 10n, 0n)).toBe(0n);
  });

  it('counts a partition nobody read from its first record that still exists', () => {
    expect(lagOf([0n, 10n], null)).toBe(10n);
    expect(lagOf([4n, 10n], null)).toBe(6n);
    expect(lagOf([8n, 10n], 3n)).toBe(2n);
  });

  it('takes a log that ends below the checkpoint for a new topic', () => {
    expect(lagOf([0n, 5n], 900n)).toBe(5n);
  });

  it('F28: names what retention removed before it was counted: as noted, and as it is to be seen', () => {
    const lostOf = (low: bigint, high: bigint, nextOffset: bigint, lost: bigint) =>
      totalLost(
        computeLag(
          {
            logEnds: [{ partition: 0, low, high }],
            committed: [],
            checkpoints: [{ partition: 0, nextOffset, lastRecordAt: null, lost }],
          },
          NOW,
        ),
      );
    expect(lostOf(8n, 10n, 3n, 0n)).toBe(5n);
    expect(lostOf(8n, 10n, 8n, 5n)).toBe(5n);
    expect(lostOf(9n, 10n, 8n, 5n)).toBe(6n);
    expect(lostOf(0n, 10n, 3n, 0n)).toBe(0n);
  });

  it('orders partitions, tells the age of the last record and adds up', () => {
    const partitions = computeLag(
      {
        logEnds: [
          { partition: 1, low: 0n, high: 4n },
          { partition: 0, low: 0n, high: 6n },
        ],
        committed: [],
        checkpoints: [{ partition: 0, nextOffset: 5n, lastRecordAt: new Date(NOW - 1_500), lost: 0n }],
      },
      NOW,
    );
    expect(partitions.map((one) => one.partition)).toEqual([0, 1]);
    expect(partitions.map((one) => one.lastRecordAgeMs)).toEqual([1_500, null]);
    expect(totalPending(partitions)).toBe(5n);
  });
});
