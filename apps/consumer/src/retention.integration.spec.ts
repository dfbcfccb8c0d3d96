import { Database } from '@hopcount/postgres';
import { buildVisitEvent, assertSameIds, visitRecord, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ConsumerBench, consumerBench, ledgerIds, metricOf, readiness } from './consumer.spec-helpers.js';

const TEST_MS = 90_000;
const LOST = 'hopcount_visits_lost_to_retention_total';

describe('F28: retention overtakes the consumer', () => {
  let bench: ConsumerBench;

  beforeEach(async () => {
    bench = await consumerBench({ partitions: 2 });
  });
  afterEach(() => bench.close());

  /** Published to one partition, in order. */
  const publish = async (count: number, partition = 0) => {
    const visits = Array.from({ length: count }, () => buildVisitEvent());
    await bench.topic.produce(visits.map((visit) => ({ ...visitRecord(visit), partition })));
    return visits.map(({ eventId }) => eventId);
  };
  const gaps = () =>
    bench.database.query<{ partition: number; gap: string }>(
      `SELECT partition, from_offset || ' to ' || to_offset AS gap FROM lost_offsets ORDER BY id`,
    );
  /** Exactly these are counted, in every sum. */
  const counted = async (ids: string[]) => {
    assertSameIds(ids, await ledgerIds(bench.database, ids.length));
    await bench.untilRead();
    expect(await bench.sums()).toEqual([ids.length, ids.length, ids.length]);
  };

  it(
    'while it is stopped: the gap is counted, noted once and shown, and counting goes on',
    async () => {
      const before = await publish(10);
      const first = await bench.start();
      await counted(before);
      expect(await readiness(first, 'retention')).toEqual({ status: 'pass' });
      await first.stop();
      const whileStopped = await publish(20);
      const elsewhere = await publish(5, 1);
      await bench.topic.dropBefore([{ partition: 0, offset: '17' }]);
      const second = await bench.start();
      await counted([...before, ...whileStopped.slice(7), ...elsewhere]);
      expect(await gaps()).toEqual([{ partition: 0, gap: '10 to 17' }]);
      expect(await metricOf(second, LOST, `topic="${bench.topic.name}"`, 'partition="0"')).toBe(7);
      expect(await readiness(second, 'retention')).toMatchObject({
        status: 'warn',
        detail: expect.stringContaining('7 records'),
      });
      await second.stop();
      const third = await bench.start();
      await counted([...before, ...whileStopped.slice(7), ...elsewhere, ...(await publish(3))]);
      expect([await gaps(), await metricOf(third, LOST)]).toEqual([[{ partition: 0, gap: '10 to 17' }], 0]);
      expect((await readiness(third, 'retention')).status).toBe('warn');
    },
    TEST_MS,
  );

  it(
    'all of the log is gone: the checkpoint goes to its end, so that nothing is pending for ever',
    async () => {
      const before = await publish(4);
      await (await bench.start().then(async (consumer) => (await counted(before), consumer))).stop();
      await publish(6);
      await bench.topic.dropBefore([{ partition: 0, offset: '10' }]);
      const consumer = await bench.start();
      await bench.untilRead();
      expect([await gaps(), await metricOf(consumer, LOST)]).toEqual([[{ partition: 0, gap: '4 to 10' }], 6]);
      await counted([...before, ...(await publish(2))]);
    },
    TEST_MS,
  );

  it(
    "while it runs, held up by a database that does not answer: found when kafkajs goes on at the log's start",
    async () => {
      const before = await publish(10);
      const consumer = await bench.start();
      await counted(before);
      const database = await Database.connect({ url: bench.database.url, applicationName: 'spec', poolSize: 1 });
      let inHand: string[] = [];
      let rest: string[] = [];
      await database.transaction(async (tx) => {
        await tx.query('SELECT FROM consumer_checkpoints WHERE partition = 0 FOR UPDATE');
        inHand = await publish(5);
        await waitUntil(
          async () => (await metricOf(consumer, 'hopcount_kafka_consumer_oldest_unread_age_seconds')) > 0,
          {
            timeoutMs: 30_000,
            describe: 'the batch is in hand and its age is told',
          },
        );
        rest = await publish(15);
        await bench.topic.dropBefore([{ partition: 0, offset: '22' }]);
      });
      await database.close();
      await counted([...before, ...inHand, ...rest.slice(7)]);
      expect([await gaps(), await metricOf(consumer, LOST)]).toEqual([[{ partition: 0, gap: '15 to 22' }], 7]);
      await waitUntil(
        async () => (await metricOf(consumer, 'hopcount_kafka_consumer_oldest_unread_age_seconds')) === 0,
        {
          describe: 'nothing is unread any more',
        },
      );
      expect(await metricOf(consumer, 'hopcount_kafka_consumer_rebalances_total')).toBe(1);
    },
    TEST_MS,
  );

  it(
    'another group of the same ledger misses nothing that was counted before it began',
    async () => {
      const before = await publish(10);
      await (await bench.start().then(async (consumer) => (await counted(before), consumer))).stop();
      const later = await publish(6);
      await bench.topic.dropBefore([{ partition: 0, offset: '12' }]);
      await bench.start({ CONSUMER_GROUP: `another-${bench.topic.name}` });
      assertSameIds([...before, ...later.slice(2)], await ledgerIds(bench.database, 14));
      expect(await gaps()).toEqual([{ partition: 0, gap: '10 to 12' }]);
    },
    TEST_MS,
  );
});
