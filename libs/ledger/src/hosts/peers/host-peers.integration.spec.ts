import { randomBytes } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { areHostSumsExact } from '../../filed-sums/filed-sums.js';
import { enrichedVisit } from '../../enriched-visit.spec-helpers.js';
import { Ledger } from '../../ledger.spec-helpers.js';
import { LedgerRebuild } from '../../rebuild/ledger-rebuild.js';
import { HOST_LIMITS } from '../add-hosts.js';
import { type Centre, exchange, openCentres, sums } from './host-peers.spec-helpers.js';
import { HostPublication } from './host-publication.js';
import { HostReplicas } from './host-replicas.js';

const MOST = 2 ** 52 - 1;

describe('counts of hosts of two data centres', () => {
  let [a, b]: Centre[] = [];
  beforeEach(async () => {
    [a, b] = await openCentres();
  });
  afterEach(() => Promise.all([a, b].map((centre) => centre!.ledger.close())));

  it('are the sum of both ledgers in both, and what comes again, in any order, changes nothing', async () => {
    await a!.count('example.com', 'example.com', 'a.example.com', 'only.a');
    await b!.count('example.com', 'b.example.com', 'x.y.b.example.com');
    await exchange(a!, b!);
    await b!.count('b.example.com');
    await exchange(a!, b!);
    const ofA = { 'com.example': 2, 'com.example.a': 1, 'a.only': 1 };
    const ofB = { 'com.example': 1, 'com.example.b': 2, 'com.example.b.y.x': 1 };
    const under = (sums: object, dc: string) =>
      Object.fromEntries(Object.entries(sums).map(([name, visits]) => [`${name} ${dc}`, visits as number]));
    expect(await a!.targets()).toEqual({ ...ofA, ...under(ofB, 'b') });
    expect(await b!.targets()).toEqual({ ...ofB, ...under(ofA, 'a') });
    expect([await a!.below('com.example'), await b!.below('com.example')]).toEqual([7, 7]);

    const before = await a!.targets();
    const { states } = b!.log;
    await a!.ledger.server.query('UPDATE host_peers SET next_offset = 0');
    await a!.hear(b!, [...states].reverse());
    await a!.ledger.server.query('UPDATE host_peers SET next_offset = 0');
    await a!.hear(b!, [...states, ...states]);
    expect(await a!.targets()).toEqual(before);
    // Own numbers are held against the ledger, peers' against what they said.
    expect([await a!.ledger.differences(), await b!.ledger.differences()]).toEqual([[], []]);
  });

  it('are those of a database restored from a backup, in a new epoch, and what it counts then shows at once', async () => {
    await b!.count('kept.com', 'kept.com', 'shrunk.com');
    await exchange(a!, b!);
    const backup = await b!.ledger.server.copy();
    await b!.ledger.close();
    // What the backup does not have: more of a name, and names that it never met.
    await b!.on(await Ledger.on(await backup.copy()));
    await b!.count('shrunk.com', 'shrunk.com', 'lost.com');
    await exchange(a!, b!);
    expect(await a!.targets()).toMatchObject({ 'com.shrunk b': 3, 'com.lost b': 1 });

    await b!.ledger.close();
    await b!.on(await Ledger.on(backup));
    const { newEpoch } = await b!.say();
    expect(newEpoch).not.toBeNull();
    await a!.hear(b!);
    expect(await a!.targets()).toEqual({ 'com.kept b': 2, 'com.shrunk b': 1 });
    await b!.count('kept.com', 'later.com');
    await exchange(a!, b!);
    expect(await a!.targets()).toEqual({ 'com.kept b': 3, 'com.later b': 1, 'com.shrunk b': 1 });
    expect(await a!.ledger.differences()).toEqual([]);
    // Started again, nothing was lost: the same epoch.
    await b!.on(b!.ledger);
    expect(await b!.say()).toMatchObject({ newEpoch: null });
  });

  it('of more hosts than are noted, said or merged at once are all there after a restore, those that shrank with them', async () => {
    const many = Array.from({ length: 4_100 }, (_, nth) => `n${nth}.com`);
    await b!.count(...many);
    const backup = await b!.ledger.server.copy();
    // The first and the last of them, and one that the backup never met.
    await b!.count('n0.com', 'n4099.com', 'lost.com');
    const sayAll = async () => {
      const publication = new HostPublication(b!.ledger.database, 'b', b!.log);
      while ((await publication.publish()).published > 0);
    };
    await sayAll();
    expect(await a!.hear(b!)).toBeGreaterThan(2);
    expect(await a!.targets()).toMatchObject({ 'com.n0 b': 2, 'com.n4099 b': 2, 'com.lost b': 1 });
    await b!.ledger.close();
    await b!.on(await Ledger.on(backup));
    await sayAll();
    const replica = () => a!.ledger.server.query('SELECT DISTINCT epoch FROM host_replicas');
    expect(await replica()).toHaveLength(1);
    expect(await a!.hear(b!)).toBeGreaterThan(2);
    expect(await replica()).toHaveLength(1);
    expect(await a!.targets()).toEqual(Object.fromEntries(many.map((host) => [`com.${host.slice(0, -4)} b`, 1])));
    expect([await a!.below('com'), await a!.ledger.differences()]).toEqual([many.length, []]);
  });

  it('are exact in both once both are without what was purged of dropped months, and both have said so', async () => {
    const isExact = () => Promise.all([a, b].map((centre) => areHostSumsExact(centre!.ledger.database)));
    await b!.count('example.com');
    await exchange(a!, b!);
    expect(await isExact()).toEqual([true, true]);
    await b!.ledger.server.query(
      'INSERT INTO unattributed_purges (bucket, class, visits, checksum) SELECT bucket, 0, 1, 1 FROM link_traffic LIMIT 1',
    );
    await b!.count('example.com');
    await exchange(a!, b!);
    expect(await isExact()).toEqual([false, false]);
    // The correction is one of the changes that wait: what is said of the time before is not without the purged visits.
    await b!.ledger.server.query('DELETE FROM unattributed_purges');
    await b!.consume([enrichedVisit({ targetHost: 'example.com' })]);
    await b!.on(b!.ledger);
    await exchange(a!, b!);
    expect(await isExact()).toEqual([false, true]);
    await b!.count();
    await exchange(a!, b!);
    expect(await isExact()).toEqual([true, true]);
    // An earlier version does not say it.
    const { epoch } = b!.log.states.at(-1)!;
    b!.log.states.push({ version: 1, dc: 'b', epoch, asOf: Date.now() });
    await a!.hear(b!);
    expect(await isExact()).toEqual([false, true]);
  });

  it('shrink where a rebuild takes away what was never counted', async () => {
    await b!.count('example.com');
    await b!.ledger.server.query(
      'INSERT INTO host_totals SELECT kind, host_id, 1, dc, 7, 0, last_bucket FROM host_totals',
    );
    await b!.ledger.server.query('UPDATE host_totals SET p = p + 100 WHERE class = 0');
    await exchange(a!, b!);
    expect(await a!.targets()).toEqual({ 'com.example b': 108 });
    await new LedgerRebuild(b!.ledger.database).rebuildHosts();
    await exchange(a!, b!);
    expect(await a!.targets()).toEqual({ 'com.example b': 1 });
  });

  it('count what the peer does not tell apart at the name above, and keep own names apart', async () => {
    await a!.count('known.many.com');
    await b!.hear(a!, []);
    const rest = sums('com.many.~rest', 5);
    const top = sums('~rest', 3);
    await a!.hear(b!, [rest, top, sums('com.many.other.deep', 2)]);
    await a!.count('later.many.com');
    expect(await a!.targets()).toEqual({
      ...{ 'com.many.known': 1, 'com.many.later': 1 },
      ...{ 'com.many b': 5, 'com.many.other.deep b': 2, '~unknown b': 3 },
    });
  });

  it('take no more than half of the room for names: beyond it they count at the name above, and own names are told apart', async () => {
    const limits = { children: 4, childrenOfSuffix: 4, hosts: { ...HOST_LIMITS.hosts, target: 16 } };
    a!.replicas = new HostReplicas(a!.ledger.database, limits);
    await a!.replicas.add(['b']);
    await a!.count('own.com');
    const first = [sums('com.b1', 1), sums('com.b2', 2), sums('com.b3', 4), sums('net.x.y', 8), sums('org', 16)];
    await a!.hear(b!, first);
    await a!.hear(b!, [...first, sums('net.z', 32)]);
    await a!.count('later.com', 'more.com');
    expect(await a!.targets()).toEqual({
      ...{ 'com.own': 1, 'com.later': 1, 'com.more': 1, 'com.b1 b': 1, 'com b': 6 },
      ...{ 'net b': 32, 'net.x.y b': 8, '~unknown b': 16 },
    });
    expect(await a!.ledger.differences()).toEqual([]);
  });

  it('that PostgreSQL cannot hold are left out, one by one, and hold up nothing', async () => {
    // Longer than a key of an index, and not to be made shorter; no decoder lets it through.
    const unkept = sums(`com.${randomBytes(4_000).toString('hex')}`, 1);
    const states = Array.from({ length: 7 }, (_, nth) => (nth === 3 ? unkept : sums(`com.b${nth}`, nth)));
    await a!.hear(b!, states);
    await a!.hear(b!, [...states, sums('com.after', 9)]);
    expect(await a!.targets()).toEqual({
      ...{ 'com.b1 b': 1, 'com.b2 b': 2, 'com.b4 b': 4, 'com.b5 b': 5, 'com.b6 b': 6, 'com.after b': 9 },
    });
    expect(await a!.ledger.server.query('SELECT refused::int FROM host_peers')).toEqual([{ refused: 1 }]);
    expect(await a!.ledger.differences()).toEqual([]);
  });

  it('of a peer whose clock was ahead are as old as they are', async () => {
    const said = { version: 1 as const, dc: 'b', epoch: 1 };
    const ageOf = async () => {
      const rows = await a!.ledger.server.query<{ hours: number }>(
        'SELECT round(extract(epoch FROM now() - as_of) / 3600)::int AS hours FROM host_peers',
      );
      return rows[0]?.hours;
    };
    const ahead = { ...said, asOf: Date.UTC(9999, 11, 31, 23, 59, 59, 999) };
    await a!.hear(b!, [ahead]);
    expect(await ageOf()).toBe(0);
    await a!.hear(b!, [ahead, { ...said, asOf: Date.now() - 7_200_000 }]);
    expect(await ageOf()).toBe(2);
  });

  it('stay below 2^52, whatever was fed here, and records of another data centre, or that say nothing, are left out', async () => {
    await a!.ledger.server.query('UPDATE host_feed SET visits = $1', [MOST]);
    await a!.hear(b!, [
      sums('com.x', MOST - 10),
      sums('com.y', 11),
      sums('com.z', 10),
      { ...sums('com.w', 1), dc: 'c' },
    ]);
    expect(await a!.targets()).toEqual({ 'com.x b': MOST - 10, 'com.z b': 10 });
    expect(await a!.ledger.server.query('SELECT refused::int FROM host_peers')).toEqual([{ refused: 2 }]);
  });

  it('have one reader: whoever is behind writes nothing', async () => {
    const portion = { from: 0n, to: 1n, states: [sums('com.x', 1)] };
    await a!.replicas.merge('b', portion);
    await expect(a!.replicas.merge('b', portion)).rejects.toMatchObject({ code: 'checkpoint-fenced' });
    expect(await a!.targets()).toEqual({ 'com.x b': 1 });
  });
});
