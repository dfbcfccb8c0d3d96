import { DIMENSIONS, type Dimension, UNKNOWN, VISIT_CLASSES, type VisitClass } from '@hopcount/contracts';
import { DAY_MS, type EnrichedVisit, floorTo, HOUR_MS, LedgerRebuild, StatisticsVerifier } from '@hopcount/ledger';
import { randomHistory, randomSource, randomVisit } from '@hopcount/ledger/spec-helpers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec } from '../archive.spec-helpers.js';

/** A zone whose midnight is no full UTC hour. */
const OFFSET_MS = 330 * 60_000;
const dayOf = (instant: number) => {
  const from = floorTo(instant + OFFSET_MS, DAY_MS) - OFFSET_MS;
  return { from, to: from + DAY_MS };
};
const FIRST = dayOf(Date.parse('2026-09-10T12:00:00Z')).from;
const DAYS = [FIRST, FIRST + DAY_MS, FIRST + 2 * DAY_MS];
const RANGE = { from: FIRST, to: FIRST + 3 * DAY_MS };
const CLOSED = RANGE.to + 2 * HOUR_MS;
const LIMITS = { linkVisits: 30, links: 2, linkValues: 2, scopeValues: 4 };

type Scoped = EnrichedVisit & { domain: string; group: string };
type Counts = Record<string, unknown>;

describe('aggregates of sealed days', () => {
  let spec: ArchiveSpec;
  const random = randomSource(12);
  let counted: Scoped[];
  let nowMs = 0;

  beforeEach(async () => {
    spec = await ArchiveSpec.open({ dayLimits: LIMITS });
    counted = [];
    await spec.ledger.server.query(`INSERT INTO domains (authority) VALUES ('two.test')`);
    await spec.ledger.server.query(`INSERT INTO groups (id, name) VALUES ('g-1', '1')`);
    await spec.ledger.server.query(
      `INSERT INTO links (id, domain_id, code, long_url, group_id)
       SELECT n, 1 + n % 2, n, 'https://example.com/', CASE WHEN n < 3 THEN 'g-1' END FROM generate_series(1, 4) AS n`,
    );
    for (const [link, count] of [90, 150, 200, 12].entries()) {
      await commit(randomHistory(random, String(link + 1), { ...RANGE, hoursApart: 6 }, count, DAYS.slice(1)));
    }
  });
  afterEach(() => spec.close());

  async function commit(visits: EnrichedVisit[]) {
    await spec.commit(visits);
    const ofLink = (visit: EnrichedVisit) => ({
      domain: String(1 + (Number(visit.linkId) % 2)),
      group: Number(visit.linkId) < 3 ? 'g-1' : '',
    });
    counted.push(...visits.map((visit) => ({ ...visit, ...ofLink(visit) })));
  }

  /** As a worker does, half a day after it did last. */
  const aggregate = () => spec.archive.aggregateDays({ dayOf, closedBefore: CLOSED, nowMs: (nowMs += DAY_MS) });
  const inDay = (day: number) =>
    counted.filter(({ occurredAtMs }) => occurredAtMs >= day && occurredAtMs < day + DAY_MS);
  const distinct = (values: (string | null)[]) => new Set(values.filter((value) => value !== null)).size;

  /** Each scope's visits of a day, those of links with enough of them. */
  function scopesOf(day: number): Map<string, Scoped[]> {
    const scopes = new Map<string, Scoped[]>();
    for (const visit of inDay(day)) {
      const { domain, group, linkId } = visit;
      for (const scope of ['all ', `domain ${domain}`, `group ${group}`, `link ${linkId}`]) {
        scopes.set(scope, [...(scopes.get(scope) ?? []), visit]);
      }
    }
    const links = [...scopes]
      .filter(([scope]) => scope.startsWith('link'))
      .sort(([a, left], [b, right]) => right.length - left.length || (a < b ? -1 : 1));
    for (const [index, [scope, visits]] of links.entries()) {
      if (index >= LIMITS.links || visits.length < LIMITS.linkVisits) scopes.delete(scope);
    }
    return scopes;
  }

  function expectedRows(): Counts[] {
    const rows = DAYS.flatMap((day) =>
      [...scopesOf(day)].flatMap(([scope, visits]) =>
        ['all', ...VISIT_CLASSES].map((name) => {
          const some = visits.filter((visit) => name === 'all' || visit.class === name);
          const [visitors, ips] = [distinct(some.map((one) => one.visitor)), distinct(some.map((one) => one.ip))];
          return { day, scope, class: name, visits: some.length, visitors, ips };
        }),
      ),
    );
    return inOrder(rows.filter(({ visits }) => visits > 0));
  }

  async function keptRows(): Promise<Counts[]> {
    const rows = await spec.ledger.server.query<Counts & { day: Date }>(
      `SELECT day_start AS day, scope || ' ' || scope_id AS scope, class, visits::int, visitors::int, ips::int FROM day_aggregates`,
    );
    return inOrder(rows.map((row) => ({ ...row, day: row.day.getTime() })));
  }

  function valueOf(visit: EnrichedVisit, dimension: Dimension): string {
    if (dimension === 'referrer') return visit.referrerHost;
    const isPlace = dimension === 'region' || dimension === 'city';
    const isKnown = visit[dimension] !== UNKNOWN && visit.country !== UNKNOWN;
    return isPlace && isKnown ? `${visit[dimension]}, ${visit.country}` : visit[dimension];
  }

  function expectedValues(): Counts[] {
    const rows: Counts[] = [];
    for (const day of DAYS) {
      for (const [scope, visits] of scopesOf(day)) {
        for (const dimension of DIMENSIONS) {
          const byValue = new Map<string, VisitClass[]>();
          for (const visit of visits) {
            const value = valueOf(visit, dimension);
            byValue.set(value, [...(byValue.get(value) ?? []), visit.class]);
          }
          const sorted = [...byValue].sort(([a, left], [b, right]) => right.length - left.length || (a < b ? -1 : 1));
          const kept = scope.startsWith('link') ? LIMITS.linkValues : LIMITS.scopeValues;
          const rest = sorted.slice(kept);
          const places = sorted
            .slice(0, kept)
            .map(([value, classes], n) => ({ place: n + 1, value, values: 1, classes }));
          const others = {
            place: 0,
            value: null,
            values: rest.length,
            classes: rest.flatMap(([, classes]) => classes),
          };
          for (const { classes, ...row } of rest.length > 0 ? [...places, others] : places) {
            const counts = VISIT_CLASSES.map((name) => classes.filter((one) => one === name).length);
            rows.push({ day, scope, dimension, ...row, counts });
          }
        }
      }
    }
    return inOrder(rows);
  }

  async function keptValues(): Promise<Counts[]> {
    const rows = await spec.ledger.server.query<Counts & { day: Date }>(
      `SELECT day_start AS day, scope || ' ' || scope_id AS scope, dimension, place, value, "values",
         ARRAY[human, bot, preview, prefetch, opted_out]::int[] AS counts
       FROM day_aggregate_dimensions`,
    );
    return inOrder(rows.map((row) => ({ ...row, day: row.day.getTime() })));
  }

  const inOrder = (rows: Counts[]) =>
    rows
      .map((row) => Object.fromEntries(Object.entries(row).sort()))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const staleDays = async () => (await new StatisticsVerifier(spec.ledger.database).verify()).checked.staleDays;
  const differences = () => spec.ledger.differences();

  it('are what a count over the visits gives, of every scope and of the most visited links', async () => {
    await spec.seal(CLOSED);
    expect(await aggregate()).toMatchObject({ days: 3, failed: [] });
    expect(await keptRows()).toEqual(expectedRows());
    expect(await keptValues()).toEqual(expectedValues());
    expect(await aggregate()).toEqual({ days: 0, rows: 0, failed: [] });
    expect(await differences()).toEqual([]);
  });

  it('are made of days whose hours are all closed and in files, and of no other', async () => {
    await spec.seal(DAYS[1]! + 5 * HOUR_MS);
    expect(await aggregate()).toMatchObject({ days: 1 });
    expect(new Set((await keptRows()).map(({ day }) => day))).toEqual(new Set([DAYS[0]]));
    await spec.seal(CLOSED);
    const open = { dayOf, closedBefore: RANGE.to - 1, nowMs: (nowMs += DAY_MS) };
    expect(await spec.archive.aggregateDays(open)).toMatchObject({ days: 1 });
    expect(await aggregate()).toMatchObject({ days: 1 });
    expect(await keptRows()).toEqual(expectedRows());
  });

  it('do not hold any more after a late visit or a purge, and are made again', async () => {
    await spec.seal(CLOSED);
    await aggregate();
    await commit([randomVisit(random, '4', DAYS[1]! + 7), randomVisit(random, '9', DAYS[1]!)]);
    counted = counted.map((visit) => (visit.linkId === '9' ? { ...visit, domain: '', group: '' } : visit));
    await spec.purge('3', DAYS[0]! + 3 * HOUR_MS);
    counted = counted.filter((visit) => visit.linkId !== '3' || visit.occurredAtMs >= DAYS[0]! + 3 * HOUR_MS);
    expect([await staleDays(), await differences()]).toEqual([2, []]);
    expect(await aggregate()).toMatchObject({ days: 0 });
    await spec.seal(CLOSED);
    expect(await aggregate()).toMatchObject({ days: 2 });
    expect(await keptRows()).toEqual(expectedRows());
    expect(await keptValues()).toEqual(expectedValues());
    expect([await staleDays(), await differences()]).toEqual([0, []]);
  });

  it('go with the last visit of their day', async () => {
    await spec.seal(CLOSED);
    await aggregate();
    for (const link of ['1', '2', '3', '4']) await spec.purge(link, RANGE.to);
    counted = counted.filter(({ occurredAtMs }) => occurredAtMs >= RANGE.to);
    await spec.seal(CLOSED);
    expect(await aggregate()).toMatchObject({ days: 3 });
    expect([await keptRows(), await keptValues()]).toEqual([[], []]);
  });

  it.each([
    ['a class', `UPDATE day_aggregates SET visits = visits + 1 WHERE scope = 'group' AND class = 'human'`],
    ['a lost row', `DELETE FROM day_aggregates WHERE scope = 'link' AND class = 'bot'`],
    ['a value', `UPDATE day_aggregate_dimensions SET bot = bot + 1 WHERE scope = 'domain' AND place = 1`],
    ['a lost value', `DELETE FROM day_aggregate_dimensions WHERE scope = 'all' AND place = 2`],
  ])('that were changed by hand are found by verify: %s', async (_, damage) => {
    await spec.seal(CLOSED);
    await aggregate();
    expect(await differences()).toEqual([]);
    await spec.ledger.server.query(damage);
    expect(new Set((await differences()).map(({ check }) => check))).toEqual(new Set(['days']));
    expect(await new LedgerRebuild(spec.ledger.database).dropWrongDays()).toBeGreaterThan(0);
    await aggregate();
    expect([await keptRows(), await keptValues()]).toEqual([expectedRows(), expectedValues()]);
  });
});
