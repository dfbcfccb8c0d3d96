import { daysAt, enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { PartitionCheckpoints, StatisticsVerifier, UnitFolder, VisitCommitter } from '@hopcount/ledger';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createPartitionsJob } from './create-partitions.job.js';
import { createExpireVisitsJob } from './expire-visits.job.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const NOW = Date.UTC(2026, 5, 15);
const OLD = Date.UTC(2025, 0, 20);
const lease = { held: true, signal: new AbortController().signal, release: () => Promise.resolve(true) };

describe('expire-visits', () => {
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

  const expire = (retentionDays: number) =>
    createExpireVisitsJob({
      database,
      folder: new UnitFolder(database, { dayOf: daysAt(0) }),
      locks: { acquireRead: () => Promise.resolve(lease) },
      retentionDays,
      logger,
      nowMs: () => NOW,
    }).work(new AbortController().signal);

  const months = async () => {
    const rows = await at.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '^visits_2025' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };
  const folded = (unit: string) =>
    at.query('SELECT sum(visits)::int AS visits FROM link_folds WHERE unit = $1', [unit]);

  it('drops a month beyond the retention once all of it is folded, and leaves the rest', async () => {
    await expire(400);
    expect(await months()).toEqual(['visits_2025_05']);
    expect([await folded('hour'), await folded('day')]).toEqual([[{ visits: 3 }], [{ visits: 3 }]]);
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
    expect(await folded('day')).toEqual([{ visits: null }]);
  });

  it('keeps a month whose numbers do not agree', async () => {
    await at.query('UPDATE link_traffic SET visits = visits + 1 WHERE bucket < $1', [new Date(OLD + 3_600_000)]);
    await expire(400);
    expect(await months()).toHaveLength(5);
    expect(await at.query('SELECT count(*)::int AS visits FROM visits')).toEqual([{ visits: 4 }]);
  });

  it('create-partitions makes the months around now, again and again', async () => {
    const job = createPartitionsJob({ database, logger });
    await job.work(new AbortController().signal);
    await job.work(new AbortController().signal);
    const [row] = await at.query<{ made: boolean }>(
      "SELECT to_regclass('visits_' || to_char(now() AT TIME ZONE 'UTC', 'YYYY_MM')) IS NOT NULL AS made",
    );
    expect(row?.made).toBe(true);
  });
});
