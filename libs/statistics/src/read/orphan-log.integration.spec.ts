import type { GroupedBy, VisitFilter } from '@hopcount/archive';
import { ORPHAN_DIMENSIONS, ORPHAN_VISIT_TYPES, UNKNOWN, VISIT_CLASSES } from '@hopcount/contracts';
import { DAY_MS, type EnrichedOrphan, OrphanVisits } from '@hopcount/ledger';
import { randomSource } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { newEventId, type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { seriesStarts } from '../range/intervals.js';
import { LiveVisits } from '../scopes/live-visits.js';
import { VisitsStatisticsReader } from '../scopes/visits-statistics-reader.js';
import { OrphanLog } from './orphan-log.js';

const FROM = Date.parse('2026-09-10T12:00:00Z');

function orphanAt(atMs: number, more: Partial<EnrichedOrphan> = {}): EnrichedOrphan {
  const place = { country: UNKNOWN, region: UNKNOWN, city: UNKNOWN, latitude: null, longitude: null };
  return {
    ...{ eventId: newEventId(atMs), occurredAtMs: atMs, type: 'invalid_short_url', class: 'human' },
    ...{ domain: 's.test', path: '/x', ip: '1', clientIp: '203.0.113.0', ...place },
    ...{ referrer: null, userAgent: 'Firefox', truncated: [], source: 'gw', ...more },
  };
}

describe('orphan visits', () => {
  let server: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'orphan-log-spec' });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  it('are listed newest first, by time, type and bots', async () => {
    const orphans = [
      orphanAt(FROM, { type: 'base_url', path: '/' }),
      orphanAt(FROM + 1, { class: 'bot' }),
      orphanAt(FROM + 2, { type: 'regular_404', path: '/a/b', domain: 'o.test' }),
      orphanAt(FROM + 3, { type: 'blocked', path: '/evil' }),
      orphanAt(FROM + 4, { type: 'held_back', path: '/secret' }),
    ];
    await new OrphanVisits(database).add(orphans);
    const log = new OrphanLog(database);
    const list = async (query: Partial<Parameters<OrphanLog['page']>[0]>) => {
      const { visits, total } = await log.page({
        reach: Reach.everything,
        excludeBots: false,
        page: 1,
        itemsPerPage: 10,
        ...query,
      });
      return [total, ...visits.map(({ eventId }) => orphans.findIndex((orphan) => orphan.eventId === eventId))];
    };
    expect(await list({})).toEqual([3, 2, 1, 0]);
    expect(await list({ page: 2, itemsPerPage: 2 })).toEqual([3, 0]);
    expect(await list({ page: 3, itemsPerPage: 2 })).toEqual([3]);
    expect(await list({ excludeBots: true })).toEqual([2, 2, 0]);
    expect(await list({ type: 'regular_404' })).toEqual([1, 2]);
    expect(await list({ type: 'blocked' })).toEqual([1, 3]);
    expect(await list({ type: 'held_back' })).toEqual([1, 4]);
    expect(await list({ domain: 's.test' })).toEqual([2, 1, 0]);
    expect(await list({ domain: 's.test', type: 'regular_404' })).toEqual([0]);
    expect(await list({ from: FROM + 1, to: FROM + 2 })).toEqual([1, 1]);
    const { visits } = await log.page({
      reach: Reach.everything,
      excludeBots: false,
      type: 'base_url',
      page: 1,
      itemsPerPage: 1,
    });
    expect(visits[0]).toMatchObject({ domain: 's.test', path: '/', userAgent: 'Firefox', country: UNKNOWN });
  });

  it('are counted in any range, zone and filter as by hand', async () => {
    await server.query('TRUNCATE orphan_visits');
    const random = randomSource(7);
    const span = 3 * DAY_MS;
    const orphans = Array.from({ length: 300 }, () =>
      orphanAt(FROM + random.below(span), {
        type: random.pick(ORPHAN_VISIT_TYPES),
        class: random.pick(VISIT_CLASSES),
        domain: random.pick(['s.test', 'o.test']),
        path: random.pick(['/', '/a', "/it's"]),
        ip: random.pick(['1', '2', '3', null]),
        referrer: random.pick([null, 'https://a.test/x']),
        country: random.pick(['DE', 'FR', UNKNOWN]),
        city: random.pick(['Paris', UNKNOWN]),
      }),
    );
    await new OrphanVisits(database).add(orphans);
    const reader = new VisitsStatisticsReader(database, {
      visits: () => Promise.reject(new Error('not files')),
      unknown: () => Promise.reject(new Error('not files')),
    });
    const value = (orphan: EnrichedOrphan, of: GroupedBy): string => {
      if (of === 'referrerUrl') return orphan.referrer ?? '';
      const isPlace = (of === 'city' || of === 'region') && orphan[of] !== UNKNOWN && orphan.country !== UNKNOWN;
      return isPlace ? `${orphan[of]}, ${orphan.country}` : orphan[of as 'path'];
    };
    const sizes = (some: EnrichedOrphan[]) => ({
      visits: some.length,
      ips: new Set(some.flatMap(({ ip }) => ip ?? [])).size,
    });
    const met = { filtered: 0, withLink: 0 };
    for (let nth = 0; nth < 60; nth += 1) {
      const of = random.pick(ORPHAN_DIMENSIONS);
      const by = random.pick([...ORPHAN_DIMENSIONS, 'type', 'type'] as const);
      const filters: VisitFilter[] = Array.from({ length: random.below(2) }, () => ({
        ...{ dimension: by, values: [value(random.pick(orphans), by)], prefixes: by === 'path' ? ['/it'] : [] },
        isExcluded: random.below(3) === 0,
      }));
      const domain = random.pick([null, 's.test', 'no.test']);
      const [from, to] = [random.below(span), random.below(span)].sort((a, b) => a - b).map((at) => FROM + at);
      const range = { from: from!, to: to! };
      const query = {
        reach: Reach.everything,
        scope: { of: 'orphans', domain },
        filters,
        uniques: 'ips',
        ...range,
      } as const;
      const isLeftOut = ({ type }: EnrichedOrphan) =>
        ['blocked', 'held_back'].includes(type) &&
        !filters.some(({ values, isExcluded }) => !isExcluded && by === 'type' && values.includes(type));
      const passes = (orphan: EnrichedOrphan) =>
        filters.every(({ dimension, values, prefixes, isExcluded }) => {
          const found = value(orphan, dimension);
          return (values.includes(found) || prefixes.some((prefix) => found.startsWith(prefix))) !== isExcluded;
        });
      const inside = orphans.filter(
        (orphan) =>
          orphan.occurredAtMs >= range.from &&
          orphan.occurredAtMs < range.to &&
          (domain === null || orphan.domain === domain) &&
          !isLeftOut(orphan) &&
          passes(orphan),
      );
      met.filtered += filters.length > 0 && inside.length > 0 ? 1 : 0;
      met.withLink += inside.some(({ type }) => ['blocked', 'held_back'].includes(type)) ? 1 : 0;
      const { totals, ...state } = await reader.totals(query);
      const byClass = Object.fromEntries(
        VISIT_CLASSES.map((name) => [name, inside.filter((orphan) => orphan.class === name).length]),
      );
      expect([totals, state.unknown]).toEqual([{ ...sizes(inside), byClass }, []]);
      const starts = seriesStarts(range, 'day', 'Asia/Kolkata');
      const { points } = await reader.series(query, starts);
      const inPoint = (point: number) => (orphan: EnrichedOrphan) =>
        orphan.occurredAtMs >= starts[point]! && orphan.occurredAtMs < (starts[point + 1] ?? Infinity);
      expect(points).toEqual(starts.map((_, point) => sizes(inside.filter(inPoint(point)))));
      const page = { order: 'value', isAscending: true, offset: 0, limit: 100 } as const;
      const { rows, visits } = await reader.values(query, of, page);
      const names = [...new Set(inside.map((orphan) => value(orphan, of)))].sort();
      expect([visits, rows]).toEqual([
        inside.length,
        names.map((name) => ({ value: name, ...sizes(inside.filter((orphan) => value(orphan, of) === name)) })),
      ]);
    }
    expect(Math.min(...Object.values(met))).toBeGreaterThan(0);
  });

  it('are counted for those alone who reach them', async () => {
    const reader = new VisitsStatisticsReader(database, {
      visits: () => Promise.reject(new Error('not files')),
      unknown: () => Promise.reject(new Error('not files')),
    });
    const live = new LiveVisits(database);
    const now = FROM + DAY_MS;
    const count = async (reach: Reach, domain: string | null = null) => {
      const of = { reach, scope: { of: 'orphans', domain }, filters: [] } as const;
      const { totals } = await reader.totals({ ...of, from: FROM, to: FROM + 3 * DAY_MS, uniques: 'none' });
      const { counts } = await live.read([of], { nowMs: now, checkpointsOf: { group: 'g', topic: 't' } });
      return [totals.visits > 0, (counts[0]?.minutes30.visits ?? 0) > 0, counts[0]?.minutes5.visitors];
    };
    await new OrphanVisits(database).add([orphanAt(now - 1_000, { domain: 's.test' })]);
    const ofKey = { keyId: 1, authoredOnly: false, domain: { id: 9, authority: 'x.test' }, noOrphanVisits: false };
    expect(await count(Reach.everything)).toEqual([true, true, undefined]);
    expect(await count(Reach.ofGroups(['g']))).toEqual([false, false, undefined]);
    expect(await count(Reach.of(ofKey))).toEqual([false, false, undefined]);
    expect(await count(Reach.of(ofKey), 's.test')).toEqual([false, false, undefined]);
    expect(await count(Reach.of({ ...ofKey, domain: null, noOrphanVisits: true }))).toEqual([false, false, undefined]);
    const filtered = { reach: Reach.everything, scope: { of: 'orphans', domain: null } } as const;
    const ofPath = (path: string) => ({
      ...filtered,
      filters: [{ dimension: 'path', values: [path], prefixes: [], isExcluded: false } as const],
    });
    const { counts } = await live.read([ofPath('/x'), ofPath('/nobody')], {
      nowMs: now,
      checkpointsOf: { group: 'g', topic: 't' },
    });
    expect(counts.map(({ minutes5 }) => minutes5.visits)).toEqual([1, 0]);
  });
});
