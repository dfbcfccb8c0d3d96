import { randomUUID } from 'node:crypto';

import { AppError } from '@hopcount/runtime';
import type { Admin, Consumer, EachBatchPayload } from 'kafkajs';

import { createKafka, type KafkaConnection } from '../client/create-kafka.js';
import { toRecord } from '../batch/to-record-batch.js';
import type { IncomingRecord } from '../records.js';
import { kafkaFailure } from './kafka-failure.js';

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
  /** Ends the reading, after what is being handed over. */
  signal?: AbortSignal | undefined;
}

/** Longest wait for the broker to hand over what it said it has. */
const IDLE_TIMEOUT_MS = 30_000;
const HEARTBEAT_EVERY_MS = 2_000;
/** While nothing comes: whether retention took what is waited for. */
const LOOK_EVERY_MS = 1_000;

/**
 * Reads ranges of a topic for looking at them: commits nothing and uses a group of its own that is
 * deleted again, so no consumer's place changes. Each record is handed over once; what retention
 * removes meanwhile is left out. Resolves when all ranges are read, rejects with what `onRecords` throws.
 * @throws kafkajs' errors, or AppError `kafka-unavailable`, when the brokers cannot be reached or hand nothing over.
 */
export async function readTopicRanges(connection: KafkaConnection, reading: RangeReading): Promise<void> {
  const wanted = reading.ranges.filter((range) => range.to > range.from);
  if (wanted.length === 0) return;
  const kafka = createKafka(connection);
  const groupId = `${connection.clientId}-peek-${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200, sessionTimeout: 10_000 });
  const admin = kafka.admin();
  const run = new RangeRun(consumer, admin, { ...reading, ranges: wanted });
  try {
    await consumer.connect();
    await consumer.subscribe({ topic: reading.topic, fromBeginning: true });
    await run.finished();
  } catch (error) {
    throw run.handlerFailure ?? kafkaFailure(error);
  } finally {
    // All is read, or has failed for another reason: that closing fails changes neither.
    await consumer.disconnect().catch(() => undefined);
    await deleteGroup(admin, groupId);
  }
}

/** One reading: ends by its last range, by an error or by the signal, whichever comes first. */
class RangeRun {
  readonly #next: Map<number, bigint>;
  readonly #ends: Map<number, bigint>;
  #idle: NodeJS.Timeout | undefined;
  #idleSinceMs = performance.now();
  /** What `onRecords` threw. */
  handlerFailure: Error | undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(
    private readonly consumer: Consumer,
    private readonly admin: Admin,
    private readonly reading: RangeReading,
  ) {
    this.#next = new Map(reading.ranges.map(({ partition, from }) => [partition, from]));
    this.#ends = new Map(reading.ranges.map(({ partition, to }) => [partition, to]));
  }

  async finished(): Promise<void> {
    const { topic, ranges, signal } = this.reading;
    const stop = () => {
      if (this.#idle !== undefined) this.#resolve();
    };
    signal?.addEventListener('abort', stop, { once: true });
    const { CRASH } = this.consumer.events;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#resolve = resolve;
        this.#reject = reject;
        this.#restartIdle();
        // What kafkajs gives up for good would never hand over anything.
        this.consumer.on(CRASH, ({ payload }) => {
          if (!payload.restart) reject(payload.error);
        });
        this.consumer
          .run({ autoCommit: false, eachBatch: (payload) => this.#take(payload) })
          .catch((error: unknown) => reject(error as Error));
        for (const { partition, from } of ranges) {
          this.consumer.seek({ topic, partition, offset: from.toString() });
        }
      });
    } finally {
      this.#stopIdle();
      signal?.removeEventListener('abort', stop);
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
      .map(toRecord)
      .filter(({ offset }) => offset >= next && offset < end)
      .map(({ offset, key, value, headers, timestampMs }) => ({ partition, offset, key, value, headers, timestampMs }));
    this.#stopIdle();
    try {
      if (records.length > 0) await withHeartbeats(payload, () => this.reading.onRecords(records));
    } catch (error) {
      this.#ends.clear();
      this.handlerFailure = error as Error;
      return this.#reject(error as Error);
    }
    this.#reach(partition, BigInt(batch.lastOffset()) + 1n);
    if (!this.#ends.has(partition)) this.#pause(partition);
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

  #reach(partition: number, reached: bigint): void {
    const next = this.#next.get(partition) ?? reached;
    this.#next.set(partition, reached > next ? reached : next);
    if (reached >= (this.#ends.get(partition) ?? reached)) this.#ends.delete(partition);
  }

  #restartIdle(): void {
    this.#stopIdle();
    this.#idleSinceMs = performance.now();
    this.#lookLater();
  }

  #stopIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  #lookLater(): void {
    const timer = setTimeout(() => {
      const isOver = performance.now() - this.#idleSinceMs > IDLE_TIMEOUT_MS;
      const message = `${this.reading.topic} handed over nothing in ${IDLE_TIMEOUT_MS} ms`;
      if (isOver) return this.#reject(new AppError('kafka-unavailable', message, { retryable: true }));
      void this.#look().finally(() => {
        // Unless a batch came meanwhile, which has set another one.
        if (this.#idle === timer) this.#lookLater();
      });
    }, LOOK_EVERY_MS);
    this.#idle = timer;
  }

  /**
   * Between the question for a log's ends and its reading, or meanwhile, retention or an operator may have removed what is
   * waited for: no batch would ever say so.
   */
  async #look(): Promise<void> {
    try {
      await this.admin.connect();
      const logs = await this.admin.fetchTopicOffsets(this.reading.topic);
      if (this.#idle === undefined) return;
      for (const { partition, low } of logs) if (this.#ends.has(partition)) this.#reach(partition, BigInt(low));
      if (this.#ends.size === 0) this.#resolve();
    } catch {
      // Asked again a second later, until the idle time is over, which is told.
    }
  }
}

/** The work may take longer than a session; without heartbeats the group would start over meanwhile. */
async function withHeartbeats(payload: EachBatchPayload, work: () => Promise<void> | void): Promise<void> {
  // A session that ends is noticed by the fetch after it.
  const timer = setInterval(() => void payload.heartbeat().catch(() => undefined), HEARTBEAT_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

async function deleteGroup(admin: Admin, groupId: string): Promise<void> {
  try {
    await admin.connect();
    await admin.deleteGroups([groupId]);
  } catch {
    // an empty group expires by itself
  } finally {
    await admin.disconnect().catch(() => undefined); // the work is done, or its own error matters
  }
}
