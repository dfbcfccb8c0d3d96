import { eventIdTimeMs } from '@hopcount/contracts';
import { Database, postgresErrorCode, type Transaction } from '@hopcount/postgres';
import { newEventId, type TestDatabase, testDatabase, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { VisitCommitter } from '../commit/visit-committer.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { deleteBefore } from './delete-before.js';
import { closeMonth, openMonth } from './ledger-months.js';
import { LedgerRetention, type MonthArchive } from './ledger-retention.js';

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

  /** Says of every month that it holds it. */
  const holdsAll: MonthArchive = { examine: () => Promise.resolve({ confirm: () => Promise.resolve(undefined) }) };
  const retention = (ledgerDays: number, archive: MonthArchive | undefined = holdsAll) =>
    new LedgerRetention(database, { ledgerDays, archive });
  const expire = (days: number, archive = holdsAll) => retention(days, archive).dropMonths(NOW);
  const dropped = (...names: string[]) => names.map((month) => ({ month, kept: null }));

  const months = async () => {
    const rows = await at.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname ~ '^visits_2025' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };
  const visitsLeft = () => at.query('SELECT count(*)::int AS visits FROM visits');

  it('drops months beyond the retention that the archive holds, and leaves the rest', async () => {
    expect(await expire(400)).toEqual(dropped('2025-01', '2025-02', '2025-03', '2025-04'));
    expect(await months()).toEqual(['visits_2025_05']);
    expect(await at.query('SELECT sum(visits)::int AS visits FROM link_traffic')).toEqual([{ visits: 4 }]);
    expect(await visitsLeft()).toEqual([{ visits: 1 }]);
    expect(await at.query('SELECT kept_from FROM ledger_retention')).toEqual([{ kept_from: new Date('2025-05-01Z') }]);
    // What is left is still consistent, and a second run finds nothing to do.
    expect(await expire(400)).toEqual([]);
    // Verification knows where the ledger begins now: what was dropped in good order is no difference.
    const { differences } = await new StatisticsVerifier(database).verify();
    expect(differences).toEqual([]);
  });

  it('drops nothing that is young enough, and nothing at all without an archive', async () => {
    expect(await expire(600)).toEqual([]);
    const alone = new LedgerRetention(database, { ledgerDays: 400 });
    expect(await alone.dropMonths(NOW)).toEqual([]);
    expect((await alone.overdueMonths(NOW)).map(({ name }) => name)).toEqual(['visits_2025_01']);
    expect([(await months()).length, await visitsLeft()]).toEqual([5, [{ visits: 4 }]]);
  });

  it('keeps a month the archive does not hold, and those after it, and says why', async () => {
    const seen: string[] = [];
    const archive: MonthArchive = {
      examine: (month) => {
        seen.push(new Date(month.from).toISOString().slice(0, 7));
        return Promise.resolve(
          seen.length === 2 ? { keep: 'an hour is missing' } : { confirm: () => Promise.resolve(undefined) },
        );
      },
    };
    expect(await expire(400, archive)).toEqual([
      ...dropped('2025-01'),
      { month: '2025-02', kept: 'an hour is missing' },
    ]);
    expect(seen).toEqual(['2025-01', '2025-02']);
    expect(await months()).toHaveLength(4);
  });

  it('keeps a month of which the archive changes its mind in the transaction that would drop it', async () => {
    const confirm = (tx: Transaction) =>
      tx.query('SELECT FROM visits_2025_01').then((rows) => (rows.length === 3 ? 'files were merged' : undefined));
    expect(await expire(400, { examine: () => Promise.resolve({ confirm }) })).toEqual([
      { month: '2025-01', kept: 'files were merged' },
    ]);
    expect(await visitsLeft()).toEqual([{ visits: 4 }]);
  });

  it.each([false, true])(
    'keeps a month that was opened while it was looked at, also when it is closed again: %s',
    async (again) => {
      const examine = async ({ from, to }: { from: number; to: number }) => {
        expect(await openMonth(database, from + 5)).toBe(true);
        await commitVisits([from + 5]);
        if (again) await closeMonth(database, { name: 'visits_2025_01', fromMs: from, toMs: to });
        return { confirm: () => Promise.resolve(undefined) };
      };
      expect(await expire(400, { examine })).toEqual([{ month: '2025-01', kept: 'it was opened meanwhile' }]);
      expect(await visitsLeft()).toEqual([{ visits: 5 }]);
      // Of a month there never was one is made; one that was dropped cannot be opened.
      expect(await openMonth(database, Date.UTC(2019, 3, 5))).toBe(true);
      expect(await at.query("SELECT to_regclass('visits_2019_04') IS NOT NULL AS made")).toEqual([{ made: true }]);
      await expire(400);
      expect(await openMonth(database, OLD)).toBe(false);
    },
  );

  it('drops nothing while an import is under way', async () => {
    await at.query("INSERT INTO imports (source, name, state) VALUES ('csv', 'x', 'waiting')");
    expect(await expire(400)).toEqual([{ month: '2025-01', kept: 'an import is under way' }]);
    await at.query("UPDATE imports SET state = 'done'");
    expect(await expire(400)).toEqual(dropped('2025-01', '2025-02', '2025-03', '2025-04'));
  });

  it.each([
    ["INSERT INTO imports (source, name, state) VALUES ('csv', 'x', 'running')", 'an import is under way'],
    ["UPDATE ledger_retention SET restored_until = '2030-01-01Z'", 'a month was restored'],
  ])('drops nothing that an import began to need while it was looked at: %s', async (begin, why) => {
    await expire(490);
    expect((await months())[0]).toBe('visits_2025_02');
    const examine = async () => {
      await at.query(begin);
      return { confirm: () => Promise.resolve(undefined) };
    };
    expect(await expire(400, { examine })).toEqual([{ month: '2025-02', kept: expect.stringContaining(why) }]);
    expect((await months())[0]).toBe('visits_2025_02');
  });

  it('counts no visit of a month that is being looked at, or was dropped: PostgreSQL refuses it', async () => {
    const refused = async (atMs: number) => {
      const visit = enrichedVisit({ atMs });
      const error: unknown = await commitVisits([atMs]).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      const unstorable = await new VisitCommitter(database, { slots: 8 }).findUnstorable([visit]);
      return [postgresErrorCode(error), unstorable.length];
    };
    let whileLookedAt: unknown;
    const archive: MonthArchive = {
      examine: async ({ from }) => {
        whileLookedAt ??= await refused(from + 1);
        return { confirm: () => Promise.resolve(undefined) };
      },
    };
    await expire(400, archive);
    expect(whileLookedAt).toEqual(['23514', 1]);
    expect(await refused(OLD)).toEqual(['23514', 1]);
    expect(await refused(Date.UTC(2024, 0, 1))).toEqual(['23514', 1]);
    // Nor does its partition come back.
    await at.query("SELECT create_visit_partitions('2025-01-01Z', '2025-05-01Z')");
    expect(await months()).toEqual(['visits_2025_05']);
    await commitVisits([Date.UTC(2025, 4, 4)]);
    expect(await visitsLeft()).toEqual([{ visits: 2 }]);
  });

  it('waits for whoever is still adding to the month: the archive is asked when it is counted', async () => {
    let goOn = () => {};
    const released = new Promise<void>((resolve) => (goOn = resolve));
    let begun = () => {};
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const adding = database.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO visits SELECT (jsonb_populate_record(visit, jsonb_build_object('event_id', $1::text))).*
         FROM visits AS visit WHERE occurred_at < '2025-02-01Z' LIMIT 1`,
        [newEventId(OLD)],
      );
      begun();
      await released;
    });
    await hasBegun;
    let found: unknown;
    const archive: MonthArchive = {
      examine: async () => {
        found ??= await at.query('SELECT count(*)::int AS visits FROM visits_2025_01');
        return { keep: 'only looking' };
      },
    };
    const looking = retention(400, archive).dropMonths(NOW, { attempts: 20, pauseMs: 10 });
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await waitUntil(async () => (await at.query(waiting)).length > 0, { describe: 'the month is to be closed' });
    goOn();
    await Promise.all([adding, looking]);
    expect(found).toEqual([{ visits: 4 }]);
  });

  it('keeps a month while visits of it are purged, and while a restored one is to be kept', async () => {
    await at.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
    await at.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT link, id, link::text, 'https://example.com/' FROM domains, unnest('{1001,77}'::bigint[]) AS link`,
    );
    await at.query("INSERT INTO unfinished_purges (link_id, purged_before) VALUES (1001, '2025-01-25Z'), (77, now())");
    expect(await expire(400)).toEqual([{ month: '2025-01', kept: 'visits of it are being purged' }]);
    await at.query('DELETE FROM unfinished_purges WHERE link_id = 1001');
    await at.query(
      "INSERT INTO erasures (person, hash, occurred_from, occurred_before) VALUES ('visitor', 1, '-infinity', now())",
    );
    expect(await expire(450)).toEqual([{ month: '2025-01', kept: 'people are being erased from it' }]);
    // Killed, or never to be finished.
    await at.query("UPDATE erasures SET started_at = now() - interval '25 hours'");
    expect(await expire(450)).toEqual(dropped('2025-01', '2025-02'));
    await at.query("UPDATE ledger_retention SET restored_until = now() + interval '1 day'");
    expect(await expire(400)).toEqual([{ month: '2025-03', kept: expect.stringContaining('is kept until 2') }]);
    await at.query("UPDATE ledger_retention SET restored_until = now() - interval '1 day'");
    expect(await expire(400)).toEqual(dropped('2025-03', '2025-04'));
  });

  it('keeps a month beside visits that no month covers: they would lie before the first one that is kept', async () => {
    await commitVisits([Date.UTC(2024, 0, 1)]);
    expect(await expire(400)).toEqual([{ month: '2025-01', kept: expect.stringContaining('visits_default') }]);
  });

  it('lets two workers drop the same months at once: Redis may be away', async () => {
    await Promise.all([expire(400), expire(400)]);
    expect(await months()).toEqual(['visits_2025_05']);
    expect(await at.query('SELECT kept_from FROM ledger_retention')).toEqual([{ kept_from: new Date('2025-05-01Z') }]);
  });

  it('deletes rows about visits of a dropped month, in small transactions, and verify finds nothing wrong', async () => {
    const purge = 'INSERT INTO purged_visits SELECT $1, $2, 1, source FROM source_traffic LIMIT 1';
    for (const minute of [OLD, Date.UTC(2025, 4, 3)]) {
      const [time, purged, refused] = [new Date(minute), newEventId(minute + 5), newEventId(minute)];
      await database.query(purge, [new Date(eventIdTimeMs(purged)), purged]);
      await database.query(
        `UPDATE source_traffic SET visits = visits + 1, checksum = checksum # event_checksum($2)
         WHERE minute = date_trunc('minute', $1::timestamptz)`,
        [time, purged],
      );
      await database.query("INSERT INTO refused_visits VALUES ($1, $2, 'gw', 'unstorable')", [time, refused]);
      await database.query(
        `INSERT INTO erasures (person, hash, occurred_from, occurred_before, erased_at) VALUES ('ip', 1, '-infinity', $1, now())
         ON CONFLICT (person, hash, occurred_from) DO NOTHING`,
        [time],
      );
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
    expect(deleted).toEqual({ source_traffic: 2, source_audits: 2, purged_visits: 1, erasures: 1 });
    expect(await clean()).toEqual([]);
    expect(await retention(400).deleteRows(NOW)).toEqual({});
    const left = await at.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM source_traffic UNION ALL SELECT count(*)::int FROM source_audits
       UNION ALL SELECT count(*)::int FROM refused_visits UNION ALL SELECT count(*)::int FROM purged_visits`,
    );
    // Refused visits stay uncounted for 400 days.
    expect(left.map(({ n }) => n)).toEqual([1, 1, 2, 1]);
    await database.query(`UPDATE refused_visits SET refused_at = now() - interval '401 days'`);
    expect(await retention(400).deleteRows(NOW)).toEqual({ refused_visits: 1 });
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
});
