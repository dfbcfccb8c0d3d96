import { createHash } from 'node:crypto';

import { DEAD_LETTER_HEADERS, type HostCountsV1 } from '@hopcount/contracts';
import { buildVisitEvent, type TestTopic, testTopic, visitRecord, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ConsumerBench, consumerBench, metricOf } from '../consumer.spec-helpers.js';

const TEST_MS = 90_000;
const DAY_MS = 86_400_000;

describe('counts of hosts at the consumer', () => {
  let bench: ConsumerBench;
  let counts: TestTopic;

  beforeEach(async () => {
    [bench, counts] = await Promise.all([
      consumerBench({ partitions: 1 }),
      testTopic({ partitions: 2, label: 'counts' }),
    ]);
  });
  afterEach(async () => {
    await bench.close();
    await counts.delete();
  });

  const batch = (key: string, more: Partial<HostCountsV1> = {}): HostCountsV1 => ({
    ...{ version: 1, stream: 'key 1', key, bodyHash: createHash('sha256').update(key).digest('hex') },
    ...{ acceptedAt: Date.now(), names: ['com.example', '~ip.192-0-2-7'], counts: [7, 1] },
    ...more,
  });
  const produce = (partition: number, ...batches: HostCountsV1[]) =>
    counts.produce(batches.map((one) => ({ key: one.key, value: JSON.stringify(one), partition })));
  const start = (environment: Record<string, string> = {}) =>
    bench.start({ HOST_COUNTS_TOPIC: counts.name, ...environment });
  const own = () => `group-${bench.topic.name}`;
  /** Every record is below the checkpoint of the group. */
  const untilRead = (group: string) =>
    waitUntil(
      async () => {
        const rows = await bench.database.query<{ partition: number; next_offset: string }>(
          'SELECT partition, next_offset FROM consumer_checkpoints WHERE topic = $1 AND consumer_group = $2',
          [counts.name, `${group}-hosts`],
        );
        const ends = await counts.offsets();
        return ends.every(
          ({ partition, high }) => rows.find((row) => row.partition === partition)?.next_offset === high,
        );
      },
      { timeoutMs: 40_000, describe: 'all counts are read' },
    );
  const booked = async () => {
    const rows = await bench.database.query<{ host: string; visits: string }>(
      `SELECT change.host, sum(change.p) AS visits FROM host_changes, unnest(kinds, hosts, p) AS change (kind, host, p)
       WHERE change.kind = 3 GROUP BY 1 ORDER BY 1`,
    );
    return Object.fromEntries(rows.map(({ host, visits }) => [host, Number(visits)]));
  };

  it(
    'count once, from another client on another partition, with the topic replayed by two groups; visits are not touched',
    async () => {
      await produce(0, batch('1'), batch('2'), batch('1'));
      await produce(1, batch('2'), batch('3', { stream: 'key 2' }));
      const visit = buildVisitEvent();
      await bench.topic.produce([visitRecord(visit)]);
      const first = await start();
      await untilRead(own());
      await bench.untilRead();
      expect(await booked()).toEqual({ 'com.example': 21, '~ip.192-0-2-7': 3 });
      // Added once COMMIT is answered, and the checkpoint is visible before.
      const counted = () => metricOf(first, 'hopcount_host_batches_total', 'outcome="counted"');
      await waitUntil(async () => (await counted()) >= 3, { describe: 'three batches are counted' });
      expect(await counted()).toBe(3);
      const groups = ['again', 'once-more'].map((name) => `${counts.name}-${name}`);
      await Promise.all(groups.map((group) => start({ CONSUMER_GROUP: group })));
      await Promise.all(groups.map(untilRead));
      expect(await booked()).toEqual({ 'com.example': 21, '~ip.192-0-2-7': 3 });
      expect(await bench.sums()).toEqual([1, 1, 1]);
    },
    TEST_MS,
  );

  it(
    'that are none, too old or of no host are dead letters, and what follows them counts',
    async () => {
      await produce(0, batch('old', { acceptedAt: Date.now() - 36 * DAY_MS }), batch('odd', { counts: [7] }));
      await produce(0, batch('minus', { counts: [7, -1] }), batch('name', { names: ['com.a b', 'com'] }));
      await produce(0, batch('deep', { names: ['com', 'a.b.c.d.e.f.g.h.i'] }));
      await counts.produce([{ key: 'not-json', value: '{', partition: 0 }]);
      await produce(0, batch('good'));
      await start();
      await untilRead(own());
      expect(await booked()).toEqual({ 'com.example': 7, '~ip.192-0-2-7': 1 });
      const letters = await bench.deadLetters.readAll();
      expect(letters.map(({ key, headers }) => [String(key), String(headers[DEAD_LETTER_HEADERS.reason])])).toEqual([
        ['old', 'older-than-ledger'],
        ['odd', 'schema-mismatch'],
        ['minus', 'schema-mismatch'],
        ['name', 'schema-mismatch'],
        ['deep', 'schema-mismatch'],
        ['not-json', 'not-json'],
      ]);
    },
    TEST_MS,
  );

  it(
    'wait while PostgreSQL refuses them, and count once it takes them',
    async () => {
      await bench.database.query(`
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused' USING ERRCODE = '40001'; END $$;
        CREATE TRIGGER refuse BEFORE INSERT ON host_changes FOR EACH ROW EXECUTE FUNCTION refuse();`);
      await produce(0, batch('1'));
      const consumer = await start();
      await waitUntil(async () => (await metricOf(consumer, 'hopcount_batch_retries_total', 'sqlstate="40001"')) > 1, {
        timeoutMs: 40_000,
        describe: 'the transaction is tried again',
      });
      expect(await bench.database.query('SELECT FROM host_batches')).toEqual([]);
      await bench.database.query('DROP TRIGGER refuse ON host_changes');
      await untilRead(own());
      expect([await booked(), await bench.deadLetters.readAll()]).toEqual([
        { 'com.example': 7, '~ip.192-0-2-7': 1 },
        [],
      ]);
    },
    TEST_MS,
  );
});
