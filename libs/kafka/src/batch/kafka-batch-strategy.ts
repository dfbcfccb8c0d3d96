import { setTimeout as sleep } from 'node:timers/promises';

import { AppError, isAppError } from '@hopcount/runtime';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import { isObservable, lastValueFrom } from 'rxjs';

import { expectCluster } from '../admin/expect-cluster.js';
import type { KafkaMetrics } from '../kafka.metrics.js';
import type { RecordBatch } from '../records.js';
import type { BatchContext } from './batch-context.js';
import { BatchesInHand } from './batches-in-hand.js';
import {
  type BatchConsumerOptions,
  createBatchConsumer,
  HEARTBEAT_MS,
  SESSION_TIMEOUT_MS,
} from './create-batch-consumer.js';
import { FetchPace } from './fetch-pace.js';
import { HeartbeatWatch } from './heartbeat-watch.js';
import { backOffMs, PartitionStates } from './partition-states.js';
import { toRecordBatch } from './to-record-batch.js';

/** Where to start each partition; left out or undefined: where Kafka would. */
export type AssignmentHook = (
  partitions: number[],
  assignment: { isCurrent: () => boolean },
) => Promise<Map<number, bigint | undefined>>;

export interface KafkaBatchOptions extends BatchConsumerOptions {
  topic: string;
  metrics: KafkaMetrics;
  /** Asked after every join, and again for a partition whose batch failed, before its next batch. */
  onAssigned?: AssignmentHook;
  partitionsConcurrently?: number;
  /** Between two questions to the broker while nothing comes. */
  quietWaitMs?: number;
}

const PARTITIONS_CONCURRENTLY = 3;
const CLOSE_TIMEOUT_MS = 20_000;
const LOST_MEMBERSHIP = new Set([
  'REBALANCE_IN_PROGRESS',
  'NOT_COORDINATOR_FOR_GROUP',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
]);

/**
 * Hands whole batches of one topic to the handler registered with `@EventPattern(topic)`. The handler
 * resolves with the next offset (all below it is safe), which is then committed to Kafka; when it
 * fails, the partition is read again from the same offset after a back-off, and no later batch of it
 * goes on before. Other partitions continue; the broker may be away for any time, also at start-up.
 */
export class KafkaBatchStrategy extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  readonly #consumer: Consumer;
  readonly #states = new PartitionStates();
  readonly #inHand: BatchesInHand;
  readonly #pace: FetchPace;
  #stopping = false;
  #joined = false;
  #isLeaving = false;
  #lastSignOfLifeMs = Date.now();
  readonly #heartbeats: HeartbeatWatch;

  constructor(private readonly options: KafkaBatchOptions) {
    super();
    this.#heartbeats = new HeartbeatWatch(options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS);
    this.#inHand = new BatchesInHand(options.partitionsConcurrently ?? PARTITIONS_CONCURRENTLY);
    this.#pace = new FetchPace(
      options.topic,
      {
        areAllAsked: () => this.#states.areAllReading() && this.#inHand.size === 0,
        isHandling: () => this.#inHand.size > 0,
      },
      options.quietWaitMs,
    );
    this.#consumer = createBatchConsumer(options, this.#pace, () => this.#stopping);
    this.#listenToConsumer();
  }

  /** Starts in the background: a broker that is away must not keep the process from coming up. */
  listen(callback: (...parameters: unknown[]) => void): void {
    void this.#startForEver();
    callback();
  }

  /** Lets running batches finish or give up, leaves the group. Bounded: the broker may be away. */
  async close(): Promise<void> {
    this.#stopping = true;
    await Promise.race([this.#leaveGroup(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    this.#states.clear();
  }

  async #leaveGroup(): Promise<void> {
    await this.#inHand.allEnd();
    const disconnected = this.#consumer.disconnect().catch((error: unknown) => {
      this.options.logger.warn({ err: error }, 'leaving the consumer group failed');
    });
    if (this.#stopping) this.#pace.end();
    await disconnected;
  }

  on(): void {
    throw new Error('KafkaBatchStrategy emits no events; see status()');
  }

  unwrap<T>(): T {
    return this.#consumer as T;
  }

  /** For health checks: `lastSignOfLifeMs` moves while the loop turns, also when the broker is known to be down. */
  groupStatus(): { joined: boolean; partitions: number[]; lastSignOfLifeMs: number } {
    return { joined: this.#joined, partitions: this.#states.partitions(), lastSignOfLifeMs: this.#lastSignOfLifeMs };
  }

  async #startForEver(): Promise<void> {
    for (let attempt = 1; !this.#stopping; attempt += 1) {
      this.#signOfLife();
      try {
        // Before it joins: a member of another cluster's group would keep partitions from who may read them.
        await expectCluster(this.options);
        if (this.#stopping) return;
        await this.#consumer.connect();
        await this.#consumer.subscribe({ topics: [this.options.topic], fromBeginning: true });
        await this.#consumer.run({
          autoCommit: false,
          eachBatchAutoResolve: false,
          partitionsConsumedConcurrently: this.options.partitionsConcurrently ?? PARTITIONS_CONCURRENTLY,
          eachBatch: (payload) => this.#onBatch(payload),
        });
        return;
      } catch (error) {
        const level = isAppError(error, 'other-cluster') ? 'error' : 'warn';
        this.options.logger[level]({ err: error, attempt }, 'cannot start consuming yet');
        await sleep(Math.min(250 * attempt, 2_000));
      }
    }
  }

  #listenToConsumer(): void {
    const { GROUP_JOIN, CRASH, FETCH, HEARTBEAT, REBALANCING } = this.#consumer.events;
    this.#consumer.on(GROUP_JOIN, ({ payload }) => this.#onJoin(payload.memberAssignment[this.options.topic] ?? []));
    this.#consumer.on(FETCH, () => {
      this.#signOfLife();
      // kafkajs calls this inside its fetch loop, which joins the group again when it throws. Not before a
      // batch: whoever has no partition, or all of them paused, never gets one.
      if (!this.#stopping) this.#heartbeats.fetched();
    });
    this.#consumer.on(HEARTBEAT, ({ payload }) => {
      this.#signOfLife();
      this.#states.keepMembership();
      this.#heartbeats.taken(payload.groupGenerationId);
    });
    this.#consumer.on(REBALANCING, () => this.#signOfLife());
    this.#consumer.on(CRASH, ({ payload }) => {
      this.#signOfLife();
      this.#joined = false;
      this.#states.clear();
      this.options.metrics.assignedPartitions.set(0);
      this.options.logger.warn({ err: payload.error, restart: payload.restart }, 'consumer lost its broker; rejoining');
      // kafkajs gives up on errors it calls final; the counts may not stop for any of them.
      if (!payload.restart) void sleep(1_000).then(() => this.#startForEver());
    });
  }

  /** kafkajs emits this synchronously before the first fetch of the generation, so the pause takes hold in time. */
  #onJoin(partitions: number[]): void {
    this.#signOfLife();
    this.#pace.busy();
    this.#joined = true;
    this.#heartbeats.joined();
    const generation = this.#states.assign(partitions);
    this.options.metrics.rebalances.inc();
    this.options.metrics.assignedPartitions.set(partitions.length);
    this.options.metrics.lag.reset();
    this.options.metrics.oldestUnreadMs.clear();
    this.options.logger.info({ partitions, generation }, 'partitions assigned');
    if (partitions.length === 0) return;
    this.#consumer.pause([{ topic: this.options.topic, partitions }]);
    // A rebalance while it leaves: nothing of it is read.
    if (!this.#isLeaving) void this.#decideStart(partitions, generation);
  }

  async #decideStart(partitions: number[], generation: number): Promise<void> {
    const isCurrent = () => this.#isCurrent(generation);
    for (let attempt = 1; this.#isAssigned(generation); attempt += 1) {
      try {
        if (isCurrent() && (await this.#beginAt(partitions, isCurrent))) return;
      } catch (error) {
        this.options.logger.error({ err: error, partitions, attempt }, 'cannot decide where to start; trying again');
        if (isAppError(error, 'other-cluster') && this.#isAssigned(generation)) return this.#leave();
      }
      await sleep(backOffMs(attempt));
    }
  }

  /** The brokers became another cluster: its partitions are for others. Comes back when they are the right one again. */
  async #leave(): Promise<void> {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#joined = false;
    this.#states.clear();
    this.options.metrics.assignedPartitions.set(0);
    await this.#leaveGroup();
    this.#states.clear();
    this.#isLeaving = false;
    await this.#startForEver();
  }

  /** False when the membership was lost meanwhile: then nothing has begun. */
  async #beginAt(partitions: number[], isCurrent: () => boolean): Promise<boolean> {
    await expectCluster(this.options);
    // What the generation before has in hand commits, or gives up, before its place is looked at.
    await this.#inHand.endOf(partitions);
    const starts = (await this.options.onAssigned?.(partitions, { isCurrent })) ?? new Map<number, bigint>();
    if (!isCurrent()) return false;
    for (const partition of partitions) this.#beginReading(partition, starts.get(partition));
    return true;
  }

  #beginReading(partition: number, start: bigint | undefined): void {
    const { topic } = this.options;
    const failures = this.#states.get(partition)?.failures ?? 0;
    if (start !== undefined) this.#consumer.seek({ topic, partition, offset: start.toString() });
    this.#states.set(partition, { name: 'reading', failures, nextOffset: start });
    this.#consumer.resume([{ topic, partitions: [partition] }]);
  }

  /**
   * kafkajs asks a broker again once all batches of its last answer are done. So a partition that has more to read is paused while
   * its batch is in hand, and kafkajs is told that the batch is done: the others are fetched meanwhile, and none waits for the slowest.
   */
  async #onBatch(payload: EachBatchPayload): Promise<void> {
    const { generation } = this.#states;
    const batch = toRecordBatch(payload.batch);
    const { partition } = batch;
    const last = batch.records.at(-1);
    const hasMore = last !== undefined && last.offset + 1n < batch.highWatermark;
    const { end } = await this.#inHand.begin(partition, () => this.#handle(payload, batch, { generation, hasMore }));
    if (!hasMore) await end;
    // Without anything to ask for kafkajs would only wait, or, once it stops, fetch the same again and again. A partition whose back-off
    // is over tells nobody, so it is looked for.
    while (this.#inHand.size > 0 && (this.#stopping || !this.#isAnyAsked()))
      await Promise.race([this.#inHand.anyEnd(), sleep(HEARTBEAT_MS, undefined, { ref: false })]);
  }

  /** Whether kafkajs has a partition to ask for. */
  #isAnyAsked(): boolean {
    return this.#states.reading().some((partition) => !this.#inHand.has(partition));
  }

  async #handle(
    payload: EachBatchPayload,
    batch: RecordBatch,
    { generation, hasMore }: { generation: number; hasMore: boolean },
  ): Promise<void> {
    const { partition } = batch;
    this.#pace.busy();
    const state = this.#states.get(partition);
    if (state?.name !== 'reading' || payload.isStale() || !this.#isCurrent(generation)) return;
    if (state.nextOffset !== undefined && fetchedOffset(payload) < state.nextOffset) {
      // The log ends before the place we had reached and kafkajs went back by itself: decide anew.
      // (A jump forward only skips what the log no longer has, or control records.)
      this.#backOff(partition, generation, state.failures + 1);
      return;
    }
    if (hasMore) this.#consumer.pause([{ topic: batch.topic, partitions: [partition] }]);
    this.options.metrics.oldestUnreadMs.set(partition, batch.records[0]?.timestampMs ?? null);
    const timer = setInterval(() => void this.#heartbeat(payload, generation), HEARTBEAT_MS);
    try {
      const isCurrent = () => payload.isRunning() && !payload.isStale() && this.#isCurrent(generation);
      const commitOffset = (nextOffset: bigint) => this.#commitOffset(payload, nextOffset);
      const context: BatchContext = { assignmentGeneration: generation, commitOffset, isCurrent };
      const nextOffset = await this.#callHandler(batch, context);
      // Assigned anew meanwhile: where to go on is being decided.
      if (!this.#isAssigned(generation)) return;
      this.#states.set(partition, { name: 'reading', failures: 0, nextOffset });
      payload.resolveOffset((nextOffset - 1n).toString());
      this.#noteProgress(batch, nextOffset);
      await this.#commitOffset(payload, nextOffset);
      if (hasMore && this.#isAssigned(generation))
        this.#consumer.resume([{ topic: batch.topic, partitions: [partition] }]);
    } catch (error) {
      this.#onBatchFailed(partition, generation, error);
    } finally {
      clearInterval(timer);
    }
  }

  #noteProgress({ partition, records, highWatermark }: RecordBatch, nextOffset: bigint): void {
    const { lag, oldestUnreadMs } = this.options.metrics;
    lag.set({ partition: String(partition) }, Number(highWatermark - nextOffset));
    // What is left is younger than what was just handled.
    oldestUnreadMs.set(partition, nextOffset < highWatermark ? (records.at(-1)?.timestampMs ?? null) : null);
  }

  async #callHandler(batch: RecordBatch, context: BatchContext): Promise<bigint> {
    const { topic } = this.options;
    const handler = this.getHandlerByPattern(topic) as MessageHandler<RecordBatch, BatchContext> | null;
    if (handler === null) throw new AppError('handler-missing', `No handler for the topic ${topic}`);
    const result: unknown = await handler(batch, context);
    return (isObservable(result) ? await lastValueFrom(result) : result) as bigint;
  }

  /** A hint for the next start and for lag displays: its failure changes nothing that is counted. */
  async #commitOffset(payload: EachBatchPayload, nextOffset: bigint): Promise<void> {
    const { topic, partition } = payload.batch;
    const topics = [{ topic, partitions: [{ partition, offset: nextOffset.toString() }] }];
    try {
      await payload.commitOffsetsIfNecessary({ topics });
    } catch (error) {
      this.options.metrics.offsetCommitFailures.inc();
      this.options.logger.debug({ err: error, partition }, 'offset not committed');
    }
  }

  #onBatchFailed(partition: number, generation: number, error: unknown): void {
    const code = isAppError(error) ? error.code : 'unexpected';
    if (code === 'batch-abandoned' || !this.#isCurrent(generation)) {
      this.options.logger.info({ partition, code }, 'batch given up; it will be read again');
    } else {
      this.options.logger.error({ err: error, partition }, 'batch failed; its partition is read again');
    }
    this.options.metrics.batchFailures.inc({ code });
    if (this.#isAssigned(generation)) {
      this.#backOff(partition, generation, (this.#states.get(partition)?.failures ?? 0) + 1);
    }
  }

  /** Stops the partition, then lets its start be decided again: it may no longer be where it was. */
  #backOff(partition: number, generation: number, failures: number): void {
    this.#consumer.pause([{ topic: this.options.topic, partitions: [partition] }]);
    const timer = setTimeout(() => {
      if (!this.#isAssigned(generation)) return;
      this.#states.set(partition, { name: 'deciding', failures });
      void this.#decideStart([partition], generation);
    }, backOffMs(failures));
    this.#states.set(partition, { name: 'backing-off', failures, timer });
  }

  async #heartbeat(payload: EachBatchPayload, generation: number): Promise<void> {
    try {
      await payload.heartbeat();
    } catch (error) {
      // kafkajs sends its own heartbeat after the batch and rejoins on the same answer, or is answered well.
      if (LOST_MEMBERSHIP.has((error as { type?: string }).type ?? '')) this.#states.loseMembership(generation);
    }
  }

  #isAssigned(generation: number): boolean {
    return !this.#stopping && this.#states.isAssigned(generation);
  }

  #isCurrent(generation: number): boolean {
    return !this.#stopping && this.#states.isCurrent(generation);
  }

  #signOfLife(): void {
    this.#lastSignOfLifeMs = Date.now();
  }
}

/** The offset the fetch asked for; kafkajs keeps it on the batch without declaring it. */
function fetchedOffset(payload: EachBatchPayload): bigint {
  return BigInt((payload.batch as unknown as { fetchedOffset: string }).fetchedOffset);
}
