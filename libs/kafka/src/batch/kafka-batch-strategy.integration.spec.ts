import { createLogger, Registry } from '@hopcount/runtime';
import { sessionTimeoutMs, type TestTopic, testTopic, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { KafkaAdmin } from '../admin/kafka-admin.js';
import { createKafkaMetrics } from '../kafka.metrics.js';
import type { RecordBatch } from '../records.js';
import type { KafkaBatchOptions } from './kafka-batch-strategy.js';
import { type BatchService, type HandleBatch, startBatchService } from './start-batch-service.js';

const logger = createLogger({ name: 'test', level: 'silent' });

const values = (batch: RecordBatch) => batch.records.map((record) => String(record.value));
const endOf = (batch: RecordBatch) => (batch.records.at(-1)?.offset ?? -1n) + 1n;

describe('KafkaBatchStrategy', () => {
  let topic: TestTopic;
  let admin: KafkaAdmin;
  const apps: BatchService[] = [];

  beforeEach(async () => {
    topic = await testTopic({ partitions: 2, label: 'strategy' });
    admin = new KafkaAdmin({ brokers: topic.brokers, clientId: 'test', logger });
  });

  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await admin.close();
    await topic.delete();
  });

  async function consume(handle: HandleBatch, options: Partial<KafkaBatchOptions> = {}) {
    const service = await startBatchService(
      {
        brokers: topic.brokers,
        clientId: 'test',
        groupId: `group-${topic.name}`,
        topic: topic.name,
        sessionTimeoutMs: sessionTimeoutMs(),
        logger,
        metrics: createKafkaMetrics(new Registry()),
        ...options,
      },
      handle,
    );
    apps.push(service);
    return service;
  }

  const produce = (partition: number, ...texts: string[]) =>
    topic.produce(texts.map((value) => ({ key: value, value, partition })));
  const committed = async () => {
    const offsets = await admin.groupOffsets(`group-${topic.name}`, topic.name);
    return offsets.map(({ offset }) => offset?.toString() ?? null);
  };

  it('says of each member what it reads, and shares partitions with members that say nothing', async () => {
    const about = { version: '1.2.3', reads: [1, 2] };
    const taken = new Set<string>();
    const handle = (name: string) => (batch: RecordBatch) => {
      taken.add(`${name} ${batch.partition}`);
      return Promise.resolve(endOf(batch));
    };
    await consume(handle('new'), { about });
    await consume(handle('old'));
    const members = () => admin.groupMembers(`group-${topic.name}`);
    await waitUntil(async () => (await members()).length === 2 && (await members()).some((one) => one !== undefined), {
      describe: 'two members',
    });
    expect(await members()).toEqual(expect.arrayContaining([about, undefined]));
    await waitUntil(
      async () => {
        await Promise.all([produce(0, 'a'), produce(1, 'b')]);
        return [...taken].some((one) => one.startsWith('new')) && [...taken].some((one) => one.startsWith('old'));
      },
      { describe: 'a partition for each' },
    );
  });

  it('hands over batches in order and commits what the handler answers', async () => {
    await produce(0, 'a', 'b', 'c');
    const seen: string[] = [];
    await consume((batch) => {
      seen.push(...values(batch));
      return Promise.resolve(endOf(batch));
    });
    await waitUntil(async () => (await committed())[0] === '3', { describe: 'offset 3 committed', timeoutMs: 20_000 });
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('reads a failed batch again from the same offset, lets none of its partition pass, and the others go on', async () => {
    await produce(0, 'a', 'b');
    const seen: Record<number, string[][]> = { 0: [], 1: [] };
    let failures = 3;
    await consume(async (batch) => {
      seen[batch.partition]?.push(values(batch));
      if (batch.partition === 0 && failures-- > 0) throw new Error('not yet');
      await Promise.resolve();
      return endOf(batch);
    });
    await waitUntil(() => seen[0]?.length === 1, { describe: 'first failure', timeoutMs: 20_000 });
    expect(await committed()).toEqual([null, null]);
    await produce(0, 'c');
    await produce(1, 'x');
    await waitUntil(() => seen[1]?.length === 1, { describe: 'the other partition', timeoutMs: 5_000 });
    await waitUntil(async () => (await committed())[0] === '3', { describe: 'all committed', timeoutMs: 30_000 });
    // Every try begins with the failed record; the last one brings it all.
    expect(seen[0]?.every((batch) => batch[0] === 'a')).toBe(true);
    expect(seen[0]?.at(-1)).toEqual(['a', 'b', 'c']);
  });

  it('starts where the assignment hook says, and handles nothing before it has said so', async () => {
    await produce(0, 'a', 'b', 'c', 'd');
    await produce(1, 'x', 'y');
    const order: string[] = [];
    let attempts = 0;
    await consume(
      (batch) => {
        order.push(...values(batch));
        return Promise.resolve(endOf(batch));
      },
      {
        onAssigned: async (partitions) => {
          attempts += 1;
          await new Promise((resolve) => setTimeout(resolve, 300));
          if (attempts === 1) throw new Error('the database is away');
          order.push(`assigned ${partitions.length}`);
          return new Map([
            [0, 2n],
            [1, undefined],
          ]);
        },
      },
    );
    await waitUntil(() => order.length === 5, { describe: 'four records', timeoutMs: 20_000 });
    expect(order[0]).toBe('assigned 2');
    expect(order.slice(1).sort()).toEqual(['c', 'd', 'x', 'y']);
  });

  it('seeks back also on a partition nothing new comes to', async () => {
    await produce(0, 'a', 'b');
    const first: string[] = [];
    await consume((batch) => {
      first.push(...values(batch));
      return Promise.resolve(endOf(batch));
    });
    await waitUntil(async () => (await committed())[0] === '2', { describe: 'committed', timeoutMs: 20_000 });
    await apps.pop()?.close();
    const again: string[] = [];
    await consume(
      (batch) => {
        again.push(...values(batch));
        return Promise.resolve(endOf(batch));
      },
      { onAssigned: () => Promise.resolve(new Map([[0, 0n]])) },
    );
    await waitUntil(() => again.length === 2, { describe: 'read again', timeoutMs: 20_000 });
  });

  it('tells a waiting handler that the process is stopping', async () => {
    await produce(0, 'a');
    let waiting = false;
    let gaveUp = false;
    await consume(async (_, context) => {
      waiting = true;
      while (context.isCurrent()) await new Promise((resolve) => setTimeout(resolve, 20));
      gaveUp = true;
      throw new Error('given up');
    });
    await waitUntil(() => waiting, { describe: 'the handler waits', timeoutMs: 20_000 });
    await apps.pop()?.close();
    expect(gaveUp).toBe(true);
    expect(await committed()).toEqual([null, null]);
  });

  it('lets the broker wait while nothing comes, has the first record at once and stops at once', async () => {
    const seen: string[] = [];
    const handle: HandleBatch = (batch) => {
      seen.push(...values(batch));
      return Promise.resolve(endOf(batch));
    };
    const waits = { quietWaitMs: 20_000, sessionTimeoutMs: 30_000 };
    const service = await consume(handle, waits);
    const other = await consume(handle, { ...waits, groupId: `other-${topic.name}` });
    const isWaiting = ({ groupStatus }: BatchService) =>
      groupStatus().joined && Date.now() - groupStatus().lastSignOfLifeMs > 1_500;
    const areWaiting = () => isWaiting(service) && isWaiting(other);
    await waitUntil(areWaiting, { describe: 'two long requests', timeoutMs: 30_000 });
    let isClosed = false;
    void other.close().then(() => (isClosed = true));
    await waitUntil(() => isClosed, { describe: 'the end of one', timeoutMs: 12_000 });
    await produce(0, 'a');
    await waitUntil(() => seen.length === 1, { describe: 'the record', timeoutMs: 12_000 });
  });

  describe('with more to read behind a batch', () => {
    const oneBatch = { maxBytesPerPartition: 1 };
    let release: () => void;
    let held: Promise<void>;

    beforeEach(async () => {
      held = new Promise((resolve) => (release = resolve));
      await produce(0, 'a');
      await produce(0, 'b');
    });
    afterEach(() => release());

    it('reads other partitions while it is in hand, but no more of its own', async () => {
      const seen: string[] = [];
      await consume(async (batch) => {
        seen.push(...values(batch));
        if (batch.partition === 0) await held;
        return endOf(batch);
      }, oneBatch);
      await waitUntil(() => seen.includes('a'), { describe: 'the batch in hand', timeoutMs: 20_000 });
      await produce(1, 'x');
      await waitUntil(() => seen.includes('x'), { describe: 'the other partition', timeoutMs: 20_000 });
      await produce(1, 'y');
      await waitUntil(() => seen.includes('y'), { describe: 'the other partition again', timeoutMs: 20_000 });
      expect(seen).toEqual(['a', 'x', 'y']);
      release();
      await waitUntil(async () => (await committed()).join() === '2,2', { describe: 'all', timeoutMs: 20_000 });
      expect(seen).toEqual(['a', 'x', 'y', 'b']);
    });

    it('reads a failed batch of another partition again while it is in hand', async () => {
      for (const text of ['x', 'y']) await produce(1, text);
      const seen: string[] = [];
      let failures = 1;
      await consume(async (batch) => {
        seen.push(...values(batch));
        if (batch.partition === 0) await held;
        else if (failures-- > 0) throw new Error('not yet');
        return endOf(batch);
      }, oneBatch);
      await waitUntil(async () => (await committed())[1] === '2', {
        describe: 'the other partition',
        timeoutMs: 20_000,
      });
      expect(seen.filter((text) => text !== 'a')).toEqual(['x', 'x', 'y']);
    });

    it('has no more batches in hand than it was told', async () => {
      for (const text of ['x', 'y']) await produce(1, text);
      let inHand = 0;
      let most = 0;
      await consume(
        async (batch) => {
          most = Math.max(most, (inHand += 1));
          await new Promise((resolve) => setTimeout(resolve, 100));
          inHand -= 1;
          return endOf(batch);
        },
        { ...oneBatch, partitionsConcurrently: 1 },
      );
      await waitUntil(async () => (await committed()).join() === '2,2', { describe: 'all', timeoutMs: 20_000 });
      expect(most).toBe(1);
    });

    it('after a rebalance looks up where its partition goes on only when it has ended', async () => {
      const order: string[] = [];
      const onAssigned = (partitions: number[]) => {
        if (partitions.includes(0)) order.push('decided');
        return Promise.resolve(new Map<number, bigint>());
      };
      const service = await consume(
        async (batch) => {
          order.push(...values(batch));
          await held;
          order.push('ended');
          return endOf(batch);
        },
        { ...oneBatch, onAssigned },
      );
      await waitUntil(() => order.includes('a'), { describe: 'the batch in hand', timeoutMs: 20_000 });
      const other = await consume((batch) => Promise.resolve(endOf(batch)), {
        onAssigned: () => new Promise(() => {}),
      });
      await waitUntil(() => other.groupStatus().joined, { describe: 'the next generation', timeoutMs: 20_000 });
      await other.close();
      const hasAll = () => service.groupStatus().partitions.length === 2;
      await waitUntil(hasAll, { describe: 'the one after it', timeoutMs: 20_000 });
      expect(order).toEqual(['decided', 'a']);
      release();
      await waitUntil(() => order.length > 3, { describe: 'the next decision', timeoutMs: 20_000 });
      expect(order.slice(0, 4)).toEqual(['decided', 'a', 'ended', 'decided']);
    });
  });

  it('comes up and closes while there is no broker', async () => {
    const strategy = await consume((batch) => Promise.resolve(endOf(batch)), { brokers: ['127.0.0.1:1'] });
    const { lastSignOfLifeMs } = strategy.groupStatus();
    await waitUntil(() => strategy.groupStatus().lastSignOfLifeMs > lastSignOfLifeMs, {
      describe: 'a sign of life after the start',
      timeoutMs: 30_000,
    });
    expect(strategy.groupStatus().joined).toBe(false);
    await apps.pop()?.close();
  });
});
