import { createHash } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { HostCountsV1 } from '@hopcount/contracts';
import type { Database, Transaction } from '@hopcount/postgres';
import { waitUntil } from '@hopcount/testing';

import { PartitionCheckpoints } from '../commit/partition-checkpoints.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { Ledger } from '../ledger.spec-helpers.js';
import { randomSource } from '../ledger-history.spec-helpers.js';
import { HostBatchCommitter } from './host-batch-committer.js';
import { HostBatches } from './host-batches.js';
import { HostFold } from './host-fold.js';

const MANY = 1_000_000;

describe('counts from elsewhere', () => {
  let ledger: Ledger;
  let batches: HostBatches;
  let fold: HostFold;
  beforeEach(async () => {
    ledger = await Ledger.open();
    batches = new HostBatches(ledger.database);
    fold = new HostFold(ledger.database, { changesAtOnce: 3 });
  });
  afterEach(() => ledger.close());

  const batch = (key: string, counts: Record<string, number>, stream = 'key 1'): HostCountsV1 => {
    const [names, values] = [Object.keys(counts), Object.values(counts)];
    const bodyHash = createHash('sha256')
      .update(JSON.stringify([names, values]))
      .digest('hex');
    return { version: 1, stream, key, bodyHash, acceptedAt: Date.now() - 3_600_000, names, counts: values };
  };
  const accept = ({ bodyHash, ...given }: HostCountsV1, newHostsPerDay = MANY, hostCountsPerDay = MANY) =>
    batches.accept({ ...given, bodyHash: Buffer.from(bodyHash, 'hex') }, { newHostsPerDay, hostCountsPerDay });
  let partitions = 0;
  /** A consumer of a partition of its own. */
  const consumer = async (database: Pick<Database, 'transaction'> = ledger.database) => {
    const ref = { group: 'g', topic: 'hosts.counts', partition: (partitions += 1) };
    let checkpoint = await new PartitionCheckpoints(ledger.database).takeOwnership(ref, 'spec');
    return async (...items: HostCountsV1[]) => {
      const nextOffset = checkpoint.nextOffset + BigInt(items.length);
      const result = await new HostBatchCommitter(database as Database).commit({
        ...{ checkpoint, nextOffset, lastRecordAtMs: 1, items },
      });
      checkpoint = result.checkpoint;
      const { counted, refused, known } = result;
      return { counted, refused, known };
    };
  };
  const totals = async () => {
    while ((await fold.fold()).waiting > 0);
    const rows = await ledger.server.query<{ name: string; visits: string }>(
      `SELECT name, sum(p - n) AS visits FROM host_totals JOIN hosts ON hosts.id = host_id WHERE hosts.kind = 3
       GROUP BY 1 HAVING sum(p - n) <> 0 ORDER BY 1`,
    );
    return Object.fromEntries(rows.map(({ name, visits }) => [name, Number(visits)]));
  };

  it('count once, whatever is delivered again by whom, and are taken away once', async () => {
    const [count, another] = [await consumer(), await consumer()];
    const [one, two] = [batch('1', { 'com.a': 5, 'com.b': 7 }), batch('2', { 'com.a': 100 })];
    await accept(one);
    expect(await count(one, two, one)).toEqual({ counted: 2, refused: 0, known: 1 });
    const again = await Promise.all([count(two, one), another(one, two)]);
    expect(again).toEqual([
      { counted: 0, refused: 0, known: 2 },
      { counted: 0, refused: 0, known: 2 },
    ]);
    // Of another key the same counts are others.
    await another(batch('1', { 'com.a': 1_000 }, 'key 2'));
    expect(await totals()).toEqual({ 'com.a': 1_105, 'com.b': 7 });
    expect(await ledger.differences()).toEqual([]);

    const reversals = await Promise.all([1, 2, 3].map(() => batches.reverse('key 1', '1')));
    expect(reversals.map(({ state }) => state)).toEqual(['reversed', 'reversed', 'reversed']);
    await count(one);
    expect(await totals()).toEqual({ 'com.a': 1_100 });
    expect(await ledger.server.query('SELECT FROM host_traffic WHERE p < n')).toEqual([]);
    expect(await ledger.differences()).toEqual([]);
    expect(await batches.get('key 1', '2')).toMatchObject({ state: 'counted', lines: 1, visits: 100 });
    await expect(batches.get('key 3', '1')).rejects.toMatchObject({ code: 'host-batch-not-found' });
  });

  it('never count once they are withdrawn, whichever of record and withdrawal comes first', async () => {
    const count = await consumer();
    const [early, late, counted] = [
      batch('1', { 'com.a': 1 }),
      batch('2', { 'com.a': 10 }),
      batch('3', { 'com.a': 100 }),
    ];
    for (const one of [early, late, counted]) await accept(one, 3);
    expect((await batches.reverse('key 1', '1')).state).toBe('withdrawn');
    expect(await count(early)).toMatchObject({ counted: 0, known: 1 });
    expect([(await batches.reverse('key 1', '1')).state, (await accept(early))?.state]).toEqual([
      'withdrawn',
      'withdrawn',
    ]);

    const WAITING = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const isWaited = { describe: 'the row is waited for', timeoutMs: 60_000 };
    /** What begins while the transaction of the other is open. */
    const during = async <T>(first: (inside: Database) => Promise<unknown>, second: () => Promise<T>) => {
      let began: Promise<T> | undefined;
      await ledger.database.transaction(async (tx) => {
        const inside = { ...tx, transaction: <R>(work: (own: Transaction) => Promise<R>) => work(tx) };
        await first(inside as unknown as Database);
        began = second();
        await waitUntil(async () => (await ledger.server.query(WAITING)).length > 0, isWaited);
      });
      return began;
    };
    const withdrawn = await during(
      (inside) => new HostBatches(inside).reverse('key 1', '2'),
      () => count(late),
    );
    expect(withdrawn).toMatchObject({ counted: 0, known: 1 });
    const reversed = await during(
      async (inside) => (await consumer(inside))(counted),
      () => batches.reverse('key 1', '3'),
    );
    expect(reversed?.state).toBe('reversed');
    expect(await totals()).toEqual({});
    expect(await ledger.differences()).toEqual([]);
    // What was withdrawn names nothing new; what counted does.
    expect(await accept(batch('4', { 'com.b': 1 }), 2)).toBeDefined();
    await expect(accept(batch('5', { 'com.c': 1 }), 2)).rejects.toMatchObject({ code: 'too-many-new-hosts' });
  });

  it('stand for what came first under a key', async () => {
    const count = await consumer();
    const [given, other] = [batch('1', { 'com.a': 5 }), batch('1', { 'com.a': 6 })];
    expect((await accept(given))?.state).toBe('accepted');
    expect(await accept(other)).toBeUndefined();
    // Whoever writes to Kafka beside the api.
    expect(await count(other)).toEqual({ counted: 0, refused: 0, known: 1 });
    expect(await count(given)).toEqual({ counted: 1, refused: 0, known: 0 });
    expect(await totals()).toEqual({ 'com.a': 5 });
  });

  it('are refused whole where a sum could be no longer exact', async () => {
    const count = await consumer();
    const most = 2 ** 52 - 1;
    // What peers counted takes nothing of it.
    await ledger.server.query(`INSERT INTO host_peers (dc, p) VALUES ('b', ${most})`);
    expect(await count(batch('1', { 'com.a': most - 5 }))).toMatchObject({ counted: 1 });
    expect(await count(batch('2', { 'com.a': 3, 'com.b': 3 }))).toMatchObject({ refused: 1 });
    expect(await count(batch('3', { 'com.a': 2, 'com.b': 3 }))).toMatchObject({ counted: 1 });
    expect(await totals()).toEqual({ 'com.a': most - 3, 'com.b': 3 });
    expect(await batches.get('key 1', '2')).toMatchObject({ state: 'refused', countedAt: null });
    expect((await batches.reverse('key 1', '2')).state).toBe('refused');
    expect(await ledger.differences()).toEqual([]);
  });

  it('may name so many new hosts a day; what a parent has no room for is none', async () => {
    const count = await consumer();
    fold = new HostFold(ledger.database, { children: 2, childrenOfSuffix: 2 });
    const names = (...list: string[]) => Object.fromEntries(list.map((name) => [name, 1]));
    const first = batch('1', names('com.a', 'com.b'));
    await accept(first, 3);
    await expect(accept(batch('2', names('com.c', 'com.d')), 3)).rejects.toMatchObject({ code: 'too-many-new-hosts' });
    await expect(batches.get('key 1', '2')).rejects.toMatchObject({ code: 'host-batch-not-found' });
    expect(await accept(batch('2', names('com.c', 'com.d'), 'key 2'), 3)).toBeDefined();
    await count(first, batch('4', names('com.c')));
    await totals();
    expect(await accept(batch('5', names('com.a', 'com.b', 'com.x', 'com.y', 'com.z')), 3)).toBeDefined();
    await ledger.server.query(`UPDATE host_feed_days SET day = day - 2`);
    expect(await accept(batch('6', names('net.c', 'net.d', 'net.e')), 3)).toBeDefined();
    // 103 lines and 102.
    expect(await accept(batch('7', names('com.a', 'com.b')), 3, 205)).toBeDefined();
    await expect(accept(batch('8', names('com.a')), 3, 205)).rejects.toMatchObject({ code: 'too-many-counts' });
    expect((await accept(batch('7', names('com.a', 'com.b')), 3, 205))?.state).toBe('accepted');
    await batches.expire();
    expect(await ledger.server.query('SELECT stream FROM host_feed_days')).toEqual([{ stream: 'key 1' }]);
  });

  it('lose their names when they are old, but for names that no fold has met, and go much later', async () => {
    const count = await consumer();
    const first = batch('1', { 'com.a': 5 });
    await count(first, batch('2', { 'com.a': 7, 'com.b': 1 }));
    await totals();
    await count(batch('0', { 'net.late': 3 }));
    const whole = () => ledger.server.query('SELECT key FROM host_batches WHERE names IS NOT NULL ORDER BY key');
    await ledger.server.query(`UPDATE host_batches SET settled_at = now() - interval '6.9 days'`);
    expect(await batches.expire()).toEqual({ ended: 0, expired: 0 });
    await ledger.server.query(`UPDATE host_batches SET settled_at = now() - interval '7.1 days'`);
    await ledger.database.transaction(async (tx) => {
      await tx.query(`SELECT pg_advisory_xact_lock(hashtext('expire-host-batches'))`);
      expect(await batches.expire()).toEqual({ ended: 0, expired: 0 });
    });
    const reports = await Promise.all([batches.expire(), batches.expire()]);
    expect(reports.reduce((sum, { ended }) => sum + ended, 0)).toBe(2);
    expect(await whole()).toEqual([{ key: '0' }]);
    expect(await ledger.differences()).toEqual([]);
    await expect(batches.reverse('key 1', '1')).rejects.toMatchObject({ code: 'host-batch-ended' });
    expect([(await batches.get('key 1', '1')).state, await count(first)]).toMatchObject(['counted', { known: 1 }]);
    expect(await totals()).toEqual({ 'com.a': 12, 'com.b': 1, 'net.late': 3 });
    expect(await batches.expire()).toEqual({ ended: 1, expired: 0 });
    await ledger.server.query(`UPDATE host_batches SET accepted_at = now() - interval '37 days'`);
    expect(await batches.expire()).toEqual({ ended: 0, expired: 3 });
    await expect(batches.get('key 1', '1')).rejects.toMatchObject({ code: 'host-batch-not-found' });
    expect(await ledger.differences()).toEqual([]);
  });

  it('of one stream wait for each other, and the database answers all else meanwhile', async () => {
    const LOCK = `SELECT pg_advisory_xact_lock(hashtext('host batches of ' || $1))`;
    const WAITING = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    let waiting: Promise<unknown> = Promise.resolve();
    await ledger.database.transaction(async (tx) => {
      await tx.query(LOCK, ['key 1']);
      // More than there are connections.
      waiting = Promise.all(Array.from({ length: 30 }, (_, nth) => accept(batch(String(nth), { 'com.a': 1 }))));
      const isWaiting = async () => (await ledger.server.query(WAITING)).length > 0;
      await waitUntil(isWaiting, { describe: 'the stream is waited for' });
      expect(await accept(batch('1', { 'com.a': 1 }, 'key 2'))).toMatchObject({ state: 'accepted' });
      expect(await ledger.database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(await ledger.server.query(WAITING)).toHaveLength(1);
    });
    expect(await waiting).toHaveLength(30);
  });

  it.each([21, 22])('are what their batches say, kept or ended, beside visits (seed %i)', async (seed) => {
    const random = randomSource(seed);
    await ledger.addLink('1');
    const [visits, consumers] = [await ledger.consumer(), [await consumer(), await consumer()]];
    const given: HostCountsV1[] = [];
    const sums: Record<string, number> = {};
    const add = ({ names, counts }: HostCountsV1, sign: 1 | -1) =>
      names.forEach((name, nth) => (sums[name] = (sums[name] ?? 0) + sign * (counts[nth] ?? 0)));
    const reversed = new Set<HostCountsV1>();
    for (let step = 0; step < 60; step += 1) {
      const action = random.below(8);
      const known = given.length === 0 ? undefined : random.pick(given);
      if (action < 3) {
        const names = Array.from({ length: 1 + random.below(5) }, () => `com.${random.pick(['a', 'b', 'c', 'd.e'])}`);
        const next = batch(String(step), Object.fromEntries(names.map((name) => [name, 1 + random.below(1_000)])));
        given.push(next);
        add(next, 1);
        await random.pick(consumers)(next, ...(known === undefined ? [] : [known]));
      } else if (action === 3 && known !== undefined && !reversed.has(known)) {
        const isThere = await batches.reverse(known.stream, known.key).catch(() => undefined);
        if (isThere === undefined) continue;
        reversed.add(known);
        add(known, -1);
      } else if (action === 4) {
        await totals();
        const what = random.pick(['settled_at', "accepted_at = now() - interval '37 days', settled_at"]);
        await ledger.server.query(
          `UPDATE host_batches SET ${what} = now() - interval '8 days' WHERE key = (SELECT key FROM host_batches ORDER BY names IS NULL, key LIMIT 1)`,
        );
        await batches.expire();
        // Its record, delivered once more, would be a dead letter: it is too old.
        const left = await ledger.server.query<{ key: string }>('SELECT key FROM host_batches');
        for (const one of given.splice(0)) if (left.some(({ key }) => key === one.key)) given.push(one);
      } else if (action === 7) {
        const next = batch(String(step), { 'com.w': 1 + random.below(1_000) });
        await accept(next);
        await batches.reverse(next.stream, next.key);
        given.push(next);
        reversed.add(next);
      } else if (action === 5) await visits([enrichedVisit({ linkId: '1' }), enrichedVisit({ linkId: '1' })]);
      else if (action === 6) await fold.fold();
      if (step % 10 === 9) expect(await ledger.differences()).toEqual([]);
    }
    const rest = Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
    expect(await totals()).toEqual(rest);
    expect(await ledger.differences()).toEqual([]);
    await ledger.server.query(
      `UPDATE host_traffic SET p = p + 1 WHERE ctid = (SELECT max(ctid) FROM host_traffic WHERE kind = 3)`,
    );
    expect((await ledger.differences()).map(({ check }) => check).sort()).toEqual(['fed', 'fed', 'host-totals']);
  });
});
