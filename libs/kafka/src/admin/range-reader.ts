import { randomUUID } from 'node:crypto';

import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';

import { createKafka, type KafkaConnection } from '../client/create-kafka.js';
import type { IncomingRecord } from '../records.js';

export interface TopicRecord extends IncomingRecord {
  partition: number;
}

/** Offsets of one partition: `from` is read, `to` is not. */
export interface OffsetRange {
  partition: number;
  from: bigint;
  to: bigint;
}

export interface RangeReading {
  topic: string;
  ranges: readonly OffsetRange[];
  /** Some records of one partition, in offset order; nothing more is read until it resolves. */
  onRecords: (records: TopicRecord[]) => Promise<void> | void;
  /** Ends the reading after what is being handed over. */
  signal?: AbortSignal | undefined;
}

/** Longest wait for the broker to hand over what it said it has. */
const IDLE_TIMEOUT_MS = 30_000;
const HEARTBEAT_EVERY_MS = 2_000;

/**
 * Reads ranges of a topic for looking at them: commits nothing and uses a group of its own that is
 * deleted again, so no consumer's place changes. Each record is handed over once; what retention
 * removes meanwhile is left out. Resolves when all ranges are read, rejects with what `onRecords` throws.
 * @throws kafkajs' errors when the brokers cannot be reached.
 */
export async function readTopicRanges(connection: KafkaConnection, reading: RangeReading): Promise<void> {
  const wanted = reading.ranges.filter((range) => range.to > range.from);
  if (wanted.length === 0) return;
  const kafka = createKafka(connection);
  const groupId = `${connection.clientId}-peek-${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200, sessionTimeout: 10_000 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic: reading.topic, fromBeginning: true });
    await new RangeRun(consumer, { ...reading, ranges: wanted }).finished();
  } finally {
    await consumer.disconnect();
    await deleteGroup(kafka, groupId);
  }
}

/** One reading: ends by its last range, by an error or by the signal, whichever comes first. */
class RangeRun {
  readonly #next: Map<number, bigint>;
  readonly #ends: Map<number, bigint>;
  #idle: NodeJS.Timeout | undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(
    private readonly consumer: Consumer,
    private readonly reading: RangeReading,
  ) {
    this.#next = new Map(reading.ranges.map(({ partition, from }) => [partition, from]));
    this.#ends = new Map(reading.ranges.map(({ partition, to }) => [partition, to]));
  }

  async finished(): Promise<void> {
    const { topic, ranges } = this.reading;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
        this.#restartIdle();
        this.consumer
          .run({ autoCommit: false, eachBatch: (payload) => this.#take(payload) })
          .catch((error: unknown) => reject(error as Error));
        for (const { partition, from } of ranges) {
          this.consumer.seek({ topic, partition, offset: from.toString() });
        }
      });
    } finally {
      clearTimeout(this.#idle);
    }
  }

  async #take(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const { partition } = batch;
    const end = this.#ends.get(partition);
    const next = this.#next.get(partition);
    if (end === undefined || next === undefined) return this.#pause(partition);
    // A rebalance starts the partition over from its beginning: what was handed over stays so.
    const records = batch.messages
      .filter(({ offset }) => BigInt(offset) >= next && BigInt(offset) < end)
      .map(({ offset, key, value, headers, timestamp }) => ({
        partition,
        offset: BigInt(offset),
        key,
        value,
        headers: headers ?? {},
        timestampMs: Number(timestamp),
      }));
    clearTimeout(this.#idle);
    try {
      if (records.length > 0) await withHeartbeats(payload, () => this.reading.onRecords(records));
    } catch (error) {
      this.#ends.clear();
      return this.#reject(error as Error);
    }
    const reached = BigInt(batch.lastOffset()) + 1n;
    this.#next.set(partition, reached > next ? reached : next);
    if (reached >= end) {
      this.#ends.delete(partition);
      this.#pause(partition);
    }
    if (this.#ends.size === 0 || this.reading.signal?.aborted === true) {
      this.#ends.clear();
      return this.#resolve();
    }
    this.#restartIdle();
  }

  /** A partition that is done, or was never asked for, is not fetched any more. */
  #pause(partition: number): void {
    this.consumer.pause([{ topic: this.reading.topic, partitions: [partition] }]);
  }

  #restartIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(
      () => this.#reject(new Error(`${this.reading.topic} handed over nothing in ${IDLE_TIMEOUT_MS} ms`)),
      IDLE_TIMEOUT_MS,
    );
  }
}

/** The work may take longer than a session; without heartbeats the group would start over meanwhile. */
async function withHeartbeats(payload: EachBatchPayload, work: () => Promise<void> | void): Promise<void> {
  const timer = setInterval(() => void payload.heartbeat().catch(() => undefined), HEARTBEAT_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

async function deleteGroup(kafka: Kafka, groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.deleteGroups([groupId]);
  } catch {
    // an empty group expires by itself
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
