import { setTimeout as sleep } from 'node:timers/promises';

import { failpoint, isAppError, type Logger } from '@hopcount/runtime';

import type { KafkaState } from './kafka-state.js';
import type { RejectedFolder } from './spool/rejected-folder.js';
import type { SpooledBatch } from './spool/segment-queue.js';
import type { RecordPublisher } from './visit-publisher.js';
import type { VisitRecord } from './visit-record.js';
import type { VisitSpool } from './visit-spool.js';

const BATCH_LIMITS = { records: 250, bytes: 250_000 };
/** Between batches: new visits keep their share of the process. */
const BETWEEN_BATCHES_MS = 2;
const IDLE_MS = 200;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
const RETRY_AT_STOP_MS = 20;

export interface SpoolDrainerParts {
  kafka: RecordPublisher;
  spool: VisitSpool;
  rejected: RejectedFolder;
  state: KafkaState;
  logger: Logger;
  /** Of the records that name none: that of the visits. */
  topic: string;
}

/**
 * The one background loop between spool and Kafka. While Kafka is down it is also the probe: it
 * publishes the oldest spooled batch, or connects when there is none, and the first answer puts the
 * state up. A batch is confirmed (and its segment deleted) only after its acknowledgement, so a
 * crash anywhere repeats visits and never loses one.
 *
 * A batch that Kafka rejects for good is asked for again at half its size, down to the record that is
 * the reason; that one is put into RejectedFolder, on the disk before the batch is confirmed, and the
 * rest goes on. When the folder does not take it, its segment stays in the spool and comes again.
 */
export class SpoolDrainer {
  #stopped = false;
  #running: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #retryMs = FIRST_RETRY_MS;
  /** Halved by a rejected batch, doubled by an acknowledged one. */
  #batchRecords = BATCH_LIMITS.records;
  /** Visits handed to Kafka since the start. */
  drainedEvents = 0;

  constructor(private readonly parts: SpoolDrainerParts) {}

  /** Resolves after the first try to reach Kafka. */
  async start(): Promise<void> {
    await this.#try();
    this.#running = this.#loop();
  }

  /** Stops; before that, if Kafka is up, drains for at most so long. */
  async stop(options: { finishWithinMs: number }): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#running;
    const deadlineMs = performance.now() + options.finishWithinMs;
    while (this.parts.state.isUp && this.parts.spool.hasWork && performance.now() < deadlineMs) {
      if (!(await this.#try())) await sleep(RETRY_AT_STOP_MS);
    }
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      if (this.parts.state.isUp && !this.parts.spool.hasWork) await this.#pause(IDLE_MS);
      else if (await this.#try()) await this.#pause(BETWEEN_BATCHES_MS);
      else await this.#pause(this.#retryMs);
    }
  }

  /** One batch, or one probe; true when all is well. */
  async #try(): Promise<boolean> {
    const { kafka, spool, state, logger } = this.parts;
    try {
      const batch = await this.#nextBatch();
      if (batch === 'unreadable') return await this.#onlyProbe();
      if (batch === undefined) {
        if (!state.isUp) await kafka.connect();
      } else if (!(await this.#handOver(batch))) {
        this.#retryLater();
        state.recovered();
        return false;
      } else if (!spool.hasWork) logger.info({ drainedEvents: this.drainedEvents }, 'the spool is empty');
      state.recovered();
      this.#retryMs = FIRST_RETRY_MS;
      return true;
    } catch (error) {
      state.failed(error as Error);
      this.#retryLater();
      return false;
    }
  }

  async #nextBatch(): Promise<SpooledBatch | 'unreadable' | undefined> {
    try {
      return await this.parts.spool.nextBatch({ ...BATCH_LIMITS, records: this.#batchRecords });
    } catch (error) {
      this.parts.logger.debug({ err: error }, 'the spool cannot be read');
      return 'unreadable';
    }
  }

  /** A disk that cannot be read says nothing about Kafka: visits must not go to it for that. */
  async #onlyProbe(): Promise<boolean> {
    this.#retryLater();
    if (this.parts.state.isUp) return false;
    await this.parts.kafka.connect();
    this.parts.state.recovered();
    return false;
  }

  #retryLater(): void {
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }

  /** False when the batch was put back; throws when Kafka is not there. */
  async #handOver(batch: SpooledBatch): Promise<boolean> {
    const { records } = batch;
    const { topic } = records[0] as VisitRecord;
    try {
      await this.parts.kafka.publish(topic ?? this.parts.topic, records, { partition: 'rotate' });
    } catch (error) {
      if (isAppError(error, 'broker-rejected')) return await this.#putAside(batch, error);
      if (topic === undefined) throw error;
      return await this.#putBack(topic, batch, error);
    }
    await batch.confirm();
    this.#batchRecords = Math.min(this.#batchRecords * 2, BATCH_LIMITS.records);
    if (topic === undefined) this.drainedEvents += records.length;
    return true;
  }

  async #putAside(batch: SpooledBatch, rejection: Error): Promise<boolean> {
    const { rejected, logger } = this.parts;
    const [record] = batch.records as [VisitRecord];
    if (batch.records.length > 1) {
      this.#batchRecords = Math.ceil(batch.records.length / 2);
      return true;
    }
    const eventId = record.key;
    try {
      const path = await rejected.keep(record);
      logger.error({ err: rejection, eventId, path }, 'Kafka rejects a record for good: it is kept aside');
    } catch (error) {
      logger.error({ err: error, eventId }, 'rejected records stay in the spool');
      await batch.postpone();
      return true;
    }
    failpoint('gateway.kept-aside-before-confirm');
    await batch.confirm();
    return true;
  }

  /**
   * Records of another topic than the visits'. That topic may be missing, and visits never wait behind
   * such a record: while the broker answers, it goes to the end of the spool, and only a full disk
   * costs it.
   */
  async #putBack(topic: string, batch: SpooledBatch, error: unknown): Promise<boolean> {
    const { kafka, spool, logger } = this.parts;
    await kafka.connect();
    logger.warn({ err: error, topic }, 'records put back to the end of the spool');
    await spool.append(batch.records).catch((full: unknown) => {
      logger.error({ err: full, topic, records: batch.records }, 'records dropped: the spool takes no more');
    });
    await batch.confirm();
    return false;
  }

  #pause(forMs: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, forMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
