import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { PartitionLag } from './lag.js';
import { pendingAgeMs } from './pending-age.js';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

/** A log whose record `n` is of the age `ages[n]`; the first `counted` of them are counted. */
function logOf(ages: number[], counted: number) {
  const lag = { partition: 0, logEnd: BigInt(ages.length), pending: BigInt(ages.length - counted) } as PartitionLag;
  const offsetAt = (timestampMs: number) => {
    const found = ages.findIndex((ageMs) => NOW - ageMs >= timestampMs);
    return new Map([[0, BigInt(found === -1 ? ages.length : found)]]);
  };
  return { lag, offsetsAt: (timestampMs: number) => Promise.resolve(offsetAt(timestampMs)) };
}

const ageOf = (ages: number[], counted: number) => {
  const { lag, offsetsAt } = logOf(ages, counted);
  return pendingAgeMs([lag], { offsetsAt, nowMs: NOW, longestMs: 7 * 24 * HOUR_MS });
};

describe('the age of what is pending', () => {
  it('is 0 when all is counted, whatever the age of the records', async () => {
    expect(await ageOf([HOUR_MS, 5], 2)).toBe(0);
  });

  it('is of the oldest record that is not counted', async () => {
    const age = await ageOf([5 * HOUR_MS, HOUR_MS, 10], 1);
    expect(age).toBeGreaterThan(HOUR_MS * 0.88);
    expect(age).toBeLessThanOrEqual(HOUR_MS);
  });

  it('is never more than the true one, and at most an eighth (or an eighth of a second) less', async () => {
    const ages = fc.array(fc.integer({ min: 1, max: 100 * HOUR_MS }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(ages, fc.nat(5), async (unsorted, counted) => {
        const sorted = [...unsorted].sort((a, b) => b - a);
        const first = Math.min(counted, sorted.length - 1);
        const age = await ageOf(sorted, first);
        expect(age).toBeLessThanOrEqual(sorted[first]!);
        expect(age).toBeGreaterThanOrEqual(sorted[first]! * (7 / 8) - 126);
      }),
    );
  });
});
