import { isAppError, type Logger, TokenBucket } from '@hopcount/runtime';

import type { RecordPublisher } from '../visits/visit-publisher.js';
import type { VisitRecord } from '../visits/visit-record.js';

/** Most that wait for Kafka or for its answer, in memory: about 3 MB of the longest there are. */
const MAX_HELD = 1_000;
const MAX_BATCH = 200;
const LINGER_MS = 100;
const RETRY_AFTER_MS = 1_000;
const STOP_WITHIN_MS = 1_000;

export interface OrphanPublisherParts {
  /** A publisher of its own: what goes wrong with it is not held against the visits'. */
  kafka: RecordPublisher & { close(): Promise<void> };
  logger: Logger;
  topic: string;
  perSecond: number;
}

/**
 * Publishes orphan visits as well as is possible without anybody waiting for it: nothing is spooled, one
 * request at a time is under way, and what is more than a second's allowance or than fits is dropped and
 * counted. A request that failed is sent again, with the same event ids, for as long as the process lives;
 * one that Kafka rejects for good is dropped.
 */
export class OrphanPublisher {
  /** Since the start of the process; `unsent`: given up at its end. */
  readonly outcomes = { published: 0, rate: 0, full: 0, rejected: 0, unsent: 0 };
  readonly #bucket: TokenBucket;
  readonly #waiting: VisitRecord[] = [];
  #sending: Promise<void> | undefined;
  #inFlight = 0;
  #timer: NodeJS.Timeout | undefined;
  #failing = false;
  #closed = false;

  constructor(private readonly parts: OrphanPublisherParts) {
    this.#bucket = new TokenBucket(parts.perSecond);
  }

  /** Whether one more may be described and handed over; counts the one that may not. */
  admit(): boolean {
    if (this.parts.perSecond === 0 || this.#closed) return false;
    if (this.#waiting.length + this.#inFlight >= MAX_HELD) {
      this.outcomes.full += 1;
      return false;
    }
    if (this.#bucket.take()) return true;
    this.outcomes.rate += 1;
    return false;
  }

  /** Only after `admit`. Returns at once; never throws. */
  offer(record: VisitRecord): void {
    this.#waiting.push(record);
    if (this.#sending === undefined) this.#sendAfter(LINGER_MS);
  }

  /** One last try, briefly. Admits nothing after. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const late = new Promise((resolve) => setTimeout(resolve, STOP_WITHIN_MS).unref());
    await Promise.race([this.#sendAll(), late]);
    this.outcomes.unsent += this.#waiting.length + this.#inFlight;
    await this.parts.kafka.close();
  }

  async #sendAll(): Promise<void> {
    await this.#sending;
    while (this.#waiting.length > 0) {
      const before = this.#waiting.length;
      await this.#send();
      if (this.#waiting.length >= before) return;
    }
  }

  #sendAfter(ms: number): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send().finally(() => {
        this.#sending = undefined;
        if (this.#waiting.length > 0) this.#sendAfter(this.#failing ? RETRY_AFTER_MS : 0);
      });
    }, ms);
    this.#timer.unref();
  }

  async #send(): Promise<void> {
    const { kafka, topic, logger } = this.parts;
    const batch = this.#waiting.splice(0, MAX_BATCH);
    this.#inFlight = batch.length;
    try {
      await kafka.publish(topic, batch, { partition: 'rotate' });
      this.outcomes.published += batch.length;
      this.#failing = false;
    } catch (error) {
      if (isAppError(error, 'broker-rejected')) this.outcomes.rejected += batch.length;
      else this.#waiting.unshift(...batch);
      logger.warn({ err: error, topic }, 'orphan visits are not published; the newest are dropped');
      this.#failing = true;
    }
    this.#inFlight = 0;
  }
}
