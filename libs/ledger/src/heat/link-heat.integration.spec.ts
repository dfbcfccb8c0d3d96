import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { VisitCommitter } from '../commit/visit-committer.js';
import { randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { SlotMerger } from '../slots/slot-merger.js';
import { measureSlotDrift } from '../slots/slot-drift.js';
import { slotStates } from '../slots/slot-states.js';
import { HOUR_MS } from '../buckets.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { LinkHeat } from './link-heat.js';
import { pinSlots } from './pin-slots.js';

const NOW = Date.parse('2026-09-10T12:40:00Z');
const RANGE = { from: NOW - 10 * 60_000, to: NOW };
const TIERS = [
  { heat: 40, slots: 4 },
  { heat: 200, slots: 16 },
];

describe('heat of links', () => {
  let server: TestDatabase;
  let database: Database;
  const random = randomSource(77);

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'heat-spec', poolSize: 10 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });
  beforeEach(async () => {
    await server.query(`TRUNCATE visits, host_changes, host_traffic, host_totals, link_traffic, scope_traffic, link_visit_slots, source_traffic, link_changes, link_heat,
      link_fold_deltas, consumer_checkpoints`);
  });

  const heat = (foldedAtMost = 1) => new LinkHeat(database, { aggregateFrom: 40, tiers: TIERS, foldedAtMost });
  const rows = (linkId = '1') =>
    server.query<{ bot: boolean; slot: number; visits: number }>(
      `SELECT potential_bot AS bot, slot_id AS slot, visits::int FROM link_visit_slots WHERE link_id = $1 ORDER BY 1, 2`,
      [linkId],
    );
  const mergeCounters = async () => (await new SlotMerger(database, { slots: 100 }).merge(NOW)).counters;
  const sum = async () => (await rows()).reduce((total, row) => total + row.visits, 0);

  /** One committer a partition, as two consumers would have them. */
  async function openPartitions(count: number, slots: number | 'off' = 100) {
    const committer = new VisitCommitter(database, { slots });
    return Promise.all(
      Array.from({ length: count }, async (_, partition) => {
        let checkpoint = await new PartitionCheckpoints(database).takeOwnership(
          { group: 'heat', topic: 'visits', partition },
          'spec',
        );
        return async (visits: ReturnType<typeof randomHistory>) => {
          const nextOffset = checkpoint.nextOffset + BigInt(visits.length);
          const result = await committer.commit({ checkpoint, nextOffset, lastRecordAtMs: NOW, visits });
          checkpoint = result.checkpoint;
        };
      }),
    );
  }

  it('gives a link more slots as it warms, and merges them when it cools', async () => {
    const partitions = await openPartitions(6);
    const visit = async (count: number) => {
      for (const commit of partitions) await commit(randomHistory(random, '1', RANGE, count));
    };
    await visit(7);
    expect(new Set((await rows()).map((row) => row.slot))).toEqual(new Set([0]));
    expect(await heat().measure(NOW)).toEqual({ hot: 1, folded: 1, changed: 1, busy: false });
    await visit(40);
    expect(new Set((await rows()).map((row) => row.slot))).toEqual(new Set([0, 1, 2, 3]));
    expect(await heat().measure(NOW)).toMatchObject({ changed: 1 });
    await visit(40);
    expect(new Set((await rows()).map((row) => row.slot))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    expect(await slotStates(database)).toMatchObject([{ linkId: '1', heat: 282, slots: 16, visits: 522, drift: 0 }]);
    const cooled = await heat().measure(NOW + 3 * HOUR_MS);
    expect(cooled).toMatchObject({ hot: 0, folded: 0, changed: 1 });
    expect(await mergeCounters()).toBeGreaterThan(4);
    expect((await rows()).map((row) => row.slot)).toEqual([0, 0]);
    expect(await sum()).toBe(6 * (7 + 40 + 40));
    expect(await server.query('SELECT FROM link_heat')).toHaveLength(0);
  });

  it('never has more slots than the setting says, and none to look at with SLOTS=off', async () => {
    await server.query(`INSERT INTO link_heat (link_id, heat, slots) VALUES (1, 9, 100)`);
    for (const commit of await openPartitions(6, 2)) await commit(randomHistory(random, '1', RANGE, 9));
    expect(new Set((await rows()).map((row) => row.slot))).toEqual(new Set([0, 1]));
    for (const commit of await openPartitions(6, 'off')) await commit(randomHistory(random, '1', RANGE, 9));
    expect(await sum()).toBe(54);
  });

  it('keeps the slots an operator has set, until heat decides again', async () => {
    const partitions = await openPartitions(6);
    const visit = async () => {
      for (const commit of partitions) await commit(randomHistory(random, '1', RANGE, 9));
    };
    const later = NOW + 3 * HOUR_MS; // cold by then
    expect(await pinSlots(database, '1', 5)).toBe(5);
    await heat().measure(later);
    await visit();
    expect(new Set((await rows()).map((row) => row.slot))).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(await slotStates(database)).toMatchObject([{ linkId: '1', slots: 5, pinnedSlots: 5, drift: 0 }]);
    await heat().measure(later);
    expect(await server.query('SELECT slots FROM link_heat')).toEqual([{ slots: 5 }]);
    expect(await pinSlots(database, '1', 2)).toBe(2);
    expect(await mergeCounters()).toBeGreaterThan(0);
    expect(new Set((await rows()).map((row) => row.slot))).toEqual(new Set([0, 1]));
    expect(await pinSlots(database, '1', null)).toBe(2);
    await heat().measure(later);
    await mergeCounters();
    expect((await rows()).every((row) => row.slot === 0)).toBe(true);
    expect(await sum()).toBe(54);
    expect(await slotStates(database, { linkId: '1' })).toMatchObject([{ slots: 1, pinnedSlots: null, drift: 0 }]);
  });

  it('sets slots up and down and merges them exactly while commits add to them', async () => {
    const partitions = await openPartitions(6);
    let running = true;
    let merged = 0;
    const change = async () => {
      for (let changes = 0; running; changes += 1) {
        await pinSlots(database, '1', 1 + (changes % 6));
        const report = await new SlotMerger(database, { slots: 100 }).merge(NOW + 3 * HOUR_MS);
        merged += report.counters + report.buckets + report.minutes;
      }
    };
    const changing = change();
    const writing = partitions.map(async (commit) => {
      for (let n = 0; n < 20; n += 1) await commit(randomHistory(random, '1', RANGE, 5));
    });
    await Promise.all(writing).finally(() => (running = false));
    await changing;
    expect(merged).toBeGreaterThan(20);
    expect(await sum()).toBe(6 * 20 * 5);
    expect(await slotStates(database)).toMatchObject([{ linkId: '1', drift: 0 }]);
    expect((await new StatisticsVerifier(database).verify()).differences.map(({ check }) => check)).not.toContain(
      'buckets',
    );
  });

  it('lets one process measure at a time', async () => {
    await database.transaction(async (tx) => {
      await tx.query("SELECT pg_advisory_xact_lock(hashtext('link-heat'))");
      expect(await heat().measure(NOW)).toMatchObject({ busy: true });
    });
  });

  it('reports drift', async () => {
    const [commit] = await openPartitions(1);
    await commit?.(randomHistory(random, '1', RANGE, 5));
    await server.query('UPDATE link_traffic SET bucket = bucket + (now() - (SELECT max(bucket) FROM link_traffic))');
    await server.query(`INSERT INTO link_traffic VALUES (2, date_trunc('hour', now()), 0, 0, 0, 0)`);
    expect(await measureSlotDrift(database)).toEqual({ links: 2, drift: 0 });
    await server.query('UPDATE link_visit_slots SET visits = visits - 3 WHERE NOT potential_bot');
    await server.query('INSERT INTO link_visit_slots VALUES (2, false, 0, 2)');
    expect(await measureSlotDrift(database)).toEqual({ links: 2, drift: 5 });
    // What one counter has too much and the other too little is drift all the same.
    await server.query('INSERT INTO link_visit_slots VALUES (1, true, 7, 3)');
    expect(await slotStates(database)).toMatchObject([{ linkId: '1', code: null, visits: 5, drift: 6 }]);
    expect(await slotStates(database, { linkId: '2' })).toMatchObject([{ linkId: '2', slots: 1, drift: 2 }]);
  });
});
