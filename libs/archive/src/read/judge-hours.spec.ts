import { HOUR_MS } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';

import { judgeHours } from './judge-hours.js';

const sum = (n: number, visits: number, checksum = '7') => ({ hour: n * HOUR_MS, visits, checksum });
const range = (from: number, to: number) => ({ from: from * HOUR_MS, to: to * HOUR_MS });

describe('the hours of a link', () => {
  it('are answered by files where number and checksum are what the buckets say', () => {
    const hours = [sum(1, 2), sum(2, 3)];
    expect(judgeHours(hours, hours, 0)).toEqual({ fromLedger: [], notFromFiles: [], unknown: [] });
  });

  it('are answered by the ledger, and by nothing else, where they are not', () => {
    const kept = [sum(1, 2), sum(2, 3), sum(3, 3, '8'), sum(5, 1), sum(6, 1)];
    expect(judgeHours(kept, [sum(1, 2), sum(2, 2), sum(3, 3, '9'), sum(6, 1)], 0)).toEqual({
      fromLedger: [range(2, 4), range(5, 6)],
      notFromFiles: [2 * HOUR_MS, 3 * HOUR_MS],
      unknown: [],
    });
  });

  it('are empty where no bucket is left, whatever files still hold', () => {
    expect(judgeHours([], [sum(1, 2)], 0)).toMatchObject({ fromLedger: [], notFromFiles: [HOUR_MS] });
    expect(judgeHours([], [sum(1, 2)], Infinity)).toMatchObject({ unknown: [], notFromFiles: [HOUR_MS] });
  });

  it('that differ and that the ledger has no more are answered by files, and said to be unknown', () => {
    const kept = [sum(1, 2), sum(2, 2), sum(3, 2)];
    expect(judgeHours(kept, [sum(1, 1), sum(3, 1)], 3 * HOUR_MS)).toEqual({
      fromLedger: [range(3, 4)],
      notFromFiles: [3 * HOUR_MS],
      unknown: [range(1, 3)],
    });
  });
});
