import { BUCKET_MS } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CELL_MS, HostWindows, WINDOW_CELLS, WINDOW_MS } from './host-windows.js';
import { type HostPast, surgeBase, utcDaysBefore } from './surge-base.js';
import { nextSurgeState, SURGE_RULES, type SurgeState } from './surge-state.js';

const START = Date.parse('2026-11-16T00:00:00Z');
const DAY_MS = 86_400_000;
/** 3 is below 2, 2 and 4 below 1, 9 alone. */
const PARENTS = new Map([
  [3, 2],
  [2, 1],
  [4, 1],
]);
const HOSTS = [1, 2, 3, 4, 9];
const parentOf = (host: number) => PARENTS.get(host);
const isIn = (host: number | undefined, above: number): boolean =>
  host !== undefined && (host === above || isIn(parentOf(host), above));

describe('windows', () => {
  it('hold the visits of five minutes of event time, of a host and those below it', () => {
    const steps = fc.array(
      fc.record({
        host: fc.constantFrom(...HOSTS),
        cell: fc.integer({ min: -5, max: 80 }),
        visits: fc.integer({ min: 1, max: 1e12 }),
        moves: fc.constantFrom(0, 0, 1, 3, 40),
      }),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(steps, (given) => {
        const windows = new HostWindows(START + 1, parentOf);
        const added: { host: number; at: number; visits: number }[] = [];
        for (const { host, cell, visits, moves } of given) {
          const at = windows.endAt + cell * CELL_MS + (visits % CELL_MS);
          expect(windows.add(host, at, visits)).toBe(cell < 0 ? 'late' : 'added');
          if (cell >= 0) added.push({ host, at, visits });
          for (let move = 0; move < moves; move += 1) windows.move();
          for (const one of HOSTS) {
            const isInWindow = ({ at: when }: { at: number }) =>
              when < windows.endAt && when >= windows.endAt - WINDOW_MS;
            const inside = added.filter((visit) => isIn(visit.host, one) && isInWindow(visit));
            const sum = inside.reduce((total, visit) => total + visit.visits, 0);
            expect(windows.visitsOf(one)).toBe(sum);
            expect(windows.hostsWith(1).includes(one)).toBe(sum > 0);
          }
        }
      }),
    );
  });

  it('are bounded, and say what they could not take', () => {
    const windows = new HostWindows(START, (host) => (host > 1 ? 1 : undefined), { hosts: 3, ahead: 4 });
    const add = (host: number, cell: number) => windows.add(host, START + cell * CELL_MS, 5);
    expect([add(2, 0), add(3, 0), add(4, 0), add(2, 9), add(2, 9), add(3, 9)]).toEqual([
      ...['added', 'added', 'added', 'added', 'added'],
      'full',
    ]);
    windows.move();
    expect([1, 2, 3, 4].map((host) => windows.visitsOf(host))).toEqual([15, 5, 5, 0]);
    expect([windows.unwatched, add(3, 9)]).toEqual([5, 'added']);
    for (let move = 0; move < WINDOW_CELLS; move += 1) windows.move();
    expect([1, 2, 3].map((host) => windows.visitsOf(host))).toEqual([15, 10, 5]);
    for (let move = 0; move < WINDOW_CELLS; move += 1) windows.move();
    expect(windows.hostsWith(1)).toEqual([]);
  });
});

describe('the base', () => {
  const at = START + 12 * 3_600_000;
  const pastOf = (visitsIn: HostPast['visitsIn'], daysBefore = utcDaysBefore): HostPast => ({ visitsIn, daysBefore });
  const base = (visitsIn: HostPast['visitsIn'], when = at + WINDOW_MS) => surgeBase(pastOf(visitsIn), when);
  const isAgo = (bucket: number, days: number) => Math.abs(bucket - (at - days * DAY_MS)) <= BUCKET_MS;

  it('is the larger median, of the same time in four weeks or of the last two hours, for five minutes', () => {
    const weekly = (bucket: number) => ([7, 14, 21, 28].some((days) => isAgo(bucket, days)) ? 90 : 30);
    expect(base(weekly)).toEqual({ visits: 30, deviation: 0, isNew: false });
    expect(base((bucket) => (bucket >= at - 8 * BUCKET_MS ? 300 : 30)).visits).toBe(100);
    expect(base((bucket) => (isAgo(bucket, 7) ? 9_000 : 30)).visits).toBe(10);
    expect(base((bucket) => 30 * (1 + ((bucket / BUCKET_MS) % 3)))).toEqual({
      visits: 20,
      deviation: 10,
      isNew: false,
    });
  });

  it('is that of both buckets a window touches', () => {
    const mailing = (bucket: number) => ((at - BUCKET_MS - bucket) % (7 * DAY_MS) === 0 ? 900 : 0);
    const wide = (bucket: number) => ([0, 1, 2].some((later) => mailing(bucket + later * BUCKET_MS) > 0) ? 900 : 0);
    expect(base(wide, at + WINDOW_MS - CELL_MS).visits).toBe(300);
    expect(base(wide, at + WINDOW_MS).visits).toBe(0);
  });

  it('of less than two weeks is that of yesterday and the last hours', () => {
    const since = (days: number) => (bucket: number) =>
      bucket < at - days * DAY_MS ? undefined : isAgo(bucket, 1) ? 60 : isAgo(bucket, 7) ? 9_000 : 30;
    expect(base(since(9)).visits).toBe(20);
    expect(base(since(0.5)).visits).toBe(10);
    expect(base(since(0.03))).toEqual({ visits: 0, deviation: 0, isNew: true });
  });

  it('leaves out what is not known, as of surges', () => {
    const recent = (bucket: number) => (bucket >= at - 3 * BUCKET_MS ? undefined : 30);
    expect(base(recent)).toEqual({ visits: 10, deviation: 0, isNew: false });
  });

  it('is of the same hour of the clock where clocks are changed', () => {
    // An hour later from last week on: what was at 11 is at 12 now.
    const daysBefore = (instant: number, days: number) => instant - days * DAY_MS - (days > 3 ? 3_600_000 : 0);
    const noon = (bucket: number) => (isAgo(bucket + 3_600_000, 7) || isAgo(bucket + 3_600_000, 14) ? 600 : 3);
    const weeks = (bucket: number) => (bucket < at - 15 * DAY_MS ? undefined : noon(bucket));
    expect(surgeBase(pastOf(weeks, daysBefore), at + WINDOW_MS).visits).toBe(200);
    expect(base(weeks).visits).toBe(1);
  });
});

describe('a surge', () => {
  const MINUTE = 6;
  /** @param given visits in each window, `cells` of them */
  const changes = (given: [visits: number, cells: number][], base = { visits: 20, deviation: 0, isNew: false }) => {
    let state: SurgeState | undefined;
    let at = START;
    const said: string[] = [];
    for (const [visits, cells] of given) {
      for (let cell = 0; cell < cells; cell += 1) {
        at += CELL_MS;
        const next = nextSurgeState(state, { at, visits, base }, SURGE_RULES);
        state = next.state;
        if (next.change === undefined) continue;
        const reason = next.change.what === 'closed' ? ` ${next.change.reason}` : '';
        said.push(`${next.change.what}${reason} ${(at - START) / 1_000}`);
      }
    }
    return { said, state };
  };

  it('opens after 30 s, closes after five minutes below twice the base or half the minimum, and rests an hour', () => {
    const first: [number, number][] = [
      [200, 2],
      [0, 1],
      [200, 3 * MINUTE],
      [55, 20 * MINUTE],
    ];
    const then: [number, number][] = [
      [49, 29],
      [55, 1],
      [49, 30],
      [390, 59 * MINUTE],
      [200, 9],
    ];
    const { said, state } = changes([...first, ...then]);
    expect(said).toEqual(['opened 60', 'closed over 2010', 'opened 5630']);
    expect(state?.is).toBe('open');
    expect(
      changes(
        [
          [200, 5],
          [41, 60],
        ],
        { visits: 30, deviation: 0, isNew: false },
      ).said,
    ).toEqual(['opened 30', 'closed over 350']);
  });

  it('says again when it is twice as large as in its first five minutes, also while it rests', () => {
    const first: [number, number][] = [
      [150, 4],
      [200, 29],
      [399, 1],
      [400, 2],
      [799, 5],
    ];
    const then: [number, number][] = [
      [20, 30],
      [799, 9],
      [800, 9],
    ];
    expect(changes([...first, ...then]).said).toEqual(['opened 30', 'escalated 350', 'closed over 710', 'opened 830']);
  });

  it('that lasts a day was none', () => {
    const { said } = changes([[200, 24 * 60 * MINUTE + 3]]);
    expect(said).toEqual(['opened 30', 'closed lasting 86430']);
  });

  it.each([
    [99, { visits: 1, deviation: 0, isNew: false }, false],
    [100, { visits: 1, deviation: 0, isNew: false }, true],
    [399, { visits: 100, deviation: 0, isNew: false }, false],
    [400, { visits: 100, deviation: 0, isNew: false }, true],
    [400, { visits: 100, deviation: 60, isNew: false }, false],
    [499, { visits: 0, deviation: 0, isNew: true }, false],
    [500, { visits: 0, deviation: 0, isNew: true }, true],
    [500, { visits: 200, deviation: 0, isNew: true }, false],
  ])('of %d visits against %j: %s', (visits, base, isOne) => {
    expect(changes([[visits, 9]], base).said.length).toBe(isOne ? 1 : 0);
  });
});
