import { HOUR_MS } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';

import { differingSpan, judgeSums } from './judge-sums.js';

const sum = (n: number, visits: number, checksum = '7') => ({ start: n * HOUR_MS, visits, checksum });
const range = (from: number, to: number) => ({ from: from * HOUR_MS, to: to * HOUR_MS });

describe('the hours of a link', () => {
  it('are answered by files where number and checksum are what the buckets say', () => {
    const hours = [sum(1, 2), sum(2, 3)];
    expect(judgeSums(hours, hours, { keptFrom: 0, periodMs: HOUR_MS })).toEqual({
      fromLedger: [],
      notFromFiles: [],
      unknown: [],
    });
  });

  it('are answered by the ledger, and by nothing else, where they are not', () => {
    const kept = [sum(1, 2), sum(2, 3), sum(3, 3, '8'), sum(5, 1), sum(6, 1)];
    expect(
      judgeSums(kept, [sum(1, 2), sum(2, 2), sum(3, 3, '9'), sum(6, 1)], { keptFrom: 0, periodMs: HOUR_MS }),
    ).toEqual({
      fromLedger: [range(2, 4), range(5, 6)],
      notFromFiles: [2 * HOUR_MS, 3 * HOUR_MS],
      unknown: [],
    });
  });

  it('are empty where no bucket is left, whatever files still hold', () => {
    expect(judgeSums([], [sum(1, 2)], { keptFrom: 0, periodMs: HOUR_MS })).toMatchObject({
      fromLedger: [],
      notFromFiles: [HOUR_MS],
    });
    expect(judgeSums([], [sum(1, 2)], { keptFrom: Infinity, periodMs: HOUR_MS })).toMatchObject({
      unknown: [],
      notFromFiles: [HOUR_MS],
    });
  });

  it('that differ and that the ledger has no more are answered by files, and said to be unknown', () => {
    const kept = [sum(1, 2), sum(2, 2), sum(3, 2)];
    expect(judgeSums(kept, [sum(1, 1), sum(3, 1)], { keptFrom: 3 * HOUR_MS, periodMs: HOUR_MS })).toEqual({
      fromLedger: [range(3, 4)],
      notFromFiles: [3 * HOUR_MS],
      unknown: [range(1, 3)],
    });
  });

  it('are looked at one by one only between the first and the last day that differ', () => {
    const kept = [sum(1, 2), sum(2, 3), sum(4, 1), sum(9, 1)];
    expect(differingSpan(kept, kept, HOUR_MS)).toBeUndefined();
    expect(differingSpan(kept, [sum(1, 2), sum(2, 4), sum(5, 1), sum(9, 1)], HOUR_MS)).toEqual(range(2, 6));
  });
});
