import { eventIdTimeMs } from '@hopcount/contracts';
import { Database } from '@hopcount/postgres';
import { newEventId, type TestDatabase, testDatabase, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { VisitCommitter } from '../commit/visit-committer.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { deleteBefore } from './delete-before.js';
import { createMonths, missingMonths } from './ledger-months.js';
import { LedgerRetention } from './ledger-retention.js';

const NOW = Date.UTC(2026, 5, 15);
const OLD = Date.UTC(2025, 0, 20);

describe('the retention of the ledger', () => {
  let at: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    at = await testDatabase();
    database = await Database.connect({ url: at.url, applicationName: 'test' });
    await at.query("SELECT create_visit_partitions('2025-01-01Z', '2025-05-01Z')");
    await commitVisits([OLD, OLD + 1, OLD + 7_200_000, Date.UTC(2025, 4, 3)]);
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

  const retention = (days: number, notArchived = '') =>
    new LedgerRetention(database, ({ name }) => Promise.resolve(name !== notArchived), days);
  const expire = (days: number) => retention(days).dropMonths(NOW);

  const months = async () => {
    const rows = await at.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '^visits_2025' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };
  it('drops a month beyond the retention once all of it is archived, and leaves the rest', async () => {
    await expire(400);
    expect(await months()).toEqual(['visits_2025_05']);
    expect(await at.query('SELECT sum(visits)::int AS visits FROM link_traffic')).toEqual([{ visits: 4 }]);
    expect(await at.query('SELECT count(*)::int AS visits FROM visits')).toEqual([{ visits: 1 }]);
    expect(await at.query('SELECT kept_from FROM ledger_retention')).toEqual([{ kept_from: new Date('2025-05-01Z') }]);
    // What is left is still consistent, and a second run finds nothing to do.
    await expire(400);
    // Verification knows where the ledger begins now: what was dropped in good order is no difference.
    const { differences } = await new StatisticsVerifier(database).verify();
    expect(differences).toEqual([]);
  });

  it('drops nothing that is young enough', async () => {
    await expire(600);
    expect(await months()).toHaveLength(5);
  });

  it('keeps a month that is not archived, and those after it', async () => {
    expect(await retention(400, 'visits_2025_01').dropMonths(NOW)).toEqual([
      { month: 'visits_2025_01', dropped: false },
    ]);
    expect(await months()).toHaveLength(5);
    expect(await at.query('SELECT count(*)::int AS visits FROM visits')).toEqual([{ visits: 4 }]);
  });

  it('lets two workers drop the same months at once: Redis may be away', async () => {
    await Promise.all([expire(400), expire(400)]);
    expect(await months()).toEqual(['visits_2025_05']);
  });

  it('deletes rows about visits of a dropped month, in small transactions, and verify finds nothing wrong', async () => {
    const young = Date.UTC(2025, 4, 3);
    for (const minute of [OLD, young]) {
      const [purged, refused] = [newEventId(minute + 5), newEventId(minute)];
      await database.query('INSERT INTO purged_visits SELECT $1, $2, 1, source FROM source_traffic LIMIT 1', [
        new Date(eventIdTimeMs(purged)),
        purged,
      ]);
      await database.query(
        `UPDATE source_traffic SET visits = visits + 1, checksum = checksum # event_checksum($2)
         WHERE minute = date_trunc('minute', $1::timestamptz)`,
        [new Date(minute), purged],
      );
      await database.query("INSERT INTO refused_visits VALUES ($1, $2, 'gw', 'unstorable')", [
        new Date(minute),
        refused,
      ]);
    }
    await database.query(
      `INSERT INTO source_audits (source, minute, sequence, visits, checksum, answered, refused, in_doubt, final, status)
       SELECT source, minute, 1, visits, checksum, 0, 0, 0, true, 'equal' FROM source_traffic`,
    );
    await database.query(`INSERT INTO link_folds VALUES (1, $1, 1, 1, '{}', '{}', 1), (1, $2, 1, 1, '{}', '{}', 1)`, [
      new Date(NOW - 3 * 86_400_000),
      new Date(NOW),
    ]);
    const clean = async () => (await new StatisticsVerifier(database).verify()).differences;
    expect(await clean()).toEqual([]);
    expect(await retention(400).deleteRows(NOW)).toEqual({ link_folds: 1 });
    await expire(400);
    expect(await clean()).toEqual([]);
    const deleted = await retention(400).deleteRows(NOW);
    expect(deleted).toEqual({ source_traffic: 2, source_audits: 2, refused_visits: 1, purged_visits: 1 });
    expect(await clean()).toEqual([]);
    expect(await retention(400).deleteRows(NOW)).toEqual({});
    const left = await at.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM source_traffic UNION ALL SELECT count(*)::int FROM source_audits
       UNION ALL SELECT count(*)::int FROM refused_visits UNION ALL SELECT count(*)::int FROM purged_visits`,
    );
    expect(left.map(({ n }) => n)).toEqual([1, 1, 1, 1]);
  });

  it('goes through more rows than one transaction deletes', async () => {
    await database.query(
      `INSERT INTO source_traffic (source, minute, visits, checksum) SELECT 'gw', '2025-01-01Z'::timestamptz + n * interval '1 minute', 1, 0
       FROM generate_series(1, 12) AS n`,
    );
    const rows = await deleteBefore(database, { name: 'source_traffic', time: 'minute' }, '2025-01-01T00:11:00Z', {
      rowsPerTransaction: 3,
    });
    expect(rows).toBe(10);
  });

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

    it('is the same however often it is done', async () => {
      expect([await createMonths(database), await createMonths(database)]).toEqual([1, 0]);
    });
  });
});
