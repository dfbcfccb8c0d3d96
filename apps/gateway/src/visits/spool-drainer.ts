import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '@hopcount/runtime';

import type { KafkaState } from './kafka-state.js';
import type { RecordPublisher } from './visit-publisher.js';
import type { SpooledBatch, VisitSpool } from './visit-spool.js';

const BATCH_LIMITS = { records: 250, bytes: 250_000 };
/** Between batches: new visits keep their share of the process. */
const BETWEEN_BATCHES_MS = 2;
const IDLE_MS = 200;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
const RETRY_AT_STOP_MS = 20;

/**
 * The one background loop between spool and Kafka. While Kafka is down it is also the probe: it
 * publishes the oldest spooled batch, or connects when there is none, and the first answer puts the
 * state up. A batch is confirmed (and its segment deleted) only after its acknowledgement, so a
 * crash anywhere repeats visits and never loses one.
 */
export class SpoolDrainer {
  #stopped = false;
  #running: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #retryMs = FIRST_RETRY_MS;
  /** Visits handed to Kafka since the start. */
  drainedEvents = 0;

  constructor(
    private readonly kafka: RecordPublisher,
    private readonly spool: VisitSpool,
    private readonly state: KafkaState,
    private readonly logger: Logger,
    private readonly topic: string,
  ) {}

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
    while (this.state.isUp && this.spool.hasWork && performance.now() < deadlineMs) {
      if (!(await this.#try())) await sleep(RETRY_AT_STOP_MS);
    }
  }

  async #loop(): Promise<void> {
    while (!this.#stopped) {
      if (this.state.isUp && !this.spool.hasWork) await this.#pause(IDLE_MS);
      else if (await this.#try()) await this.#pause(BETWEEN_BATCHES_MS);
      else await this.#pause(this.#retryMs);
    }
  }

  /** One batch, or one probe; true when Kafka answered. */
  async #try(): Promise<boolean> {
    try {
      const batch = await this.#nextBatch();
      if (batch === 'unreadable') return await this.#onlyProbe();
      if (batch === undefined) {
        if (!this.state.isUp) await this.kafka.connect();
      } else {
        const topic = batch.records[0]?.topic;
        if (topic !== undefined) return await this.#handOver(topic, batch);
        await this.kafka.publish(this.topic, batch.records, { partition: 'rotate' });
        await batch.confirm();
        this.drainedEvents += batch.records.length;
        if (!this.spool.hasWork) this.logger.info({ drainedEvents: this.drainedEvents }, 'the spool is empty');
      }
      this.state.recovered();
      this.#retryMs = FIRST_RETRY_MS;
      return true;
    } catch (error) {
      this.state.failed(error as Error);
      this.#retryLater();
      return false;
    }
  }

  async #nextBatch(): Promise<SpooledBatch | 'unreadable' | undefined> {
    try {
      return await this.spool.nextBatch(BATCH_LIMITS);
    } catch (error) {
      this.logger.debug({ err: error }, 'the spool cannot be read');
      return 'unreadable';
    }
  }

  /** A disk that cannot be read says nothing about Kafka: visits must not go to it for that. */
  async #onlyProbe(): Promise<boolean> {
    this.#retryLater();
    if (this.state.isUp) return false;
    await this.kafka.connect();
    this.state.recovered();
    return false;
  }

  #retryLater(): void {
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }

  /**
   * Records of another topic than the visits'. That topic may be missing or refuse them, and visits
   * never wait behind such a record: while the broker answers, it goes to the end of the spool, and
   * only a full disk costs it.
   */
  async #handOver(topic: string, batch: SpooledBatch): Promise<boolean> {
    let refusal: unknown;
    try {
      await this.kafka.publish(topic, batch.records, { partition: 'rotate' });
    } catch (error) {
      await this.kafka.connect();
      refusal = error;
      this.logger.warn({ err: error, topic }, 'records put back to the end of the spool');
      await this.spool.append(batch.records).catch((full: unknown) => {
        this.logger.error({ err: full, topic, records: batch.records }, 'records dropped: the spool takes no more');
      });
    }
    await batch.confirm();
    this.state.recovered();
    if (refusal === undefined) this.#retryMs = FIRST_RETRY_MS;
    else this.#retryLater();
    return refusal === undefined;
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
