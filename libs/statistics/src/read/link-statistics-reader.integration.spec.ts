import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { INTERVALS } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { DAY_MS, type EnrichedVisit, HOUR_MS, hourOf, type InstantRange } from '@hopcount/ledger';
import { dayOf } from '../range/intervals.js';
import {
  bruteForce,
  bruteForceSeries,
  openLedger,
  randomHistory,
  randomSource,
  randomVisit,
} from '@hopcount/ledger/spec-helpers';
import { ReadArchive } from '../archive.spec-helpers.js';
import type { LinkStatisticsQuery } from './link-statistics-reader.js';

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
  let files: ReadArchive;
  let commit: Awaited<ReturnType<typeof openLedger>>;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'reader-spec', poolSize: 3 });
    files = new ReadArchive(database);
  });
  afterAll(async () => {
    await files.close();
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_totals,
      link_folds, link_dimensions, consumer_checkpoints, archive_files CASCADE`);
    commit = await openLedger(database);
  });

  async function expectExact(
    visits: readonly EnrichedVisit[],
    query: InstantRange & Pick<LinkStatisticsQuery, 'timeZone' | 'interval'>,
  ) {
    const answer = await files.reader.read({ linkId: LINK, ...query });
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

  it.each(PLACES)(
    'are exact in %s around %s with no, some, outdated and all hours in files',
    async (timeZone, around) => {
      const random = randomSource(Date.parse(around) % 1_000_003);
      const middle = Date.parse(around);
      const span = { from: middle - 4 * DAY_MS, to: middle + 4 * DAY_MS };
      const days = [-2, -1, 0, 1, 2].map((n) => dayOf(middle + n * DAY_MS, timeZone).from);
      const edges = [...days, middle, middle - HOUR_MS, middle + HOUR_MS];
      // Each hour is a file: those at the edges, and few others.
      const hours = new Set(edges.flatMap((edge) => [hourOf(edge), hourOf(edge - 1)]));
      const isIn = ({ occurredAtMs: at }: EnrichedVisit) => hours.has(hourOf(at)) || (hourOf(at) / HOUR_MS) % 24 === 0;
      let visits = randomHistory(random, LINK, span, 900, edges).filter(isIn);
      await commit(visits);
      await commit(randomHistory(random, '4712', span, 50));
      const check = async () => {
        for (const interval of [random.pick(INTERVALS), random.pick(INTERVALS)]) {
          const from = random.pick([random.pick(edges), span.from + random.below(3 * DAY_MS)]);
          const to = from + random.pick([DAY_MS, 3 * DAY_MS, random.below(5 * DAY_MS)]);
          await expectExact(visits, { from, to, timeZone, interval });
        }
        const all = await expectExact(visits, { ...span, timeZone: random.pick(PLACES)[0], interval: 'day' });
        return all.readFrom;
      };
      expect(await check()).toMatchObject({ archivedVisits: 0, ledgerVisits: visits.length });
      await files.seal(hourOf(middle));
      const { archivedVisits, ledgerVisits } = await check();
      expect(Math.min(archivedVisits, ledgerVisits)).toBeGreaterThan(0);
      const late = randomHistory(random, LINK, span, 40, edges).filter(isIn);
      expect((await commit([...late, ...visits.slice(0, 100)])).inserted).toHaveLength(late.length);
      visits = [...visits, ...late];
      await check();
      await files.seal(hourOf(span.to) + HOUR_MS);
      expect(await check()).toMatchObject({ archivedVisits: visits.length, ledgerVisits: 0 });
    },
  );

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
    const answer = await files.reader.read({ ...query, to: from + 2 * DAY_MS });
    expect(answer.series).toEqual([
      { start: '2030-01-01T00:00:00+00:00', visits: 0, visitors: 0, ips: 0 },
      { start: '2030-01-02T00:00:00+00:00', visits: 0, visitors: 0, ips: 0 },
    ]);
    expect(answer.totals).toMatchObject({ visits: 0, visitors: 0, ips: 0 });
    expect((await files.reader.read({ ...query, to: from })).series).toEqual([]);
  });

  it('are those of files where these hold what was counted, and never those of a file that a late visit outdated', async () => {
    const from = Date.parse('2026-05-01T00:00:00Z');
    const random = randomSource(9);
    const span = { from, to: from + 5 * DAY_MS };
    const visits = randomHistory(random, LINK, span, 300);
    await commit(visits);
    await files.seal(span.to);
    const query = { ...span, timeZone: 'UTC', interval: 'day' as const };
    const { readFrom } = await expectExact(visits, query);
    expect(readFrom).toEqual({ archivedVisits: 300, hourFolds: 0, ledgerVisits: 0 });
    const late = randomVisit(random, LINK, from + DAY_MS);
    await commit([late]);
    const inItsHour = visits.filter(({ occurredAtMs }) => hourOf(occurredAtMs) === from + DAY_MS).length;
    expect((await expectExact([...visits, late], query)).readFrom.ledgerVisits).toBe(inItsHour + 1);
    expect(await files.seal(span.to)).toBe(1);
    expect((await expectExact([...visits, late], query)).readFrom.archivedVisits).toBe(301);
  });
});
