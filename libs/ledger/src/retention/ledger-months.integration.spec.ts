import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { VisitCommitter } from '../commit/visit-committer.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { createMonths, missingMonths } from './ledger-months.js';

describe('months of the ledger', () => {
  let at: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    at = await testDatabase();
    database = await Database.connect({ url: at.url, applicationName: 'test' });
  });
  afterEach(async () => {
    await database.close();
    await at.drop();
  });

  async function commitVisits(times: number[]): Promise<void> {
    const visits = times.map((atMs) => enrichedVisit({ atMs }));
    const ref = { group: 'g', topic: 't', partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'test');
    await new VisitCommitter(database, { slots: 8 }).commit({ checkpoint, nextOffset: 4n, lastRecordAtMs: 1, visits });
  }

  describe('making months', () => {
    let absent: string;

    beforeEach(async () => {
      await createMonths(database);
      const [row] = await at.query<{ name: string }>(
        "SELECT to_char((now() + interval '2 months') AT TIME ZONE 'UTC', 'YYYY_MM') AS name",
      );
      absent = row!.name;
      await at.query(`DROP TABLE visits_${absent}`);
    });

    it('gives up while somebody holds the ledger, so that commits go on, and succeeds at a later try', async () => {
      expect(await missingMonths(database)).toEqual([absent.replace('_', '-')]);
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      let hold = () => {};
      const held = new Promise<void>((resolve) => (hold = resolve));
      const reader = database.transaction(async (tx) => {
        await tx.query('SELECT FROM visits LIMIT 1');
        hold();
        await released;
      });
      await held;
      const making = createMonths(database, { attempts: 2, pauseMs: 100 });
      const failed = expect(making).rejects.toMatchObject({ driverError: { code: '55P03' } });
      const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      await waitUntil(async () => (await at.query(waiting)).length > 0, {
        describe: 'the creation waits for the reader',
      });
      await commitVisits([Date.now()]);
      await failed;
      expect(await missingMonths(database)).toEqual([absent.replace('_', '-')]);
      const again = createMonths(database, { attempts: 20, pauseMs: 10 });
      await waitUntil(async () => (await at.query(waiting)).length > 0, { describe: 'the next creation waits, too' });
      release();
      expect(await again).toBe(1);
      await reader;
      expect(await missingMonths(database)).toEqual([]);
    });

    it('goes back as far as LEDGER_DAYS', async () => {
      await createMonths(database, { ledgerDays: 200 });
      const [row] = await at.query<{ name: string | null }>(
        "SELECT to_regclass('visits_' || to_char((now() - interval '200 days') AT TIME ZONE 'UTC', 'YYYY_MM'))::text AS name",
      );
      expect(row?.name).toMatch(/^visits_\d{4}_\d{2}$/);
      const old = Date.now() - 199 * 86_400_000;
      await commitVisits([old]);
      expect(await at.query('SELECT FROM visits_default')).toEqual([]);
    });

    it('is the same however often it is done', async () => {
      expect([await createMonths(database), await createMonths(database)]).toEqual([1, 0]);
    });
  });
});
