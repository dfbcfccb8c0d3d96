import { createHash } from 'node:crypto';

import { assertSameIds, buildVisitEvent, newEventId, testDatabase, visitRecord } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ConsumerBench, consumerBench, ledgerIds, startTestConsumer } from './consumer.spec-helpers.js';

const TEST_MS = 90_000;
const DAY_MS = 86_400_000;

describe('what is in the topic, read by whoever reads it', () => {
  let bench: ConsumerBench;

  beforeEach(async () => {
    bench = await consumerBench({ partitions: 3 });
  });
  afterEach(() => bench.close());

  const visits = (count: number, make: (index: number) => Parameters<typeof buildVisitEvent>[0] = () => ({})) =>
    Array.from({ length: count }, (_, index) => buildVisitEvent(make(index)));

  it(
    'F33: counts events of a newer gateway beside those of its own version, and puts aside only a new major version',
    async () => {
      const ours = visits(30);
      const minor = visits(30).map((visit) => ({
        ...visit,
        addedLater: { campaign: 'c', nested: [1, null] },
        signals: { ...visit.signals, addedLater: true },
      }));
      const major = visits(12).map((visit) => ({ ...visit, version: 2, linkId: { renamed: visit.linkId } }));
      const records = [...ours, ...minor, ...major].map((visit) => ({
        key: visit.eventId,
        value: JSON.stringify(visit),
        headers: { addedLater: `of version ${visit.version}` },
      }));
      // Side by side in every partition, as during a roll-out.
      const mixed = records.map((record, index) => ({ ...record, partition: index % 3 }));
      await bench.topic.produce(mixed.sort((a, b) => (a.key.slice(-4) < b.key.slice(-4) ? -1 : 1)));
      await bench.start();
      const countable = [...ours, ...minor].map(({ eventId }) => eventId);
      assertSameIds(countable, await ledgerIds(bench.database, countable.length));
      await bench.untilRead();
      expect(await bench.sums()).toEqual([60, 60, 60]);
      expect(await bench.letters()).toEqual(
        Object.fromEntries(major.map(({ eventId }) => [eventId, 'unsupported-version'])),
      );
      for (const letter of await bench.deadLetters.readAll()) {
        const sent = records.find(({ key }) => key === String(letter.key));
        expect([String(letter.value), String(letter.headers['addedLater'])]).toEqual([
          sent?.value,
          sent?.headers.addedLater,
        ]);
      }
    },
    TEST_MS,
  );

  it(
    'F9: a second ledger, made from the topic alone, equals the first row for row, hashes of every key period included',
    async () => {
      const HASH_KEY_ROTATIONS = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);
      const agents = ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'curl/8.0', null];
      const sent = visits(900, (index) => ({
        eventId: newEventId(Date.now() - (Math.floor(index / 40) % 2) * 3 * DAY_MS),
        linkId: String(100 + (index % 7)),
        userAgent: agents[index % 3] ?? null,
        visitorId: index % 5 === 0 ? null : `visitor-${index % 40}`,
        referrer: index % 2 === 0 ? 'https://example.org/page' : null,
      }));
      const records = sent.map((visit, index) => ({ ...visitRecord(visit), partition: index % 3 }));
      const again = records.slice(0, 200).map((record) => ({ ...record, partition: (record.partition + 1) % 3 }));
      await bench.topic.produce(records);
      const live = await bench.start({ HASH_KEY_ROTATIONS });
      await ledgerIds(bench.database, sent.length);
      await bench.topic.produce(again);
      await bench.untilRead();
      await live.stop();
      // 32 visitors before the rotation and after it.
      const visitors = 'SELECT count(DISTINCT visitor)::int AS visitors FROM visits';
      expect(await bench.database.query(visitors)).toEqual([{ visitors: 64 }]);
      await expect(bench.start()).rejects.toThrow(/HASH_KEY_ROTATIONS is not what hashes were made with/);

      const database = await testDatabase();
      // Clones of one template: a database that was migrated by itself has an incarnation of its own.
      await database.query('UPDATE ledger_incarnation SET incarnation = gen_random_uuid()');
      const shadow = await startTestConsumer({
        ...bench,
        database,
        environment: { CONSUMER_GROUP: `shadow-${bench.topic.name}`, HASH_KEY_ROTATIONS },
      });
      try {
        assertSameIds(
          sent.map(({ eventId }) => eventId),
          await ledgerIds(database, sent.length),
        );
        const untilAgainIsRead = { ...bench, database };
        await untilCheckpoints(untilAgainIsRead, 1_100);
        const hashes = await Promise.all([bench.database, database].map(hashesOf));
        expect(hashes[1]).toEqual(hashes[0]);
        expect(Object.values(hashes[0] ?? {}).every(({ rows }) => rows > 0)).toBe(true);
      } finally {
        await shadow.stop();
        await database.drop();
      }
    },
    TEST_MS,
  );
});

type Queries = Pick<ConsumerBench['database'], 'query'>;

async function untilCheckpoints({ database }: { database: Queries }, offsets: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const [row] = await database.query<{ sum: number }>(
      'SELECT coalesce(sum(next_offset), 0)::int AS sum FROM consumer_checkpoints',
    );
    if (row?.sum === offsets) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the checkpoints did not reach ${offsets}`);
}

/** Every column of every row that follows from the topic; which slot a partition adds to is no such thing. */
const PROJECTIONS = {
  visits: 'SELECT visits::text AS row FROM visits',
  traffic: `SELECT (link_id, bucket, class, sum(visits), bit_xor(checksum))::text AS row FROM link_traffic GROUP BY link_id, bucket, class`,
  scopes: `SELECT (scope, scope_id, bucket, class, sum(visits), bit_xor(checksum))::text AS row FROM scope_traffic GROUP BY scope, scope_id, bucket, class`,
  sources: `SELECT (source, minute, sum(visits), bit_xor(checksum))::text AS row FROM source_traffic GROUP BY source, minute`,
  hosts: `SELECT (kind, host, cell, class, sum(p), sum(n), bit_xor(checksum))::text AS row
    FROM (SELECT unnest(kinds) AS kind, unnest(hosts) AS host, unnest(cells) AS cell, unnest(classes) AS class, unnest(p) AS p, unnest(n) AS n,
      unnest(checksums) AS checksum FROM host_changes) AS change GROUP BY kind, host, cell, class`,
  slots: `SELECT (link_id, potential_bot, sum(visits))::text AS row FROM link_visit_slots GROUP BY link_id, potential_bot`,
};

async function hashesOf(database: Queries): Promise<Record<string, { rows: number; hash: string }>> {
  const entries = Object.entries(PROJECTIONS).map(async ([name, statement]) => {
    const rows = await database.query<{ row: string }>(`${statement} ORDER BY 1`);
    const text = rows.map(({ row }) => row).join('\n');
    return [name, { rows: rows.length, hash: createHash('sha256').update(text).digest('hex') }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
