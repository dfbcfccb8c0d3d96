import { setTimeout as sleep } from 'node:timers/promises';

import { createLogger } from '@hopcount/runtime';
import { serviceAddress, testTopic, type TestTopic } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createKafka } from '../client/create-kafka.js';
import { readNewestRecords } from './topic-reader.js';

describe('readNewestRecords', () => {
  const connection = {
    brokers: serviceAddress('KAFKA_BROKERS').split(','),
    clientId: 'topic-reader-spec',
    logger: createLogger({ name: 'spec', level: 'silent' }),
  };
  let topic: TestTopic;
  beforeAll(async () => {
    topic = await testTopic({ partitions: 3 });
    for (let index = 0; index < 7; index += 1) {
      await topic.produce([
        { partition: index % 2, key: `k${index}`, value: `v${index}`, headers: { n: String(index) } },
      ]);
      // Records of one millisecond are in the order of their partitions.
      await sleep(2);
    }
  });
  afterAll(() => topic.delete());

  it('reads the newest ones of all partitions in order of time', async () => {
    const page = await readNewestRecords(connection, { topic: topic.name, limit: 3 });
    expect(page.total).toBe(7n);
    expect(page.records.map((record) => record.value?.toString())).toEqual(['v4', 'v5', 'v6']);
    expect(page.records[2]).toMatchObject({ partition: 0, offset: 3n });
    expect(page.records[2]?.headers['n']?.toString()).toBe('6');
  });

  it('reads all of a topic that is smaller than the limit, and none of a missing one', async () => {
    const page = await readNewestRecords(connection, { topic: topic.name, limit: 100 });
    expect(page.records).toHaveLength(7);
    expect(await readNewestRecords(connection, { topic: 'no-such-topic', limit: 5 })).toEqual({
      records: [],
      total: 0n,
    });
  });

  it('leaves no group behind', async () => {
    const admin = createKafka(connection).admin();
    await admin.connect();
    const { groups } = await admin.listGroups();
    await admin.disconnect();
    expect(groups.filter(({ groupId }) => groupId.startsWith('topic-reader-spec'))).toEqual([]);
  });
});
