import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { INTERVALS } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { DAY_MS, type EnrichedVisit, HOUR_MS, LinkTotals, UnitFolder } from '@hopcount/ledger';
import { dayOf } from '../range/intervals.js';
import {
  bruteForce,
  bruteForceSeries,
  openLedger,
  randomHistory,
  randomSource,
  randomVisit,
} from '@hopcount/ledger/spec-helpers';
import { LinkStatisticsReader, type LinkStatisticsQuery } from './link-statistics-reader.js';

const LINK = '4711';

/** Zone and a day around which its clock does something. */
const PLACES: [string, string][] = [
  ['UTC', '2026-03-01T00:00:00Z'],
  ['Asia/Kolkata', '2026-06-10T00:00:00Z'],
  ['Asia/Kathmandu', '2026-06-10T00:00:00Z'],
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['America/Sao_Paulo', '2018-11-04T03:00:00Z'],
  ['Africa/Cairo', '2026-04-23T22:00:00Z'],
  ['Africa/Monrovia', '1972-01-07T00:44:30Z'],
];

describe('statistics of a link', () => {
  let server: TestDatabase;
  let database: Database;
  let reader: LinkStatisticsReader;
  let commit: Awaited<ReturnType<typeof openLedger>>;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'reader-spec', poolSize: 3 });
    reader = new LinkStatisticsReader(database);
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query(`TRUNCATE visits, link_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
      fold_candidates, link_folds, link_dimensions, consumer_checkpoints`);
    commit = await openLedger(database);
  });

  async function expectExact(visits: readonly EnrichedVisit[], query: Omit<LinkStatisticsQuery, 'linkId'>) {
    const answer = await reader.read({ linkId: LINK, ...query });
    const { dimensions, ...totals } = bruteForce(visits, query.from, query.to);
    expect(answer.totals).toEqual(totals);
    expect(answer.dimensions).toEqual(dimensions);
    const starts = answer.series.map((point) => Date.parse(point.start));
    expect(answer.series.map(({ visits: count, visitors, ips }) => ({ visits: count, visitors, ips }))).toEqual(
      bruteForceSeries(visits, starts, query.to),
    );
    expect(answer.series.reduce((sum, point) => sum + point.visits, 0)).toBe(totals.visits);
    return answer;
  }

  it.each(PLACES)('are exact in %s around %s with no, some, stale and all folds', async (timeZone, around) => {
    const random = randomSource(Date.parse(around) % 1_000_003);
    const middle = Date.parse(around);
    const span = { from: middle - 4 * DAY_MS, to: middle + 4 * DAY_MS };
    const days = [-2, -1, 0, 1, 2].map((n) => dayOf(middle + n * DAY_MS, timeZone).from);
    const edges = [...days, middle, middle - HOUR_MS, middle + HOUR_MS];
    let visits = randomHistory(random, LINK, span, 500, edges);
    await commit(visits);
    await commit(randomHistory(random, '4712', span, 50));
    const folder = new UnitFolder(database, {
      dayOf: (instant) => dayOf(instant, timeZone),
      hourThreshold: 4,
      dayThreshold: 25,
    });
    const check = async () => {
      let folds = 0;
      for (const interval of INTERVALS) {
        const from = random.pick([random.pick(edges), span.from + random.below(3 * DAY_MS)]);
        const to = from + random.pick([DAY_MS, 3 * DAY_MS, random.below(5 * DAY_MS)]);
        const { readFrom } = await expectExact(visits, { from, to, timeZone, interval });
        folds += readFrom.dayFolds + readFrom.hourFolds;
      }
      const all = await expectExact(visits, { ...span, timeZone: random.pick(PLACES)[0], interval: 'day' });
      return { folds, ...all.readFrom };
    };
    expect((await check()).folds).toBe(0);
    await new LinkTotals(database).refresh();
    const report = await folder.foldDue(middle);
    expect(report).toMatchObject({ mismatches: 0, conflicts: 0, more: false });
    const some = await check();
    if (timeZone !== 'Africa/Monrovia') expect(some.dayFolds).toBeGreaterThan(0);
    const late = randomHistory(random, LINK, span, 40, edges);
    expect((await commit([...late, ...visits.slice(0, 100)])).inserted).toHaveLength(40);
    visits = [...visits, ...late];
    await check();
    await folder.foldRange(span.from, span.to);
    const all = await check();
    if (timeZone !== 'Africa/Monrovia') expect(all.ledgerVisits).toBeLessThan(visits.length / 3);
  });

  it('are exact to the millisecond', async () => {
    const at = Date.parse('2026-05-05T10:07:30.123Z');
    const random = randomSource(5);
    const visits = [-1, 0, 0, 1].map((ms) => randomVisit(random, LINK, at + ms));
    await commit(visits);
    for (const [from, to] of [
      [at, at + 1],
      [at - 1, at],
      [at, at + DAY_MS],
      [at + 1, at + 2],
    ] as const) {
      await expectExact(visits, { from, to, timeZone: 'UTC', interval: 'hour' });
    }
  });

  it('are zeros where nothing happened, and nothing for an empty range', async () => {
    const from = Date.parse('2030-01-01T00:00:00Z');
    const query = { linkId: LINK, from, timeZone: 'UTC', interval: 'day' as const };
    const answer = await reader.read({ ...query, to: from + 2 * DAY_MS });
    expect(answer.series).toEqual([
      { start: '2030-01-01T00:00:00+00:00', visits: 0, visitors: 0, ips: 0 },
      { start: '2030-01-02T00:00:00+00:00', visits: 0, visitors: 0, ips: 0 },
    ]);
    expect(answer.totals).toMatchObject({ visits: 0, visitors: 0, ips: 0 });
    expect((await reader.read({ ...query, to: from })).series).toEqual([]);
  });

  it('answer whole days from folds alone, and never from one that a late visit outdated', async () => {
    const from = Date.parse('2026-05-01T00:00:00Z');
    const random = randomSource(9);
    const span = { from, to: from + 5 * DAY_MS };
    const visits = randomHistory(random, LINK, span, 300);
    await commit(visits);
    const folder = new UnitFolder(database, { dayOf: (instant) => dayOf(instant, 'UTC'), dayThreshold: 1 });
    await folder.sweep(span.to + HOUR_MS);
    const query = { ...span, timeZone: 'UTC', interval: 'day' as const };
    expect((await expectExact(visits, query)).readFrom).toEqual({ dayFolds: 5, hourFolds: 0, ledgerVisits: 0 });
    const late = randomVisit(random, LINK, from + DAY_MS);
    await commit([late]);
    expect((await expectExact([...visits, late], query)).readFrom.dayFolds).toBe(4);
    await new LinkTotals(database).refresh();
    expect(await folder.foldDue(span.to + HOUR_MS)).toMatchObject({ days: 1 });
    expect((await expectExact([...visits, late], query)).readFrom.dayFolds).toBe(5);
  });
});
