import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { readSnowflake, SNOWFLAKE_EPOCH_MS, Snowflakes } from './snowflake.js';

const START = Date.UTC(2026, 10, 21);
const workerOf = (workerId: number | undefined) => ({ current: () => workerId });

describe('snowflake ids', () => {
  it('hold time, worker and sequence', () => {
    const ids = new Snowflakes(workerOf(1_023), () => START);
    expect(readSnowflake(ids.next())).toEqual({ timeMs: START, workerId: 1_023, sequence: 0 });
    expect(readSnowflake(ids.next())).toEqual({ timeMs: START, workerId: 1_023, sequence: 1 });
  });

  it('only rise, whatever the clock does', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 2, maxLength: 200 }), (steps) => {
        let now = START;
        const ids = new Snowflakes(workerOf(7), () => now);
        let last = -1n;
        for (const step of steps) {
          now += step;
          const id = ids.next();
          if (id <= last) return false;
          last = id;
        }
        return true;
      }),
    );
  });

  it('borrow the next millisecond when one is used up', () => {
    const ids = new Snowflakes(workerOf(0), () => START);
    const made = Array.from({ length: 10_000 }, () => ids.next());
    expect(new Set(made).size).toBe(10_000);
    expect(readSnowflake(made[4_095] as bigint)).toMatchObject({ timeMs: START, sequence: 4_095 });
    expect(readSnowflake(made[4_096] as bigint)).toMatchObject({ timeMs: START + 1, sequence: 0 });
  });

  it('are positive 63-bit numbers until 2094', () => {
    const last = SNOWFLAKE_EPOCH_MS + 2 ** 41 - 1;
    expect(new Snowflakes(workerOf(1_023), () => last).next()).toBeLessThan(1n << 63n);
    for (const outside of [last + 1, SNOWFLAKE_EPOCH_MS - 1]) {
      expect(() => new Snowflakes(workerOf(0), () => outside).next()).toThrow(
        expect.objectContaining({ code: 'ids-exhausted', message: expect.stringContaining('Correct the clock') }),
      );
    }
  });

  it('are not made without a worker id', () => {
    expect(() => new Snowflakes(workerOf(undefined)).next()).toThrow(
      expect.objectContaining({ code: 'worker-lease-lost', retryable: true }),
    );
  });

  it('are inside of what the worker id is leased for, and none is made twice, wherever the clock goes', () => {
    const step = fc.record({ by: fc.integer({ min: -5_000, max: 5_000 }), renews: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 200 }), (steps) => {
        let now = START;
        const window = { fromMs: START, untilMs: START + 1_000 };
        const ids = new Snowflakes({ current: () => 7, window: () => ({ ...window }) }, () => now);
        const made = new Set<bigint>();
        for (const { by, renews } of steps) {
          now += by;
          if (renews) window.untilMs = Math.max(window.untilMs, now + 1_000);
          try {
            const id = ids.next();
            const { timeMs } = readSnowflake(id);
            if (made.has(id) || timeMs < window.fromMs || timeMs > window.untilMs) return false;
            made.add(id);
          } catch (error) {
            // Only a clock that is ahead of the lease is a reason, and none once it is right again.
            if (now <= window.untilMs || (error as { code?: string }).code !== 'worker-lease-lost') return false;
          }
        }
        return true;
      }),
    );
  });
});
