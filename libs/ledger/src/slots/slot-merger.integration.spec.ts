import type { Database } from '@hopcount/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { HOUR_MS } from '../buckets.js';
import type { EnrichedVisit } from '../commit/enriched-visit.js';
import { pinSlots } from '../heat/pin-slots.js';
import { randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { Ledger, noLock, pausePoint, pausingBeforeCommit } from '../ledger.spec-helpers.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { LedgerRebuild } from '../rebuild/ledger-rebuild.js';
import { SlotMerger } from './slot-merger.js';

const NOON = Date.parse('2026-09-10T12:00:00Z');
const RANGE = { from: NOON, to: NOON + 2 * HOUR_MS };
const LATER = RANGE.to + 2 * HOUR_MS;
const PARTITIONS = 6;
const random = randomSource(41);

describe('slots of a hot link', () => {
  let ledger: Ledger;
  let lastLink = 2000;
  let link: string;

  beforeAll(async () => {
    ledger = await Ledger.open();
    await ledger.server.query(`INSERT INTO groups (id, name) VALUES ('g-1', '1'), ('g-2', '2')`);
  });
  afterAll(() => ledger.close());
  beforeEach(async () => {
    link = String((lastLink += 1));
    await ledger.addLink(link);
    await pinSlots(ledger.database, link, PARTITIONS);
  });

  const consumers = (slots: number | 'off' = 100, count = PARTITIONS) =>
    Promise.all(Array.from({ length: count }, () => ledger.consumer(slots)));
  const visits = (count: number) => randomHistory(random, link, RANGE, count);
  const merge = (nowMs = LATER) => new SlotMerger(ledger.database, { slots: 100 }).merge(nowMs);
  const slotsIn = async (table: string) =>
    (
      await ledger.server.query<{ slot_id: number }>(
        `SELECT DISTINCT slot_id FROM ${table} WHERE link_id = $1 ORDER BY slot_id`,
        [link],
      )
    ).map((row) => row.slot_id);

  /** A consumer whose commits stop before COMMIT, with all their row locks. */
  async function pausedConsumer() {
    const point = pausePoint();
    return { point, commit: await ledger.consumer(100, pausingBeforeCommit(ledger.database, point)) };
  }

  it('keep commits of two partitions from waiting for each other, in every table they add to', async () => {
    const [first] = await consumers(100, 1);
    await first!(visits(50));
    const { point, commit } = await pausedConsumer();
    const holding = commit(visits(50));
    await point.reached;
    const impatient: Pick<Database, 'transaction'> = {
      transaction: (work) =>
        ledger.database.transaction(async (tx) => {
          await tx.query("SET LOCAL lock_timeout = '1s'");
          return work(tx);
        }),
    };
    const other = await ledger.consumer(100, impatient as Database);
    const outcome = await other(visits(50)).then(
      (result) => result.inserted.length,
      (error: Error) => error.message,
    );
    point.goOn();
    await holding;
    expect(outcome).toBe(50);
    expect(await ledger.differences()).toEqual([]);
  });

  it('are one row with SLOTS=off', async () => {
    for (const commit of await consumers('off')) await commit(visits(20));
    expect(await slotsIn('link_traffic')).toEqual([0]);
    expect(await ledger.count('link_visit_slots', link)).toBe(0);
    expect(await ledger.differences('off')).toEqual([]);
    await new LedgerRebuild(ledger.database).rebuildLinks([link]);
    expect(await ledger.differences()).toEqual([]);
  });

  it('are merged an hour after their bucket, those of the counter when the link has cooled', async () => {
    for (const commit of await consumers()) await commit(visits(60));
    const all = [...Array(PARTITIONS).keys()];
    expect(await slotsIn('link_traffic')).toEqual(all);
    expect(await merge(RANGE.from)).toEqual({ counters: 0, buckets: 0, scopes: 0, minutes: 0 });
    expect(await slotsIn('link_traffic')).toEqual(all);
    const merged = await merge();
    expect(Math.min(merged.buckets, merged.scopes, merged.minutes)).toBeGreaterThan(0);
    expect(merged.counters).toBe(0);
    expect(await slotsIn('link_traffic')).toEqual([0]);
    for (const table of ['scope_traffic', 'source_traffic']) {
      expect(await ledger.server.query(`SELECT FROM ${table} WHERE slot_id > 0`)).toEqual([]);
    }
    expect(await ledger.differences()).toEqual([]);
    await pinSlots(ledger.database, link, 2);
    expect((await merge()).counters).toBeGreaterThan(0);
    expect(await slotsIn('link_visit_slots')).toEqual([0, 1]);
    expect(await ledger.differences()).toEqual([]);
  });

  it('that a commit holds are left for the next run, and a slot that comes back is merged then', async () => {
    for (const commit of await consumers()) await commit(visits(60));
    const { point, commit } = await pausedConsumer();
    const holding = commit(visits(60));
    await point.reached;
    await merge();
    point.goOn();
    await holding;
    await merge();
    expect(await slotsIn('link_traffic')).toEqual([0]);
    expect(await ledger.differences()).toEqual([]);
  });

  it('stay exact while commits, late visits, merges, purges, rebuilds and changes of heat go on at once', async () => {
    const partitions = await consumers();
    const sent: EnrichedVisit[] = [];
    let running = true;
    const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true, visitsPerTransaction: 50 });
    const again = async (work: () => Promise<unknown>): Promise<unknown> =>
      work().catch((error: { driverError?: { code?: string } }) => {
        if (error.driverError?.code === '40P01') return again(work); // as consumer and purger do
        throw error;
      });
    const forever = async (work: () => Promise<unknown>) => {
      while (running) await again(work);
    };
    let purges = 0;
    const others = [
      forever(() => merge()),
      forever(() => pinSlots(ledger.database, link, 1 + random.below(PARTITIONS))),
      forever(() => new LedgerRebuild(ledger.database).rebuildLinks([link])),
      forever(() => new LedgerRebuild(ledger.database).rebuildScopes()),
      forever(() =>
        ledger.server.query('UPDATE links SET group_id = $2 WHERE id = $1', [link, random.pick(['g-1', 'g-2', null])]),
      ),
      forever(async () => {
        const beforeMs = RANGE.from + Math.min((purges += 1) * 60_000, HOUR_MS);
        await purger.purge(link, { beforeMs });
      }),
    ];
    const writing = partitions.map(async (commit) => {
      for (let n = 0; n < 25; n += 1) {
        const batch = visits(12);
        sent.push(...batch);
        await again(() => commit(batch));
      }
    });
    await Promise.all(writing).finally(() => (running = false));
    await Promise.all(others);
    await purger.purge(link, { beforeMs: RANGE.from + HOUR_MS });
    await merge();
    const kept = sent.filter((visit) => visit.occurredAtMs >= RANGE.from + HOUR_MS);
    expect(await ledger.eventIds(link)).toEqual(kept.map((visit) => visit.eventId).sort());
    expect(await slotsIn('link_traffic')).toEqual([0]);
    expect(await ledger.server.query('SELECT FROM link_traffic WHERE visits <= 0')).toEqual([]);
    expect(await ledger.server.query('SELECT FROM scope_traffic WHERE visits < 0 OR slot_id > 0')).toEqual([]);
    expect(await ledger.differences()).toEqual([]);
    expect(purges).toBeGreaterThan(2);
  });
});
