import { BUCKET_MS } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';

import { CELL_MS, HostWindows } from './host-windows.js';
import { type HostPast, utcDaysBefore } from './surge-base.js';
import { SurgeDetector, type SurgeEvent } from './surge-detector.js';

const START = Date.parse('2026-11-16T00:00:00Z');
/** Site 1 with 2 and 4, 3 below 2; 9 is a site of its own; 5 is new, below 1; 7 is a new site. */
const PARENTS = new Map([
  [2, 1],
  [3, 2],
  [4, 1],
  [5, 1],
]);
const parentOf = (host: number) => PARENTS.get(host);
/** Visits in five minutes, those below included. */
const USUAL: Record<number, number> = { 1: 40, 2: 20, 3: 10, 4: 10, 9: 30 };
const past = (host: number): HostPast => ({
  visitsIn: () => (USUAL[host] === undefined ? undefined : USUAL[host] * 3),
  daysBefore: utcDaysBefore,
});

type Traffic = [minute: number, host: number, visitsIn5Minutes: number, minutes: number][];

function world(pastOf: (host: number) => HostPast | undefined = past) {
  const windows = new HostWindows(START, parentOf);
  const detector = new SurgeDetector(windows, pastOf, parentOf);
  return { windows, detector };
}

function addTo(windows: HostWindows, traffic: Traffic) {
  return traffic.flatMap(([minute, host, visits, minutes]) =>
    Array.from({ length: minutes * 6 }, (_, cell) =>
      windows.add(host, START + (minute * 6 + cell) * CELL_MS, visits / 30),
    ),
  );
}

const told = (events: SurgeEvent[]) =>
  events.map(({ what, host, at, base }) => `${what} ${host}${base.isNew ? ' new' : ''} at ${(at - START) / 1_000}`);
const minutes = (count: number) => START + count * 60_000;
const NORMAL: Traffic = [
  [0, 3, 10, 120],
  [0, 4, 10, 120],
  [0, 9, 30, 120],
  [0, 1, 20, 120],
];

function run(traffic: Traffic, until = 60) {
  const { windows, detector } = world();
  addTo(windows, [...NORMAL, ...traffic]);
  return told(detector.evaluate(minutes(until)).events);
}

describe('one surge is one alert', () => {
  it('at the lowest host that has most of it', () => {
    expect(run([[10, 3, 300, 10]])).toEqual(['opened 3 at 710', 'closed 3 at 1760']);
  });

  it('at the one above when it is of several', () => {
    const events = run([
      [10, 3, 300, 10],
      [10, 4, 300, 10],
    ]);
    expect(events.filter((event) => event.startsWith('opened'))).toEqual(['opened 1 at 680']);
  });

  it('and another one beside it is another', () => {
    const events = run([
      [10, 3, 300, 30],
      [20, 4, 300, 10],
      [20, 9, 300, 10],
    ]);
    const opened = events.filter((event) => event.startsWith('opened'));
    expect(opened.map((event) => event.slice(0, 8)).sort()).toEqual(['opened 3', 'opened 4', 'opened 9']);
  });

  it('and one above them is another, also where of those below one is below the other', () => {
    const events = run([
      [10, 3, 300, 50],
      [20, 2, 300, 40],
      [30, 1, 300, 30],
    ]);
    const opened = events.filter((event) => event.startsWith('opened'));
    expect(opened.map((event) => event.slice(0, 8))).toEqual(['opened 3', 'opened 2', 'opened 1']);
  });

  it('of a host too little is known of it wants more, and is said to be new', () => {
    expect(run([[10, 7, 490, 10]])).toEqual([]);
    expect(run([[10, 7, 600, 10]])).toEqual(['opened 7 new at 870', 'closed 7 new at 1770']);
    const below = run([[10, 5, 700, 10]]);
    expect(below[0]).toMatch(/^opened 5 new/);
    expect(below.length).toBe(2);
  });
});

describe('what is not counted yet', () => {
  it('is not judged: after a halt of ten minutes nothing surges, and nothing went missing', () => {
    const { windows, detector } = world();
    addTo(windows, NORMAL);
    expect(detector.evaluate(minutes(20)).events).toEqual([]);
    // The clock goes on, what is counted does not.
    for (let call = 0; call < 60; call += 1) expect(detector.evaluate(minutes(20)).events).toEqual([]);
    expect(detector.evaluate(minutes(45)).events).toEqual([]);
    expect(windows.visitsOf(9)).toBe(30);
  });

  it('surges at its own time when it comes late, as it would have at once', () => {
    const live = world();
    const halted = world();
    const traffic: Traffic = [...NORMAL, [12, 9, 400, 6]];
    addTo(live.windows, traffic);
    const atOnce: SurgeEvent[] = [];
    for (let second = 0; second <= 3_000; second += 7) {
      atOnce.push(...live.detector.evaluate(START + second * 1_000).events);
    }
    expect(halted.detector.evaluate(minutes(0)).events).toEqual([]);
    addTo(halted.windows, traffic);
    expect(halted.detector.evaluate(minutes(50)).events).toEqual(atOnce);
    expect(told(atOnce)[0]).toBe('opened 9 at 810');
  });

  it('is no surge when it is told twice, or is old', () => {
    const { windows, detector } = world();
    addTo(windows, NORMAL);
    detector.evaluate(minutes(60));
    expect(new Set(addTo(windows, [[0, 9, 9_000, 59]]))).toEqual(new Set(['late']));
    expect(detector.evaluate(minutes(90)).events).toEqual([]);
  });
});

describe('the detector', () => {
  it('asks for the past of those it has to judge, and goes on where it was', () => {
    const loaded = new Set<number>();
    const { windows, detector } = world((host) => (loaded.has(host) ? past(host) : undefined));
    addTo(windows, [...NORMAL, [10, 3, 300, 10]]);
    const events: SurgeEvent[] = [];
    const asked: number[][] = [];
    for (;;) {
      const { events: more, wanted } = detector.evaluate(minutes(60));
      events.push(...more);
      if (wanted.length === 0) break;
      asked.push(wanted.sort());
      for (const host of wanted) loaded.add(host);
    }
    expect(told(events)).toEqual(run([[10, 3, 300, 10]]));
    expect(asked.flat().sort()).toEqual([1, 2, 3]);
  });

  it('goes on with surges another one opened', () => {
    const { windows, detector } = world();
    detector.restore(3, { is: 'open', since: START - 60_000, level: 300 });
    addTo(windows, [...NORMAL, [0, 3, 300, 10]]);
    expect([detector.openCount, told(detector.evaluate(minutes(60)).events)]).toEqual([1, ['closed 3 at 1160']]);
    expect(detector.openCount).toBe(0);
  });

  it('does not take a surge for what is usual, however long it goes on', () => {
    const { windows, detector } = world((host) => ({
      ...past(host),
      // As the rows of alerts say: the buckets of the surge are left out.
      visitsIn: (bucket) => (bucket >= START + 10 * 60_000 - BUCKET_MS ? undefined : past(host).visitsIn(bucket)),
    }));
    addTo(windows, [
      ...NORMAL,
      [10, 9, 400, 110],
      ...Array.from({ length: 10 }, (_, hour): Traffic[number] => [120 + 60 * hour, 9, 430, 60]),
    ]);
    expect(told(detector.evaluate(minutes(700)).events)).toEqual(['opened 9 at 690']);
  });
});
