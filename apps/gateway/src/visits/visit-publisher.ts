import { eventIdTimeMs } from '@hopcount/contracts';
import { AppError, failpoint, failpointSoon, type Histogram, isAppError } from '@hopcount/runtime';

import type { KafkaState } from './kafka-state.js';
import { LateBatches } from './late-batches.js';
import type { VisitRecord } from './visit-record.js';
import type { VisitSpool } from './visit-spool.js';

/** Where a visit is safe. */
export type Durability = 'kafka' | 'spool';

/** The part of KafkaPublisher that is needed here. */
export interface RecordPublisher {
  connect(): Promise<void>;
  publish(topic: string, records: VisitRecord[], options: { partition: 'rotate' }): Promise<void>;
}

export interface VisitPublisherOptions {
  topic: string;
  maxEvents: number;
  /** Shortest wait for an acknowledgement before a batch is late; see LateBatches. */
  ackTimeoutMs: number;
}

/** Told once of every accepted visit, when it is settled. */
export interface VisitOutcomes {
  durable(records: readonly VisitRecord[]): void;
  /** `inDoubt`: Kafka, or a disk that failed in between, may have them all the same. */
  lost(records: readonly VisitRecord[], how: { inDoubt: boolean }): void;
}

/** Who waits for a visit: told once, by one of the two. Neither may throw. */
export interface Waiter {
  durable(where: Durability): void;
  /** @param error `visit-not-durable`: the visit must not be answered as counted. Unless `inDoubt`, nothing sends it any more. */
  lost(error: AppError): void;
}

export interface PublisherMetrics {
  produceSeconds: Histogram;
  produceFailures: { inc(): void };
}

/** Requests to Kafka at a time; more would only queue in the broker and hide that it is slow. */
const MAX_IN_FLIGHT = 5;
/** Well below the broker's limit of 1 MB for a record batch, headers and framing included. */
const MAX_BATCH_CHARACTERS = 200_000;

interface Batch {
  records: VisitRecord[];
  /** Of the records, in their order. */
  waiters: Waiter[];
  characters: number;
  begunMs: number;
  /** gathering → waiting (for one of the requests in flight) → sent; `spooling` from any of them. */
  stage: 'gathering' | 'waiting' | 'sent' | 'spooling' | 'settled';
  /** Settles with Kafka's answer, once sent. */
  published: Promise<void> | undefined;
}

/**
 * Makes visits durable. A visit joins the batch being gathered; those who wait for the visits of a batch are
 * told when Kafka has acknowledged the batch (acks=all) or the spool has fsynced it, whichever is first, or that
 * neither took it.
 *
 *   up    gather while a request is in flight and not late, or up to maxEvents → one request to one
 *         partition → acknowledged: `kafka`
 *                    late (LateBatches) or refused → spool, the same event ids: `spool`
 *   down  every visit goes to the spool at once (group commit there)
 *
 * So a visit waits for two requests at most: the one under way, until it is late, and its own.
 *
 * After a late batch its acknowledgement may still come: then its visits are in Kafka twice, with
 * the same event ids, and the ledger counts them once.
 */
export class VisitPublisher {
  #gathering: Batch | undefined;
  readonly #waiting: Batch[] = [];
  /** The oldest first. No Set, see LiveList. */
  readonly #unsettled: Batch[] = [];
  #inFlight = 0;
  /** Of those in flight, requests that are not late. */
  #inTime = 0;
  readonly #flushed: (() => void)[] = [];
  readonly #late: LateBatches<Batch>;

  constructor(
    private readonly kafka: RecordPublisher,
    private readonly spool: VisitSpool,
    private readonly state: KafkaState,
    private readonly told: { metrics: PublisherMetrics; audit: VisitOutcomes },
    private readonly options: VisitPublisherOptions,
  ) {
    this.#late = new LateBatches(options.ackTimeoutMs, (batches) => this.#areLate(batches));
    state.onDown(() => this.#spoolUnsent());
  }

  accept(record: VisitRecord, waiter: Waiter): void {
    const batch = (this.#gathering ??= this.#newBatch());
    batch.records.push(record);
    batch.waiters.push(waiter);
    batch.characters += record.value.length;
    if (
      !this.state.isUp ||
      batch.records.length >= this.options.maxEvents ||
      batch.characters >= MAX_BATCH_CHARACTERS
    ) {
      this.#closeGathering();
    }
  }

  /** While a request is in flight it goes on to gather. */
  sendGathered(): void {
    if (this.#inTime === 0) this.#closeGathering();
  }

  /** Event time of the oldest visit that is neither durable nor refused yet, epoch milliseconds. */
  get oldestUnsettledMs(): number | undefined {
    const [oldest] = this.#unsettled;
    const first = oldest?.records[0];
    return first === undefined ? undefined : eventIdTimeMs(first.key);
  }

  /** How long the oldest visit has waited for a request to Kafka; 0: none waits. */
  get queueDelayMs(): number {
    const oldest = this.#waiting.find(({ stage }) => stage === 'waiting');
    // While all that is in flight is late it is Kafka that takes the time; what waits is late soon, too, and goes to the spool.
    return oldest === undefined || this.#inTime === 0 ? 0 : performance.now() - oldest.begunMs;
  }

  /** Resolves when every accepted visit is durable or refused. Accept nothing after calling it. */
  async flush(): Promise<void> {
    this.#closeGathering();
    if (this.#unsettled.length > 0) await new Promise<void>((done) => this.#flushed.push(done));
  }

  #newBatch(): Batch {
    const batch: Batch = {
      records: [],
      waiters: [],
      characters: 0,
      begunMs: performance.now(),
      stage: 'gathering',
      published: undefined,
    };
    this.#unsettled.push(batch);
    // All requests that this turn of the event loop has read share the batch.
    if (this.#inTime === 0) setImmediate(() => this.#closeIf(batch));
    return batch;
  }

  #closeIf(batch: Batch): void {
    if (this.#gathering === batch) this.#closeGathering();
  }

  #closeGathering(): void {
    const batch = this.#gathering;
    if (batch === undefined) return;
    this.#gathering = undefined;
    if (!this.state.isUp) {
      void this.#toSpool(batch);
      return;
    }
    batch.stage = 'waiting';
    this.#late.add(batch);
    this.#waiting.push(batch);
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    while (this.#inFlight < MAX_IN_FLIGHT) {
      const batch = this.#waiting.shift();
      if (batch === undefined) return;
      if (batch.stage === 'waiting') this.#send(batch);
    }
  }

  #send(batch: Batch): void {
    batch.stage = 'sent';
    this.#inFlight += 1;
    this.#inTime += 1;
    const startedMs = performance.now();
    failpoint('gateway.before-produce');
    batch.published = this.kafka.publish(this.options.topic, batch.records, { partition: 'rotate' });
    failpointSoon('gateway.after-produce-before-ack');
    batch.published.then(
      () => {
        failpoint('gateway.after-ack-before-answer');
        this.#inFlight -= 1;
        const tookMs = performance.now() - startedMs;
        this.told.metrics.produceSeconds.observe(tookMs / 1_000);
        this.#late.acknowledged(tookMs);
        if (batch.stage === 'sent') {
          this.#inTime -= 1;
          this.state.acknowledgedInTime();
        }
        // The next request is on its way while these are answered.
        this.#sendNext();
        this.#settle(batch, 'kafka');
      },
      (error: Error) => {
        this.#inFlight -= 1;
        this.told.metrics.produceFailures.inc();
        // Rejected records say nothing about Kafka; the drainer finds out which of the batch they are.
        if (!isAppError(error, 'broker-rejected')) this.state.failed(error);
        if (batch.stage === 'sent') void this.#toSpool(batch);
        this.#sendNext();
      },
    );
  }

  #sendNext(): void {
    this.#sendWaiting();
    this.sendGathered();
  }

  /** What was late at the same moment is one sign, however many requests were in flight. */
  #areLate(batches: Batch[]): void {
    this.state.late();
    for (const batch of batches) void this.#toSpool(batch);
    this.#sendNext();
  }

  async #toSpool(batch: Batch): Promise<void> {
    if (batch.stage === 'spooling' || batch.stage === 'settled') return;
    if (batch.stage === 'sent') this.#inTime -= 1;
    batch.stage = 'spooling';
    this.#late.remove(batch);
    try {
      await this.spool.append(batch.records);
      this.#settle(batch, 'spool');
    } catch (spoolError) {
      // Kafka may be late rather than away: its answer is the last hope, and comes within seconds.
      await batch.published?.then(
        () => this.#settle(batch, 'kafka'),
        () => undefined,
      );
      // A disk that fails may keep what it was asked to write, and to delete: then a later process sends it.
      const mayBeOnDisk = !isAppError(spoolError, 'spool-full') && !isAppError(spoolError, 'spool-closed');
      const details = { inDoubt: mayBeOnDisk || batch.published !== undefined };
      const { message } = spoolError as Error;
      this.#settle(batch, new AppError('visit-not-durable', message, { cause: spoolError, details }));
    }
  }

  #spoolUnsent(): void {
    for (const batch of this.#waiting.splice(0)) void this.#toSpool(batch);
    this.#closeGathering();
  }

  #settle(batch: Batch, outcome: Durability | AppError): void {
    if (batch.stage === 'settled') return;
    batch.stage = 'settled';
    this.#late.remove(batch);
    this.#unsettled.splice(this.#unsettled.indexOf(batch), 1);
    if (outcome instanceof AppError) {
      this.told.audit.lost(batch.records, { inDoubt: outcome.details['inDoubt'] === true });
      for (const waiter of batch.waiters) waiter.lost(outcome);
    } else {
      this.told.audit.durable(batch.records);
      for (const waiter of batch.waiters) waiter.durable(outcome);
    }
    if (this.#unsettled.length === 0) for (const done of this.#flushed.splice(0)) done();
  }
}
