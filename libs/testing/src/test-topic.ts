import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import kafkajs, { type Admin, type IHeaders, type Kafka as KafkaClient, type Producer } from 'kafkajs';

import { serviceAddress } from './service-addresses.js';

const { ConfigResourceTypes, Kafka, logLevel, Partitioners } = kafkajs;

export interface TestRecord {
  key?: string | Buffer | null;
  value: string | Buffer | null;
  headers?: IHeaders;
  /** Left out: chosen from the key as any client would. */
  partition?: number;
}

export interface ReadRecord {
  partition: number;
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  headers: IHeaders;
}

/** A topic of its own on the test run's Kafka. */
export interface TestTopic {
  readonly name: string;
  readonly partitions: number;
  readonly brokers: string[];
  /** Resolves once every record is acknowledged by all replicas. */
  produce(records: readonly TestRecord[]): Promise<void>;
  /** All records now in it, by partition and offset. */
  readAll(): Promise<ReadRecord[]>;
  /** Log start and end of each partition. */
  offsets(): Promise<{ partition: number; low: string; high: string }[]>;
  /** As an operator does it: more partitions, or other settings. */
  addPartitions(total: number): Promise<void>;
  configure(settings: Record<string, string>): Promise<void>;
  /** As retention does it: the records before these offsets are gone. */
  dropBefore(offsets: readonly { partition: number; offset: string }[]): Promise<void>;
  /** Deletes the topic and closes the clients. */
  delete(): Promise<void>;
}

export interface TestTopicOptions {
  partitions?: number;
  /** Begins the topic's name; the rest is random. */
  label?: string;
  /** The whole name, to make a topic that somebody waits for. */
  name?: string;
}

export async function testTopic(options: TestTopicOptions = {}): Promise<TestTopic> {
  const brokers = serviceAddress('KAFKA_BROKERS').split(',');
  const name = options.name ?? `test-${options.label ?? 'topic'}-${randomBytes(6).toString('hex')}`;
  const partitions = options.partitions ?? 1;
  const kafka = new Kafka({ clientId: name, brokers, logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  let producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await Promise.all([admin.connect(), producer.connect()]);
  await admin.createTopics({ waitForLeaders: false, topics: [{ topic: name, numPartitions: partitions }] });
  await untilLed(admin, name, partitions);
  return {
    name,
    partitions,
    brokers,
    produce: (records) => produce(producer, name, records),
    readAll: () => readAll(kafka, admin, name),
    offsets: async () =>
      (await admin.fetchTopicOffsets(name)).map(({ partition, low, high }) => ({ partition, low, high })),
    addPartitions: async (total) => {
      await admin.createPartitions({ topicPartitions: [{ topic: name, count: total }] });
      await untilLed(admin, name, total);
      // kafkajs drops records for a partition it does not know yet, without a word.
      await producer.disconnect();
      producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
    },
    configure: async (settings) => {
      const configEntries = Object.entries(settings).map(([entry, value]) => ({ name: entry, value }));
      const resources = [{ type: ConfigResourceTypes.TOPIC, name, configEntries }];
      await admin.alterConfigs({ validateOnly: false, resources });
    },
    dropBefore: async (offsets) => {
      await admin.deleteTopicRecords({ topic: name, partitions: [...offsets] });
    },
    delete: async () => {
      await admin.deleteTopics({ topics: [name] });
      await Promise.all([producer.disconnect(), admin.disconnect()]);
    },
  };
}

const LEADER_TIMEOUT_MS = 15_000;

/**
 * A broker learns of a new topic a moment after the controller has confirmed it, and leads it another
 * moment after its metadata say so; kafkajs's own `waitForLeaders` takes the first for a failure.
 */
async function untilLed(admin: Admin, topic: string, partitions: number): Promise<void> {
  const deadline = Date.now() + LEADER_TIMEOUT_MS;
  for (;;) {
    try {
      if ((await admin.fetchTopicOffsets(topic)).length === partitions) return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    if (Date.now() > deadline) throw new Error(`${topic} has no leaders after ${LEADER_TIMEOUT_MS} ms`);
    await sleep(50);
  }
}

/** A visit is about 900 bytes; the broker takes 1 MB. */
const RECORDS_PER_REQUEST = 1_000;

async function produce(producer: Producer, topic: string, records: readonly TestRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += RECORDS_PER_REQUEST) {
    const messages = records.slice(start, start + RECORDS_PER_REQUEST);
    await producer.send({ topic, acks: -1, messages });
  }
}

/** Reads from the log's start to where it ends at this moment, in a group that is deleted afterwards. */
async function readAll(kafka: KafkaClient, admin: Admin, topic: string): Promise<ReadRecord[]> {
  const ends = new Map<number, bigint>();
  for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
    if (BigInt(high) > BigInt(low)) ends.set(partition, BigInt(high));
  }
  if (ends.size === 0) return [];
  const groupId = `${topic}-read-${randomBytes(4).toString('hex')}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
  const records: ReadRecord[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  try {
    await new Promise<void>((resolve, reject) => {
      // With `restart` kafkajs tries again by itself, e.g. while a fresh broker's coordinator still loads.
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        if (!payload.restart) reject(payload.error);
      });
      consumer
        .run({
          autoCommit: false,
          eachBatch: ({ batch }) => {
            const end = ends.get(batch.partition);
            for (const { offset, key, value, headers } of batch.messages) {
              if (end === undefined || BigInt(offset) >= end) continue;
              records.push({ partition: batch.partition, offset, key, value, headers: headers ?? {} });
            }
            if (end !== undefined && BigInt(batch.lastOffset()) >= end - 1n) ends.delete(batch.partition);
            if (ends.size === 0) resolve();
            return Promise.resolve();
          },
        })
        .catch(reject);
    });
  } finally {
    await consumer.disconnect();
    await admin.deleteGroups([groupId]).catch(() => undefined); // Kafka forgets an empty group by itself
  }
  return records.sort((a, b) => a.partition - b.partition || Number(BigInt(a.offset) - BigInt(b.offset)));
}
