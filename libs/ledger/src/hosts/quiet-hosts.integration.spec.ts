import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { waitUntil } from '@hopcount/testing';

import { bucketOf, HOUR_MS } from '../buckets.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { Ledger, noLock, pausePoint } from '../ledger.spec-helpers.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { LedgerRebuild } from '../rebuild/ledger-rebuild.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { HostFold, LOCK_FOLD } from './host-fold.js';
import { hostTotals } from './host-totals.spec-helpers.js';
import { QuietHosts } from './quiet-hosts.js';

const FROM = Date.parse('2026-09-01T00:00:00Z');
const RANGE = { from: FROM, to: FROM + 12 * HOUR_MS };

describe('quarters of hosts', () => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await Ledger.open();
    await ledger.addLink('1');
  });
  afterEach(() => ledger.close());

  it('without visits for 30 days leave the table that all else is in, and are added up with what comes later', async () => {
    const consume = await ledger.consumer();
    const fold = new HostFold(ledger.database);
    const quiet = new QuietHosts(ledger.database, { lookedAtOnce: 3 });
    const atMs = (days: number) => bucketOf(Date.now() - days * 24 * HOUR_MS) + 1_000;
    const visit = (targetHost: string, days: number) => enrichedVisit({ linkId: '1', atMs: atMs(days), targetHost });
    const old = [visit('old.test', 31), visit('old.test', 31), visit('old.test', 32), visit('new.test', 31)];
    await consume([...old, visit('new.test', 29)]);
    await fold.fold();
    const here = async () => {
      const rows = await ledger.server.query<{ name: string }>(
        `SELECT DISTINCT name FROM host_traffic JOIN hosts ON hosts.id = host_id WHERE hosts.kind = 0 ORDER BY 1`,
      );
      return rows.map(({ name }) => name);
    };
    expect(await quiet.move()).toMatchObject({ rows: 2 });
    expect([await here(), await quiet.move()]).toMatchObject([['test.new'], { rows: 0 }]);
    expect(await ledger.differences()).toEqual([]);
    // Late ones, one of a quarter that has left.
    await consume([visit('old.test', 31), visit('old.test', 33)]);
    await fold.fold();
    expect([await here(), await ledger.differences()]).toEqual([['test.new', 'test.old'], []]);
    expect(await quiet.move()).toMatchObject({ rows: 2 });
    await new VisitPurger(ledger.database, noLock, { hasSlots: true }).purge('1', { beforeMs: atMs(31.5) });
    await consume([visit('old.test', 0)]);
    await fold.fold();
    expect(await quiet.move()).toMatchObject({ rows: 0 });
    expect([await here(), await ledger.differences()]).toEqual([['test.new', 'test.old'], []]);
    expect(await hostTotals(ledger, 'target')).toEqual({ 'test.new': 2, 'test.old': 4 });
    const [{ rows } = { rows: 0 }] = await ledger.server.query<{ rows: number }>(
      'SELECT count(*)::int AS rows FROM host_buckets',
    );
    expect((await new StatisticsVerifier(ledger.database).verify({})).checked).toMatchObject({ hostBuckets: rows });
    // A quarter that is not where it was, before all that links have.
    await ledger.server.query(`UPDATE quiet_host_traffic
      SET p[1] = p[1] + 1, quarters[1] = quarters[1] - 960, first_bucket = first_bucket - interval '10 days'`);
    expect(new Set((await ledger.differences()).map(({ check }) => check))).toEqual(new Set(['host-totals', 'hosts']));
    await new LedgerRebuild(ledger.database).rebuildHosts();
    await fold.fold();
    await new LedgerRebuild(ledger.database).rebuildHosts();
    expect(await ledger.differences()).toEqual([]);
  });

  describe('of quiet hosts', () => {
    const ALL = { days: -36_500, lookedAtOnce: 8, rowsAtOnce: 16 };
    const hours = [0, 1, 2].map((hour) => FROM + hour * HOUR_MS);
    const rowsByHost = async () => {
      const rows = await ledger.server.query<{ name: string; rows: number }>(
        'SELECT name, count(*)::int AS rows FROM host_traffic JOIN hosts ON id = host_id GROUP BY id ORDER BY id',
      );
      return rows.map(({ name, rows }) => [name, rows] as const);
    };
    const sumOf = (hosts: readonly (readonly [string, number])[]) => hosts.reduce((sum, [, rows]) => sum + rows, 0);
    const refuse = (when: string, isRefused: string) =>
      ledger.server.query(
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF ${isRefused} THEN RAISE 'refused'; END IF; RETURN NULL; END $$;
         CREATE TRIGGER refuse AFTER ${when} EXECUTE FUNCTION refuse()`,
      );
    beforeEach(async () => {
      const consume = await ledger.consumer();
      const visits = ['a.test', 'bad.test', 'c.test'].flatMap((targetHost) =>
        hours.map((atMs) => enrichedVisit({ linkId: '1', atMs, targetHost })),
      );
      await consume(visits);
      await new HostFold(ledger.database).fold();
    });

    it('are moved in as small portions as PostgreSQL takes, and a name it does not take is passed over', async () => {
      const all = await rowsByHost();
      const quiet = new QuietHosts(ledger.database, ALL);
      const bad = "(SELECT id FROM hosts WHERE name = 'test.bad')";
      await refuse(
        'DELETE ON host_traffic REFERENCING OLD TABLE AS gone',
        `(SELECT count(*) > 2 OR bool_or(host_id = ${bad}) FROM gone)`,
      );
      expect(await quiet.move()).toEqual({ rows: sumOf(all) - 3, failed: 1 });
      expect(await rowsByHost()).toEqual([['test.bad', 3]]);
      expect(await ledger.differences()).toEqual([]);
      await ledger.server.query('DROP FUNCTION refuse() CASCADE');
      expect(await quiet.move()).toEqual({ rows: 3, failed: 0 });
    });

    it('are looked at from where it was left, also when PostgreSQL refused all', async () => {
      const [first, second, ...others] = await rowsByHost();
      const quiet = new QuietHosts(ledger.database, { ...ALL, failuresInARow: 2 });
      await refuse('INSERT ON quiet_host_traffic', 'true');
      await expect(quiet.move()).rejects.toThrow('refused');
      await ledger.server.query('DROP FUNCTION refuse() CASCADE');
      expect(await quiet.move()).toEqual({ rows: sumOf(others), failed: 0 });
      expect(await rowsByHost()).toEqual([first, second]);
      expect(await quiet.move()).toEqual({ rows: sumOf([first!, second!]), failed: 0 });
    });

    it('are moved by several at a time, and by one that is killed not at all; names that are visited meanwhile count both', async () => {
      const quiet = () => new QuietHosts(ledger.database, { ...ALL, failuresInARow: 1 });
      const all = sumOf(await rowsByHost());
      await refuse('INSERT ON quiet_host_traffic', 'pg_terminate_backend(pg_backend_pid())');
      await expect(quiet().move()).rejects.toThrow();
      await ledger.server.query('DROP FUNCTION refuse() CASCADE');
      expect([sumOf(await rowsByHost()), await ledger.differences()]).toEqual([all, []]);
      const consume = await ledger.consumer();
      const revive = async () => {
        await consume(hours.map((atMs) => enrichedVisit({ linkId: '1', atMs, targetHost: 'a.test' })));
        await new HostFold(ledger.database).fold();
      };
      const [one, other] = await Promise.all([quiet().move(), quiet().move(), revive()]);
      expect(one.rows + other.rows).toBeGreaterThanOrEqual(all);
      expect([await hostTotals(ledger, 'target'), await ledger.differences()]).toEqual([
        { 'test.a': 6, 'test.bad': 3, 'test.c': 3 },
        [],
      ]);
    });

    it('are found by time without reading all of them', async () => {
      await ledger.server
        .query(`WITH many AS (INSERT INTO hosts (kind, name) SELECT 0, 'x' || n FROM generate_series(1, 5000) AS n RETURNING id)
        INSERT INTO quiet_host_traffic (host_id, kind, first_bucket, last_bucket, quarters, classes, p, checksums)
        SELECT id, 0, '2025-01-01', '2025-02-01', '{1}', '{0}', '{1}', '{0}' FROM many`);
      await ledger.server.query('ANALYZE quiet_host_traffic');
      const plan = await ledger.server.query(
        `EXPLAIN (FORMAT JSON) SELECT FROM host_buckets WHERE bucket >= $1 AND bucket < $2 AND last_bucket >= $1 AND first_bucket < $2`,
        [new Date(RANGE.from), new Date(RANGE.to)],
      );
      expect(JSON.stringify(plan)).toContain('"Index Name":"quiet_host_traffic_by_time"');
    });

    it('leave turns to folds, which wait for theirs, for a while', async () => {
      const quiet = new QuietHosts(ledger.database, ALL);
      await quiet.move();
      const consume = await ledger.consumer();
      await consume([enrichedVisit({ linkId: '1' })]);
      const holder = pausePoint();
      const held = ledger.database.transaction(async (tx) => {
        await tx.query(LOCK_FOLD);
        await holder.pause();
      });
      await holder.reached;
      // Nothing to move: no need of the lock.
      expect(await quiet.move()).toEqual({ rows: 0, failed: 0 });
      expect(await new HostFold(ledger.database, { lockWaitMs: 1 }).fold()).toMatchObject({ folded: 0, waiting: 1 });
      const folding = new HostFold(ledger.database, { lockWaitMs: 300_000 }).fold();
      const isWaiting = async () =>
        (
          await ledger.server.query(`SELECT FROM pg_locks JOIN pg_database AS own ON own.oid = database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`)
        ).length > 0;
      await Promise.race([folding, waitUntil(isWaiting, { timeoutMs: 120_000, describe: 'a fold that waits' })]);
      holder.goOn();
      await held;
      expect(await folding).toMatchObject({ folded: 1, waiting: 0 });
    });
  });
});
