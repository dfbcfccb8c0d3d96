import { isPotentialBot, ORPHAN_VISIT_TYPES, UNKNOWN, VISIT_CLASSES } from '@hopcount/contracts';
import { Database, loadSql } from '@hopcount/postgres';
import { newEventId, type TestDatabase, testDatabase, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { OwnedCheckpoint } from '../commit/checkpoint.js';
import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import type { EnrichedOrphan } from './enriched-orphan.js';
import { OrphanCommitter } from './orphan-committer.js';
import { OrphanPurger } from './orphan-purger.js';
import { orphanTotals, repairOrphanSlots } from './orphan-totals.js';

const DELETE_ORPHANS = loadSql(import.meta.url, 'sql/delete-orphans.sql');
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
  let committer: OrphanCommitter;
  let owned: OwnedCheckpoint[];

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'orphans-spec', poolSize: 6 });
    committer = new OrphanCommitter(database, { slots: 100 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  const reset = async () => {
    await server.query('TRUNCATE orphan_visits, orphan_visit_slots, consumer_checkpoints');
    await server.query(`UPDATE orphan_horizon SET purged_before = '-infinity'`);
    const checkpoints = new PartitionCheckpoints(database);
    const take = (partition: number) => checkpoints.takeOwnership({ group: 'g', topic: 'o', partition }, 'spec');
    owned = [await take(0), await take(1), await take(2)];
  };
  beforeEach(reset);

  const commit = async (partition: number, visits: EnrichedOrphan[]) => {
    const checkpoint = owned[partition]!;
    const result = await committer.commit({
      ...{ checkpoint, nextOffset: checkpoint.nextOffset + BigInt(visits.length), lastRecordAtMs: null },
      visits,
    });
    owned[partition] = result.checkpoint;
    return result.inserted;
  };
  const rows = async () =>
    (await server.query<{ event_id: string }>('SELECT event_id FROM orphan_visits ORDER BY event_id')).map(
      (row) => row.event_id,
    );
  const sums = async () => [await orphanTotals(database, 'slots'), await orphanTotals(database, 'rows')];
  const idsOf = (orphans: EnrichedOrphan[]) => orphans.map(({ eventId }) => eventId).sort();

  it('count once in any history of batches, copies, deletions and repairs; slots are the rows at any time', async () => {
    const at = fc.integer({ min: 0, max: SPAN_MS - 1 });
    const partition = fc.nat(2);
    const step = fc.oneof(
      fc.record({ do: fc.constant('commit' as const), partition, at: fc.array(at, { maxLength: 30 }) }),
      fc.record({ do: fc.constant('repeat' as const), partition, nth: fc.nat(20) }),
      fc.record({ do: fc.constant('purge' as const), at }),
      fc.record({ do: fc.constant('repair' as const) }),
    );
    const met = { purged: 0, keptOut: 0, copies: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        await reset();
        const batches: EnrichedOrphan[][] = [];
        let kept = new Map<string, EnrichedOrphan>();
        let mark = 0;
        for (const one of steps) {
          if (one.do === 'commit' || one.do === 'repeat') {
            const batch =
              one.do === 'repeat'
                ? (batches[one.nth % Math.max(1, batches.length)] ?? [])
                : one.at.map((ms, index) =>
                    orphanAt(FROM + ms, {
                      class: VISIT_CLASSES[index % VISIT_CLASSES.length]!,
                      type: ORPHAN_VISIT_TYPES[index % 3]!,
                    }),
                  );
            batches.push(batch);
            const inserted = await commit(one.partition, [...batch, ...batch.slice(0, 2)]);
            const fresh = batch.filter(
              ({ eventId, occurredAtMs }) => !kept.has(eventId) && occurredAtMs >= FROM + mark,
            );
            expect(inserted.sort()).toEqual(idsOf(fresh));
            met.copies += batch.filter(({ eventId }) => kept.has(eventId)).length;
            met.keptOut += batch.filter(({ occurredAtMs }) => occurredAtMs < FROM + mark).length;
            for (const orphan of fresh) kept.set(orphan.eventId, orphan);
          } else if (one.do === 'purge') {
            mark = Math.max(mark, one.at);
            const left = [...kept].filter(([, { occurredAtMs }]) => occurredAtMs >= FROM + mark);
            const purger = new OrphanPurger(database, { hasSlots: true, rowsPerTransaction: 7 });
            expect(await purger.purge({ beforeMs: FROM + one.at })).toBe(kept.size - left.length);
            met.purged += kept.size - left.length;
            kept = new Map(left);
          } else expect(await repairOrphanSlots(database)).toBe(0);
        }
        expect(await rows()).toEqual(idsOf([...kept.values()]));
        const bots = [...kept.values()].filter((orphan) => isPotentialBot(orphan.class)).length;
        const total = { total: kept.size, nonBots: kept.size - bots, bots };
        expect(await sums()).toEqual([total, total]);
      }),
      { numRuns: 60 },
    );
    // How often each was met is chance (17 to hundreds); that it was is not.
    expect(Math.min(...Object.values(met))).toBeGreaterThan(0);
  }, 120_000);

  it('are written to the slot of their partition', async () => {
    await commit(0, [orphanAt(FROM)]);
    await commit(2, [orphanAt(FROM), orphanAt(FROM, { class: 'bot' })]);
    expect(await server.query('SELECT * FROM orphan_visit_slots ORDER BY 1, 2')).toEqual([
      { potential_bot: false, slot_id: 0, visits: '1' },
      { potential_bot: false, slot_id: 2, visits: '1' },
      { potential_bot: true, slot_id: 2, visits: '1' },
    ]);
    await new OrphanCommitter(database, { slots: 'off' }).commit({
      ...{ checkpoint: owned[1]!, nextOffset: 1n, lastRecordAtMs: null, visits: [orphanAt(FROM)] },
    });
    expect(await server.query('SELECT FROM orphan_visit_slots')).toHaveLength(3);
    expect((await orphanTotals(database, 'rows')).total).toBe(4);
  });

  it('leave nothing behind when the slots cannot be added, nor when another owner has the partition', async () => {
    const batch = [orphanAt(FROM), orphanAt(FROM)];
    await server.query('ALTER TABLE orphan_visit_slots ADD CONSTRAINT broken CHECK (visits < 2) NOT VALID');
    await expect(commit(0, batch)).rejects.toMatchObject({ driverError: { code: '23514' } });
    await server.query('ALTER TABLE orphan_visit_slots DROP CONSTRAINT broken');
    await new PartitionCheckpoints(database).takeOwnership({ group: 'g', topic: 'o', partition: 1 }, 'another');
    await expect(commit(1, batch)).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect([await rows(), (await sums())[0]?.total]).toEqual([[], 0]);
    expect(await commit(0, batch)).toHaveLength(2);
    expect(await server.query('SELECT next_offset FROM consumer_checkpoints ORDER BY partition')).toMatchObject([
      { next_offset: '2' },
      { next_offset: '0' },
      { next_offset: '0' },
    ]);
  });

  it('that PostgreSQL cannot hold are found, the others can be committed', async () => {
    const good = [orphanAt(FROM), orphanAt(FROM), orphanAt(FROM)];
    const bad = orphanAt(FROM, { path: '/\u0000' });
    expect(await committer.findUnstorable([good[0]!, bad, good[1]!, good[2]!])).toEqual([bad]);
  });

  it('under way when all are deleted are deleted too: the mark waits for their commit', async () => {
    let finish = () => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const orphan = orphanAt(Date.now() - 60_000);
    // What commit() does, held open between its insert and its COMMIT.
    const commitUnderWay = database.transaction(async (tx) => {
      await tx.query('SELECT purged_before FROM orphan_horizon FOR SHARE');
      await tx.query(
        `INSERT INTO orphan_visits (occurred_at, event_id, type, class, enrichment_version, domain, path, country, region,
           city, source) VALUES ($1, $2, 0, 0, 1, 's.test', '/', 'unknown', 'unknown', 'unknown', 'gw')`,
        [new Date(orphan.occurredAtMs).toISOString(), orphan.eventId],
      );
      await tx.query('INSERT INTO orphan_visit_slots VALUES (false, 5, 1)');
      locked();
      await held;
    });
    await isLocked;
    const purge = new OrphanPurger(database, { hasSlots: true }).purge();
    await waitUntil(
      async () =>
        (
          await server.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          )
        ).length > 0,
      { describe: 'the deletion waits for the commit' },
    );
    finish();
    await commitUnderWay;
    expect(await purge).toBe(1);
    expect(await commit(0, [orphan])).toEqual([]);
    expect(await sums()).toEqual([
      { total: 0, nonBots: 0, bots: 0 },
      { total: 0, nonBots: 0, bots: 0 },
    ]);
  });

  it('are all gone when two delete at once: who waits for the rows of the other goes on with the next', async () => {
    const kept = FROM + 20;
    await commit(
      0,
      Array.from({ length: 25 }, (_, index) => orphanAt(FROM + index, { class: index % 2 === 0 ? 'human' : 'bot' })),
    );
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let hold = () => {};
    const held = new Promise<void>((resolve) => (hold = resolve));
    // The minute job, held open in its first transaction: the oldest rows are deleted, and not committed.
    const job = database.transaction(async (tx) => {
      const values = [new Date(kept).toISOString(), 5, BOT_CLASSES];
      const [gone] = await tx.query<{ people: number; bots: number }>(DELETE_ORPHANS, values);
      await tx.query('UPDATE orphan_visit_slots SET visits = visits - $1 WHERE NOT potential_bot', [gone?.people]);
      await tx.query('UPDATE orphan_visit_slots SET visits = visits - $1 WHERE potential_bot', [gone?.bots]);
      hold();
      await released;
      return gone;
    });
    await held;
    const request = new OrphanPurger(database, { hasSlots: true, rowsPerTransaction: 5 }).purge({ beforeMs: kept });
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await waitUntil(async () => (await server.query(waiting)).length > 0, {
      describe: 'the request waits for rows of the job',
    });
    release();
    expect(await job).toEqual({ people: 3, bots: 2 });
    expect(await request).toBe(15);
    expect(await server.query('SELECT FROM orphan_visits WHERE occurred_at < $1', [new Date(kept)])).toEqual([]);
    expect((await sums()).map(({ total }) => total)).toEqual([5, 5]);
  });

  it('stay exact when a deletion is cut short, and the next one goes on', async () => {
    await commit(
      0,
      Array.from({ length: 20 }, (_, index) => orphanAt(FROM + index)),
    );
    const stop = new AbortController();
    stop.abort();
    const purger = new OrphanPurger(database, { hasSlots: true, rowsPerTransaction: 5 });
    await expect(purger.purge({ signal: stop.signal })).rejects.toMatchObject({ code: 'purge-unfinished' });
    expect((await sums()).map(({ total }) => total)).toEqual([20, 20]);
    expect(await purger.purge({ beforeMs: FROM })).toBe(20);
  });

  it('are held against their slots by verify, and repaired by the difference', async () => {
    await commit(0, [orphanAt(FROM), orphanAt(FROM, { class: 'preview' })]);
    const verifier = new StatisticsVerifier(database);
    expect(await verifier.verify()).toMatchObject({ differences: [], checked: { orphanVisits: 2 } });
    await server.query('UPDATE orphan_visit_slots SET visits = visits + 3 WHERE potential_bot');
    expect((await verifier.verify()).differences).toEqual([
      { check: 'orphan-slots', linkId: null, unit: 'bots', expected: 1, actual: 4 },
    ]);
    expect((await verifier.verify({ slots: 'off' })).differences).toEqual([]);
    expect((await verifier.verify({ linkId: '1' })).differences).toEqual([]);
    expect(await repairOrphanSlots(database)).toBe(1);
    await server.query('DELETE FROM orphan_visit_slots');
    expect(await repairOrphanSlots(database)).toBe(2);
    expect((await verifier.verify()).differences).toEqual([]);
  });
});
