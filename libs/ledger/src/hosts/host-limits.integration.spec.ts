import type { HostStateV1 } from '@hopcount/contracts';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { Ledger } from '../ledger.spec-helpers.js';
import { HOST_LIMITS } from './add-hosts.js';
import { HostFold } from './host-fold.js';
import { KnownPeers } from './known-peers.js';
import { HostReplicas } from './peers/host-replicas.js';

/** A change of as many targets as it is asked for, of which nobody knows any. */
const CHANGE_OF_NEW_NAMES = `INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  SELECT array_agg(0), array_agg('com.site' || place), array_agg(178000000), array_agg(0), array_agg(1), array_agg(0), array_agg(place)
  FROM generate_series($1::int, $2::int) AS place`;

describe('what hosts may cost', () => {
  let ledger: Ledger;
  let consume: Awaited<ReturnType<Ledger['consumer']>>;
  beforeEach(async () => {
    ledger = await Ledger.open();
    await ledger.addLink('1');
    consume = await ledger.consumer();
  });
  afterEach(() => ledger.close());

  // Of one cell, whatever the clock says.
  const atMs = Date.now();
  const visit = (hosts: { targetHost?: string; referrerHost?: string }) =>
    enrichedVisit({ linkId: '1', atMs, ...hosts });
  const totals = async (kind: number) => {
    const rows = await ledger.server.query<{ name: string; visits: number }>(
      `SELECT name, sum(p - n)::int AS visits FROM host_totals JOIN hosts ON hosts.id = host_id
       WHERE hosts.kind = $1 AND host_totals.kind = $1 GROUP BY 1 ORDER BY 1`,
      [kind],
    );
    return Object.fromEntries(rows.map(({ name, visits }) => [name, visits]));
  };
  const one = async (text: string) => (await ledger.server.query(text))[0];

  it('a fold takes tens of thousands of names that nobody has met before', async () => {
    for (const from of [1, 20_001]) await ledger.server.query(CHANGE_OF_NEW_NAMES, [from, from + 19_999]);
    const isSuffix = (name: string) => name === 'com';
    const report = await new HostFold(ledger.database, { isSuffix }).fold();
    expect(report).toMatchObject({ folded: 2, hosts: 40_001, waiting: 0 });
    expect(await one(`SELECT children FROM hosts WHERE kind = 0 AND name = 'com'`)).toEqual({ children: 40_000 });
    expect(await one('SELECT count(*)::int AS hosts, sum(p)::int AS visits FROM host_totals')).toEqual({
      hosts: 40_000,
      visits: 40_000,
    });
  });

  it('a peer that is gone leaves nothing behind, wherever forgetting it was stopped', async () => {
    await consume([visit({ targetHost: 'x.test' })]);
    await new HostFold(ledger.database).fold();
    const own = await totals(0);
    const sums = () => ledger.server.query('SELECT * FROM host_sums WHERE visits <> 0 ORDER BY host_id');
    const ownSums = await sums();
    const replicas = new HostReplicas(ledger.database, { children: 2 });
    const peers = new KnownPeers(ledger.database);
    await replicas.add(['b', 'misspelt']);
    const states = ['x', 'y', 'z', 'u', 'v'].map((label, nth): HostStateV1 => ({
      ...{ version: 1, dc: 'b', epoch: 1, kind: 'target', name: `test.${label}`, class: 'human', p: nth + 1, n: 1 },
    }));
    const hear = async () => {
      const from = await replicas.position('b', { low: 0n, high: 5n });
      return replicas.merge('b', { from, to: 5n, states: states.slice(Number(from)) });
    };
    await hear();
    const both = await totals(0);
    await ledger.server.query("UPDATE host_peers SET as_of = now() WHERE dc = 'b'");
    await expect(peers.forget('b')).rejects.toMatchObject({ code: 'data-centre-followed' });
    await ledger.server.query("UPDATE host_peers SET as_of = now() - interval '1 hour'");
    await ledger.server.query(`CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF OLD.name = 'test.y' THEN RAISE 'stopped'; END IF; RETURN NULL; END $$;
      CREATE TRIGGER stop AFTER DELETE ON host_replicas FOR EACH ROW EXECUTE FUNCTION stop()`);
    await expect(peers.forget('b', 2)).rejects.toThrow('stopped');
    expect(await ledger.differences()).toEqual([]);
    // Followed again after all: what is gone comes again.
    expect(await totals(0)).not.toEqual(both);
    await hear();
    expect(await totals(0)).toEqual(both);
    await ledger.server.query('DROP FUNCTION stop() CASCADE');
    expect(await peers.forget('b', 2)).toBe(5);
    expect(await peers.forget('misspelt')).toBe(0);
    expect(await ledger.server.query("SELECT FROM host_totals WHERE dc <> ''")).toEqual([]);
    expect([await totals(0), await sums(), await ledger.differences()]).toEqual([own, ownSums, []]);
    await expect(peers.forget('b')).rejects.toMatchObject({ code: 'data-centre-not-found' });
  });

  it('where nobody publishes any more, folds note nothing to publish', async () => {
    const peers = new KnownPeers(ledger.database);
    expect(await peers.stopPublishing()).toBe(false);
    await ledger.server.query("INSERT INTO host_datacenter (name, epoch, is_whole) VALUES ('a', 1, true)");
    const unpublished = async () => {
      await consume([visit({ targetHost: 'x.test' })]);
      await new HostFold(ledger.database).fold();
      return (await ledger.server.query('SELECT FROM host_unpublished')).length;
    };
    expect(await unpublished()).toBeGreaterThan(0);
    expect(await peers.stopPublishing()).toBe(true);
    expect(await unpublished()).toBe(0);
  });

  it('a fold takes as many changes as their entries allow, one at least', async () => {
    for (const host of ['a', 'b', 'c']) await consume([visit({ targetHost: `${host}.test` })]);
    await consume(['d', 'e', 'f'].map((host) => visit({ targetHost: `${host}.test` })));
    // Three entries each, and the last one five.
    const fold = new HostFold(ledger.database, { entriesAtOnce: 7, foldsOfRun: 1 });
    expect(await fold.fold()).toMatchObject({ folded: 2, waiting: 2 });
    const small = new HostFold(ledger.database, { entriesAtOnce: 4, foldsOfRun: 1 });
    expect(await small.fold()).toMatchObject({ folded: 1, waiting: 1 });
    expect(await small.fold()).toMatchObject({ folded: 1, waiting: 0 });
    expect(await ledger.differences()).toEqual([]);
  });

  it('what cannot be folded together is folded in smaller portions', async () => {
    for (let place = 0; place < 8; place += 1) await consume([visit({ targetHost: `${place}.example.com` })]);
    // In place of a statement that takes too long.
    await ledger.server.query(`CREATE FUNCTION too_many() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT count(*) FROM added) > 4 THEN RAISE 'too many' USING ERRCODE = 'query_canceled'; END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER too_many AFTER INSERT ON host_totals REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION too_many()`);
    const fold = new HostFold(ledger.database, { changesAtOnce: 8, entriesAtOnce: 24 });
    let waiting = 8;
    for (let tries = 0; waiting > 0 && tries < 30; tries += 1) {
      waiting = await fold.fold().then(
        (report) => report.waiting,
        () => waiting,
      );
    }
    expect(waiting).toBe(0);
    expect(await ledger.differences()).toEqual([]);
  });

  it('a batch of very many hosts is folded in rows', async () => {
    const batch = Array.from({ length: 7_000 }, (_, place) => ({
      targetHost: `t${place}.test`,
      referrerHost: `r${place}.test`,
      shortHost: `s${place}.test`,
    }));
    await consume(batch.map(visit));
    expect(await one('SELECT count(*)::int AS rows, max(entries) AS most FROM host_changes')).toEqual({
      rows: 2,
      most: 20_000,
    });
  });

  it('counts a name of very many labels at its ancestor of eight', async () => {
    const label = 'a.'.repeat(100);
    await consume([
      visit({ referrerHost: `${label}x1.example` }),
      visit({ referrerHost: `${label}x2.example`, targetHost: `${label}b.c.d.e.f.g.h.example.com` }),
    ]);
    expect(await ledger.differences()).toEqual([]);
    await new HostFold(ledger.database).fold();
    expect(await ledger.differences()).toEqual([]);
    expect(await totals(0)).toEqual({ 'com.example': 1, 'com.example.h.g.f.e.d.c': 1 });
    expect(await totals(1)).toEqual({ 'example.x1.a.a.a.a.a.a': 1, 'example.x2.a.a.a.a.a.a': 1 });
    const known = `SELECT count(*)::int AS hosts FROM hosts WHERE kind = 1 AND name LIKE 'example.%'`;
    expect(await one(known)).toEqual({ hosts: 14 });
  });

  it('names that visitors wrote as referrers take none from targets', async () => {
    const COUNT = `SELECT count(*)::int AS hosts FROM hosts WHERE kind = 1`;
    const before = ((await one(COUNT)) as { hosts: number }).hosts;
    const hosts = { ...HOST_LIMITS.hosts, referrer: before + 20 };
    const fold = new HostFold(ledger.database, { children: 30, hosts });
    for (const from of [0, 20, 40]) {
      const names = Array.from({ length: 20 }, (_, place) => `junk${from + place}.com`);
      await consume(names.map((referrerHost) => visit({ referrerHost, targetHost: `example.com` })));
      await fold.fold();
    }
    await consume(
      ['a.example.com', 'junk1.com', 'junk59.com'].map((targetHost) => visit({ targetHost, referrerHost: targetHost })),
    );
    await fold.fold();
    expect(await ledger.differences()).toEqual([]);
    expect(await totals(0)).toEqual({ 'com.example': 60, 'com.example.a': 1, 'com.junk1': 1, 'com.junk59': 1 });
    // What is known already stays so.
    const referrers = await totals(1);
    expect(referrers['com.junk1']).toBe(2);
    expect(referrers['com.junk59']).toBeUndefined();
    expect(referrers['com.~rest']).toBe(42);
    expect(await one(COUNT)).toEqual({ hosts: before + 21 });
  });

  it('last labels that no list has are one name among referrers, and others have their own whenever they come', async () => {
    const fold = new HostFold(ledger.database);
    const rounds = [
      ['a.madeup', 'b.madeup', 'madeup', 'x.', 'x.y..'],
      ['a.madeup', 'news.fr'],
      ['local', 'wiki.local', 'b.zz9'],
    ];
    for (const round of rounds) {
      await consume(round.map((referrerHost) => visit({ referrerHost, targetHost: 'a.madeup' })));
      expect(await ledger.differences()).toEqual([]);
      await fold.fold();
      expect(await ledger.differences()).toEqual([]);
    }
    expect(await totals(1)).toEqual({ '~rest': 7, 'fr.news': 1, local: 1, 'local.wiki': 1 });
    expect(await totals(0)).toEqual({ 'madeup.a': 10 });
  });

  it('public suffixes take as many sites as there are, and other names do not', async () => {
    const isSuffix = (name: string) => name === 'uk.co';
    const fold = new HostFold(ledger.database, { children: 2, childrenOfSuffix: 4, isSuffix });
    const names = ['a', 'b', 'c', 'd', 'e'].flatMap((label) => [`${label}.co.uk`, `${label}.example.test`]);
    await consume(names.map((targetHost) => visit({ targetHost })));
    await fold.fold();
    expect(await ledger.differences()).toEqual([]);
    expect(await totals(0)).toEqual({
      'test.example.a': 1,
      'test.example.b': 1,
      'test.example.~rest': 3,
      ...{ 'uk.co.a': 1, 'uk.co.b': 1, 'uk.co.c': 1, 'uk.co.d': 1, 'uk.co.~rest': 1 },
    });
  });

  it('what a consumer of before counts is one change a batch, of unknown hosts', async () => {
    const batch = Array.from({ length: 50 }, () => visit({}));
    await consume(batch);
    // As that consumer writes them: without hosts, and without what they change.
    for (const statement of [
      'CREATE TABLE old_visits AS SELECT * FROM visits',
      'UPDATE old_visits SET target_host = NULL, short_host = NULL',
      'DELETE FROM visits',
      'TRUNCATE host_changes',
      'INSERT INTO visits SELECT * FROM old_visits',
    ])
      await ledger.server.query(statement);
    expect(await one('SELECT count(*)::int AS rows FROM host_changes')).toEqual({ rows: 1 });
    expect(await ledger.differences()).toEqual([]);
    await new HostFold(ledger.database).fold();
    expect(await totals(1)).toEqual({ '~unknown': 50 });
    expect(await ledger.differences()).toEqual([]);
  });
});
