import { eventIdTimeMs } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { newEventId, type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { VisitCommitter } from '../commit/visit-committer.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { countUncounted } from '../reconcile/count-uncounted.js';
import { closeMonth, openMonth } from './ledger-months.js';
import { LedgerRetention, type MonthArchive } from './ledger-retention.js';

const NOW = Date.UTC(2026, 5, 15);
const OLD = Date.UTC(2025, 0, 20);

describe('the retention after a drop', () => {
  let at: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    at = await testDatabase();
    database = await Database.connect({ url: at.url, applicationName: 'test' });
    await at.query("SELECT create_visit_partitions('2025-01-01Z', '2026-06-01Z')");
    const visits = [OLD, OLD + 1].map((atMs) => enrichedVisit({ atMs }));
    const ref = { group: 'g', topic: 't', partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'test');
    await new VisitCommitter(database, { slots: 8 }).commit({ checkpoint, nextOffset: 4n, lastRecordAtMs: 1, visits });
  });
  afterEach(async () => {
    await database.close();
    await at.drop();
  });

  /** Says of every month that it holds it. */
  const holdsAll: MonthArchive = { examine: () => Promise.resolve({ confirm: () => Promise.resolve(undefined) }) };
  const retention = (ledgerDays: number) => new LedgerRetention(database, { ledgerDays, archive: holdsAll });
  const expire = (days: number) => retention(days).dropMonths(NOW);

  it('leaves of refused visits of a dropped month those that were never counted', async () => {
    const [counted] = await at.query<{ event_id: string; occurred_at: Date }>(
      'SELECT event_id, occurred_at FROM visits ORDER BY occurred_at LIMIT 1',
    );
    const refused = newEventId(OLD + 3);
    const insert = "INSERT INTO refused_visits VALUES ($1, $2, 'gw', 'unstorable')";
    await at.query(insert, [counted!.occurred_at, counted!.event_id]);
    await at.query(insert, [new Date(eventIdTimeMs(refused)), refused]);
    const uncounted = () => countUncounted(database, { from: OLD - 60_000, to: OLD + 60_000 });
    expect(await uncounted()).toBe(1);
    await expire(400);
    await retention(400).deleteRows(NOW);
    expect([await uncounted(), await at.query('SELECT event_id FROM refused_visits')]).toEqual([
      1,
      [{ event_id: refused }],
    ]);
  });

  it('names months that LEDGER_DAYS covers and that take no visits: it was raised since they were dropped or closed', async () => {
    const names = async (days: number) =>
      (await retention(days).shutMonths(NOW)).map((month) => new Date(month).toISOString().slice(0, 7));
    expect(await names(600)).toEqual([]);
    const april = { name: 'visits_2025_04', fromMs: Date.UTC(2025, 3), toMs: Date.UTC(2025, 4) };
    await closeMonth(database, april);
    expect([await names(400), await names(600)]).toEqual([[], ['2025-04']]);
    await openMonth(database, april.fromMs);
    await expire(400);
    expect([await names(400), await names(440), await names(500)]).toEqual([
      [],
      ['2025-04', '2025-03'],
      ['2025-04', '2025-03', '2025-02', '2025-01'],
    ]);
  });
});
