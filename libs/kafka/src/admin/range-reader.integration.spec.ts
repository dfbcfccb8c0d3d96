import { createLogger } from '@hopcount/runtime';
import { serviceAddress, testTopic, type TestTopic } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { readTopicRanges } from './range-reader.js';

describe('a range of a topic', () => {
  const connection = {
    brokers: serviceAddress('KAFKA_BROKERS').split(','),
    clientId: 'range-reader-spec',
    logger: createLogger({ name: 'spec', level: 'silent' }),
  };
  let topic: TestTopic;
  beforeEach(async () => {
    topic = await testTopic({ partitions: 2 });
    await topic.produce(Array.from({ length: 10 }, (_, nth) => ({ partition: nth % 2, value: `v${nth}` })));
  });
  afterEach(() => topic.delete());

  const read = async (onValue: (value: string) => void = () => undefined, signal?: AbortSignal) => {
    const values: string[] = [];
    await readTopicRanges(connection, {
      ...{ topic: topic.name, ranges: [0, 1].map((partition) => ({ partition, from: 0n, to: 5n })), signal },
      onRecords: (records) => {
        for (const { value } of records) values.push(String(value));
        values.forEach(onValue);
      },
    });
    return values.sort();
  };

  it('whose records retention removed before they were read is what is left of it', async () => {
    await topic.dropBefore([
      { partition: 0, offset: '5' },
      { partition: 1, offset: '3' },
    ]);
    expect(await read()).toEqual(['v7', 'v9']);
    await topic.dropBefore([{ partition: 1, offset: '5' }]);
    expect(await read()).toEqual([]);
  });

  it('fails with what its handler threw, whatever that is', async () => {
    const defect = new TypeError('a defect');
    const failing = read(() => {
      throw defect;
    });
    await expect(failing).rejects.toBe(defect);
  });

  it('fails as kafkajs names it when no broker answers', async () => {
    const reading = readTopicRanges(
      { ...connection, brokers: ['127.0.0.1:1'] },
      { topic: topic.name, ranges: [{ partition: 0, from: 0n, to: 5n }], onRecords: () => undefined },
    );
    await expect(reading).rejects.toMatchObject({ name: expect.stringMatching(/^KafkaJS/) });
  });
});
