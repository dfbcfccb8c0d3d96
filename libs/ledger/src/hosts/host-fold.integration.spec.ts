import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { HOST_KINDS, VISIT_CLASSES } from '@hopcount/contracts';
import { hostName, parentOf } from '@hopcount/hosts';
import { waitUntil } from '@hopcount/testing';

import { bucketOf, HOUR_MS } from '../buckets.js';
import type { EnrichedVisit } from '../commit/enriched-visit.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { Ledger, noLock, pausePoint } from '../ledger.spec-helpers.js';
import { randomHistory, randomSource } from '../ledger-history.spec-helpers.js';
import { VisitEraser } from '../erase/visit-eraser.js';
import { VisitPurger } from '../purge/visit-purger.js';
import { LedgerRebuild } from '../rebuild/ledger-rebuild.js';
import { StatisticsVerifier } from '../verify/statistics-verifier.js';
import { measureHostDrift } from './host-drift.js';
import { HostFold, LOCK_FOLD } from './host-fold.js';
import { QuietHosts } from './quiet-hosts.js';

const FROM = Date.parse('2026-09-01T00:00:00Z');
const RANGE = { from: FROM, to: FROM + 12 * HOUR_MS };

describe('counts by host', () => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await Ledger.open();
    await ledger.addLink('1');
    await ledger.addLink('2');
  });
  afterEach(() => ledger.close());

  const totals = async (kind: string) => {
    const rows = await ledger.server.query<{ name: string; visits: number }>(
      `SELECT name, sum(p - n)::int AS visits FROM host_totals JOIN hosts ON hosts.id = host_id
       WHERE host_totals.kind = $1 GROUP BY 1 HAVING sum(p - n) <> 0 ORDER BY 1`,
      [HOST_KINDS.indexOf(kind as 'target')],
    );
    return Object.fromEntries(rows.map(({ name, visits }) => [name, visits]));
  };
  const counted = (visits: readonly EnrichedVisit[], nameOf: (visit: EnrichedVisit) => string) => {
    const names = new Map<string, number>();
    for (const visit of visits) names.set(nameOf(visit), (names.get(nameOf(visit)) ?? 0) + 1);
    return Object.fromEntries([...names].sort(([a], [b]) => (a < b ? -1 : 1)));
  };

  it.each([11, 12])(
    'are those of the visits that are kept, whatever is counted, purged, erased, replayed or folded when (seed %i)',
    async (seed) => {
      const random = randomSource(seed);
      const consumers = [await ledger.consumer(), await ledger.consumer()];
      const purger = new VisitPurger(ledger.database, noLock, { hasSlots: true, visitsPerTransaction: 7 });
      const eraser = new VisitEraser(ledger.database, { hasSlots: true, visitsPerTransaction: 7 });
      const fold = new HostFold(ledger.database, { changesAtOnce: 3, foldsOfRun: 2 });
      // Whenever they had their last visit.
      const quiet = new QuietHosts(ledger.database, { days: -36_500, lookedAtOnce: 5, rowsAtOnce: 7 });
      let kept: EnrichedVisit[] = [];
      const batches: EnrichedVisit[][] = [];
      let purgedBefore = 0;
      const erased = new Set<string | null>();
      const isKept = (visit: EnrichedVisit) =>
        (visit.linkId !== '1' || visit.occurredAtMs >= purgedBefore) && !erased.has(visit.visitor);
      for (let step = 0; step < 40; step += 1) {
        const action = random.below(10);
        if (action < 5) {
          const batch = randomHistory(random, random.pick(['1', '2']), RANGE, 1 + random.below(40));
          batches.push(batch);
          kept.push(...batch);
          await random.pick(consumers)(batch);
        } else if (action === 5 && batches.length > 0) await random.pick(consumers)(random.pick(batches));
        else if (action === 6) {
          purgedBefore = Math.max(purgedBefore, FROM + random.below(8 * HOUR_MS));
          await purger.purge('1', { beforeMs: purgedBefore });
        } else if (action === 7 && erased.size < 3) {
          const visitor = String(random.below(40) - 20);
          erased.add(visitor);
          const people = { person: 'visitor', hashes: [visitor], fromMs: -Infinity, beforeMs: Infinity } as const;
          await eraser.erase(await eraser.mark(people));
        } else if (action === 8) await Promise.all([quiet.move(), fold.fold()]);
        else await fold.fold();
        kept = kept.filter(isKept);
        if (step % 10 === 9) expect(await ledger.differences()).toEqual([]);
      }
      while ((await fold.fold()).waiting > 0);
      expect(await ledger.differences()).toEqual([]);
      expect(await totals('target')).toEqual(counted(kept, (visit) => hostName(visit.targetHost)));
      expect(await totals('short')).toEqual(counted(kept, (visit) => hostName(visit.shortHost)));
      const referrer = ({ referrerHost }: EnrichedVisit) =>
        referrerHost === 'direct' ? '~direct' : hostName(referrerHost);
      expect(await totals('referrer')).toEqual(counted(kept, referrer));
      const series = await ledger.server.query<{ bucket: Date; class: number; visits: number }>(
        `SELECT bucket, class, sum(p - n)::int AS visits FROM host_buckets JOIN hosts ON hosts.id = host_id
       WHERE host_buckets.kind = 0 AND name = 'com.example.a' GROUP BY 1, 2 HAVING sum(p - n) <> 0`,
      );
      const below = kept.filter((visit) => visit.targetHost === 'a.example.com');
      const points = counted(below, (visit) => `${bucketOf(visit.occurredAtMs)} ${VISIT_CLASSES.indexOf(visit.class)}`);
      expect(
        Object.fromEntries(series.map((row) => [`${row.bucket.getTime()} ${row.class}`, row.visits]).sort()),
      ).toEqual(points);
    },
  );

  it('of names without visits for 30 days leave the table that all else is in, and are added up with what comes later', async () => {
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
    expect(await totals('target')).toEqual({ 'test.new': 2, 'test.old': 4 });
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

  describe('of quiet names', () => {
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

  it('is measured: nothing differs in the last hour until a sum of hosts is damaged', async () => {
    const consume = await ledger.consumer();
    await consume([enrichedVisit(), enrichedVisit()]);
    expect(await measureHostDrift(ledger.database)).toEqual({ visits: 0, checksums: 0 });
    await new HostFold(ledger.database).fold();
    expect(await measureHostDrift(ledger.database)).toEqual({ visits: 0, checksums: 0 });
    await ledger.server.query('UPDATE host_traffic SET p = p + 3, checksum = checksum # 1 WHERE kind = 2');
    expect(await measureHostDrift(ledger.database)).toEqual({ visits: 3, checksums: 1 });
  });

  it('counts names beyond those a parent may have at its rest: sums stay exact, and what was known stays apart', async () => {
    const consume = await ledger.consumer();
    const fold = new HostFold(ledger.database, { children: 3, changesAtOnce: 1 });
    const visit = (targetHost: string) => enrichedVisit({ linkId: '1', targetHost });
    await consume(['a', 'b'].map((name) => visit(`${name}.example.com`)));
    await fold.fold();
    await consume(['a', 'c', 'd', 'x.e', 'y.x.e', 'www.a'].map((name) => visit(`${name}.example.com`)));
    expect(await ledger.differences()).toEqual([]);
    await fold.fold();
    await consume(['f', 'g.f', 'b', 'z.www.a'].map((name) => visit(`${name}.example.com`)));
    expect(await ledger.differences()).toEqual([]);
    await fold.fold();
    expect(await ledger.differences()).toEqual([]);
    expect(await totals('target')).toEqual({
      'com.example.a': 2,
      'com.example.a.www': 1,
      'com.example.a.www.z': 1,
      'com.example.b': 2,
      'com.example.c': 1,
      'com.example.~rest': 5,
    });
    const parents = await ledger.server.query(
      `SELECT child.name, parent.name AS parent, child.children FROM hosts AS child LEFT JOIN hosts AS parent ON parent.id = child.parent_id
       WHERE child.kind = 0 AND child.name LIKE 'com%' ORDER BY 1`,
    );
    expect(parents.slice(0, 4)).toEqual([
      { name: 'com', parent: null, children: 1 },
      { name: 'com.example', parent: 'com', children: 4 },
      { name: 'com.example.a', parent: 'com.example', children: 1 },
      { name: 'com.example.a.www', parent: 'com.example.a', children: 1 },
    ]);
  });

  it('keeps folded changes for a while, and then no longer', async () => {
    const consume = await ledger.consumer();
    await consume([enrichedVisit()]);
    expect(await new HostFold(ledger.database).fold()).toMatchObject({ folded: 1, expired: 0, waiting: 0 });
    expect(await new HostFold(ledger.database).fold()).toMatchObject({ folded: 0, expired: 0 });
    expect(await new HostFold(ledger.database, { keptMinutes: 0 }).fold()).toMatchObject({ expired: 1 });
    expect(await ledger.differences()).toEqual([]);
  });

  it('reads names as PostgreSQL does', async () => {
    const hosts = [
      'example.com',
      'a.b.example.co.uk',
      'localhost',
      '10.0.0.1',
      '[2001:db8::1]',
      '',
      '~rest',
      'x.~rest.com',
      'a..b',
      '.',
      'xn--mnchen-3ya.de',
      'my_site.test',
      'a.b.c.d.e.f.example.com',
      'x.y.z.a.b.c.d.e.f.example.com',
      'android-app://com.google.android.gm',
    ];
    const rows = await ledger.server.query(
      'SELECT host_name(host) AS name, host_parent(host_name(host)) AS parent FROM unnest($1::text[]) WITH ORDINALITY AS one (host, place) ORDER BY place',
      [hosts],
    );
    expect(rows).toEqual(hosts.map((host) => ({ name: hostName(host), parent: parentOf(hostName(host)) ?? null })));
    expect(rows.slice(0, 2)).toEqual([
      { name: 'com.example', parent: 'com' },
      { name: 'uk.co.example.b.a', parent: 'uk.co.example.b' },
    ]);
  });
});
