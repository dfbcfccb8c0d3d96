import {
  isPotentialBot,
  ORPHAN_TYPES_WITH_LINK,
  ORPHAN_VISIT_TYPES,
  UNKNOWN,
  VISIT_CLASSES,
} from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { newEventId, type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { EnrichedOrphan } from '../commit/enriched-visit.js';
import { orphanTotals, OrphanVisits } from './orphan-visits.js';

const FROM = Date.parse('2026-09-10T00:00:00Z');
const SPAN_MS = 1_000;

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
  let table: OrphanVisits;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'orphans-spec', poolSize: 6 });
    table = new OrphanVisits(database);
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  const reset = async () => {
    await server.query('TRUNCATE orphan_visits');
    await server.query(`UPDATE orphan_horizon SET purged_before = '-infinity'`);
  };
  beforeEach(reset);

  const rows = async () =>
    (await server.query<{ event_id: string }>('SELECT event_id FROM orphan_visits ORDER BY event_id')).map(
      (row) => row.event_id,
    );
  const idsOf = (orphans: EnrichedOrphan[]) => orphans.map(({ eventId }) => eventId).sort();

  it('count once in any history of batches, copies and deletions', async () => {
    const at = fc.integer({ min: 0, max: SPAN_MS - 1 });
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), at: fc.array(at, { maxLength: 30 }) }),
      fc.record({ do: fc.constant('repeat' as const), nth: fc.nat(20) }),
      fc.record({ do: fc.constant('purge' as const), at }),
    );
    const met = { purged: 0, keptOut: 0, copies: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        await reset();
        const batches: EnrichedOrphan[][] = [];
        let kept = new Map<string, EnrichedOrphan>();
        let mark = 0;
        for (const one of steps) {
          if (one.do === 'purge') {
            mark = Math.max(mark, one.at);
            const left = [...kept].filter(([, { occurredAtMs }]) => occurredAtMs >= FROM + mark);
            expect(await table.purge(Reach.everything, FROM + one.at)).toBe(kept.size - left.length);
            met.purged += kept.size - left.length;
            kept = new Map(left);
            continue;
          }
          const batch =
            one.do === 'repeat'
              ? (batches[one.nth % Math.max(1, batches.length)] ?? [])
              : one.at.map((ms, index) =>
                  orphanAt(FROM + ms, {
                    class: VISIT_CLASSES[index % VISIT_CLASSES.length]!,
                    type: ORPHAN_VISIT_TYPES[index % ORPHAN_VISIT_TYPES.length]!,
                  }),
                );
          batches.push(batch);
          const fresh = batch.filter(({ eventId, occurredAtMs }) => !kept.has(eventId) && occurredAtMs >= FROM + mark);
          expect(await table.add([...batch, ...batch.slice(0, 2)])).toBe(fresh.length);
          met.copies += batch.filter(({ eventId }) => kept.has(eventId)).length;
          met.keptOut += batch.filter(({ occurredAtMs }) => occurredAtMs < FROM + mark).length;
          for (const orphan of fresh) kept.set(orphan.eventId, orphan);
        }
        expect(await rows()).toEqual(idsOf([...kept.values()]));
        const withLink: readonly string[] = ORPHAN_TYPES_WITH_LINK;
        const counted = [...kept.values()].filter(({ type }) => !withLink.includes(type));
        const bots = counted.filter((orphan) => isPotentialBot(orphan.class)).length;
        expect(await orphanTotals(Reach.everything, database)).toEqual({
          total: counted.length,
          nonBots: counted.length - bots,
          bots,
        });
      }),
      { numRuns: 60 },
    );
    // How often each was met is chance (17 to hundreds); that it was is not.
    expect(Math.min(...Object.values(met))).toBeGreaterThan(0);
  }, 120_000);

  it('go by age, and beyond a number the oldest go, too: the table has an end', async () => {
    const orphans = Array.from({ length: 30 }, (_, index) => orphanAt(FROM + index));
    await table.add(orphans);
    expect(await table.expire({ beforeMs: FROM + 10, maxRows: 25 })).toBe(10);
    expect(await table.expire({ beforeMs: FROM + 10, maxRows: 5 })).toBe(15);
    expect(await rows()).toEqual(idsOf(orphans.slice(25)));
    expect(await table.expire({ beforeMs: FROM + 10, maxRows: 5 })).toBe(0);
  });

  it('that a batch under way adds behind a deletion go with the next expiry', async () => {
    const orphan = orphanAt(FROM);
    await table.add([orphan]);
    await server.query('UPDATE orphan_horizon SET purged_before = $1', [new Date(FROM + 1)]);
    expect(await table.expire({ beforeMs: 0, maxRows: 100 })).toBe(1);
    expect(await table.add([orphan])).toBe(0);
  });
});
