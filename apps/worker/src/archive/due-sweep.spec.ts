import { DAY_MS, HOUR_MS } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';

import { DueSweep } from './due-sweep.js';

const BEGIN = Date.parse('2026-09-01T10:00:00Z');
const CLOSED = Date.parse('2026-09-06T12:00:00Z');
const HALF_A_DAY_MS = DAY_MS / 2;

/** Of every day the hour at 11 is due. */
function sweepOver(fails: (from: number) => boolean = () => false) {
  const failed: number[] = [];
  const manifest = {
    begin: () => Promise.resolve(BEGIN),
    dueHours: ({ from, to }: { from: number; to: number }) =>
      fails(from)
        ? Promise.reject(new Error('statement timeout'))
        : Promise.resolve([from + 11 * HOUR_MS].filter((hour) => hour < to)),
  };
  const sweep = new DueSweep(manifest, {
    everyMs: HALF_A_DAY_MS,
    hoursAtOnce: 2,
    onFailed: (_error, { from }) => failed.push(from),
  });
  const run = async (nowMs: number, dealtWith = true) => {
    const hours = await sweep.next(CLOSED, nowMs, new AbortController().signal);
    if (dealtWith) sweep.passed();
    return hours.map((hour) => new Date(hour).getUTCDate());
  };
  return { sweep, run, failed };
}

describe('the look at all closed hours', () => {
  it('goes from the latest day to the first in as many runs as it takes, twice a day', async () => {
    const { run } = sweepOver();
    expect([await run(0), await run(1), await run(2), await run(3)]).toEqual([[6, 5], [4, 3], [2, 1], []]);
    expect(await run(HALF_A_DAY_MS - 1)).toEqual([]);
    expect(await run(HALF_A_DAY_MS)).toEqual([6, 5]);
  });

  it('returns the same hours until they are dealt with', async () => {
    const { run } = sweepOver();
    expect([await run(0, false), await run(1, false), await run(2), await run(3)]).toEqual([
      [6, 5],
      [6, 5],
      [6, 5],
      [4, 3],
    ]);
  });

  it('reports a day that cannot be looked at and goes on with the days before', async () => {
    const fifth = Date.parse('2026-09-05T00:00:00Z');
    const { run, failed } = sweepOver((from) => from === fifth);
    expect([await run(0), await run(1), await run(2), await run(3)]).toEqual([[6], [4, 3], [2, 1], []]);
    expect(failed).toEqual([fifth]);
  });

  it('stops between two days when told to', async () => {
    const { sweep } = sweepOver();
    await expect(sweep.next(CLOSED, 0, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(await sweep.next(CLOSED, 1, new AbortController().signal)).toHaveLength(2);
  });
});
