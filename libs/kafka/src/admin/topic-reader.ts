import { randomUUID } from 'node:crypto';

import type { Kafka } from 'kafkajs';

import { createKafka, type KafkaConnection } from '../client/create-kafka.js';
import type { IncomingRecord } from '../records.js';

export interface TopicRecord extends IncomingRecord {
  partition: number;
}

export interface TopicPage {
  /** At most `limit`, the newest ones, in order of their broker's time. */
  records: TopicRecord[];
  /** Records the topic holds in all. */
  total: bigint;
}

interface Range {
  partition: number;
  from: bigint;
  to: bigint;
}

/** Longest wait for the broker to hand over what it said it has. */
const READ_TIMEOUT_MS = 30_000;

/**
 * The newest `limit` records of a topic, for looking at it: commits nothing and uses a group of its
 * own that is deleted again, so no consumer's place changes. A missing topic is an empty one.
 * @throws kafkajs' errors when the brokers cannot be reached.
 */
export async function readNewestRecords(
  connection: KafkaConnection,
  { topic, limit }: { topic: string; limit: number },
): Promise<TopicPage> {
  const kafka = createKafka(connection);
  const admin = kafka.admin();
  await admin.connect();
  try {
    if (!(await admin.listTopics()).includes(topic)) return { records: [], total: 0n };
    const offsets = await admin.fetchTopicOffsets(topic);
    const total = offsets.reduce((sum, { low, high }) => sum + BigInt(high) - BigInt(low), 0n);
    const ranges = offsets.map(({ partition, low, high }) => newest(partition, BigInt(low), BigInt(high), limit));
    const wanted = ranges.filter((range) => range.to > range.from);
    const groupId = `${connection.clientId}-peek-${randomUUID()}`;
    const records = await readRanges(kafka, groupId, topic, wanted);
    await admin.deleteGroups([groupId]).catch(() => undefined); // an empty group expires by itself
    records.sort((a, b) => a.timestampMs - b.timestampMs || a.partition - b.partition || Number(a.offset - b.offset));
    return { records: records.slice(-limit), total };
  } finally {
    await admin.disconnect();
  }
}

function newest(partition: number, low: bigint, high: bigint, limit: number): Range {
  const from = high - BigInt(limit);
  return { partition, from: from > low ? from : low, to: high };
}

async function readRanges(kafka: Kafka, groupId: string, topic: string, ranges: Range[]): Promise<TopicRecord[]> {
  if (ranges.length === 0) return [];
  const records: TopicRecord[] = [];
  const open = new Map(ranges.map((range) => [range.partition, range]));
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200, sessionTimeout: 10_000 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${topic} was not read in ${READ_TIMEOUT_MS} ms`)),
        READ_TIMEOUT_MS,
      );
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      consumer
        .run({
          autoCommit: false,
          eachBatch: ({ batch }) => {
            const range = open.get(batch.partition);
            if (range === undefined) return Promise.resolve();
            for (const { offset, key, value, headers, timestamp } of batch.messages) {
              const at = BigInt(offset);
              if (at < range.from || at >= range.to) continue;
              records.push({
                partition: batch.partition,
                offset: at,
                key,
                value,
                headers: headers ?? {},
                timestampMs: Number(timestamp),
              });
            }
            if (BigInt(batch.lastOffset()) + 1n >= range.to) open.delete(batch.partition);
            if (open.size === 0) done();
            return Promise.resolve();
          },
        })
        .catch((error: unknown) => reject(error as Error));
      for (const range of ranges) consumer.seek({ topic, partition: range.partition, offset: range.from.toString() });
    });
    return records;
  } finally {
    await consumer.disconnect();
  }
}
