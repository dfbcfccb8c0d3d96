import { AppError, isAppError } from '@hopcount/runtime';
import { Kafka, type KafkaJSProtocolError, logLevel, type Message, Partitioners, type Producer } from 'kafkajs';

import { expectCluster } from '../admin/expect-cluster.js';
import { connectionOf, type KafkaConnection } from '../client/create-kafka.js';
import type { OutgoingRecord } from '../records.js';
import { ChosenPartitions } from './chosen-partitions.js';
import { installFastProduce } from './fast-produce.js';
import { MessageBundle } from './message-bundle.js';
import { rotatingPartitioner } from './rotating-partitioner.js';

export interface KafkaPublisherOptions extends KafkaConnection {
  /** Longest wait for one broker answer. */
  requestTimeoutMs?: number;
}

export interface PublishOptions {
  /**
   * A number: that partition. `rotate`: all records of this call to one partition, the next call to
   * the next one (one record batch a request). Left out: by the hash of each record's key.
   */
  partition?: number | 'rotate';
}

const CONNECT_TIMEOUT_MS = 1_000;
const DEFAULT_REQUEST_TIMEOUT_MS = 5_000;
/** After so many failed calls in a row the kafkajs producer is thrown away and made anew. */
const FAILURES_BEFORE_RENEWAL = 3;
/**
 * Answers of which the records are the reason: the same request is refused for ever. All others (no
 * leader, no such topic, no right, a clock that is wrong) are a state of the broker or of its
 * settings, in which every record is refused, and which ends.
 */
const REJECTIONS: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD']);

/**
 * Publishes to Kafka with acks=all. A call always settles within `requestTimeoutMs` plus two
 * seconds: kafkajs has waits of its own that no setting bounds (metadata lock, queued requests),
 * so every call races a deadline. Connects by itself and again after any failure: a half-open
 * socket fails call after call without ever closing, hence the renewal of the producer.
 *
 * A rejected call may still have reached the broker: the caller must tolerate duplicates.
 */
export class KafkaPublisher {
  readonly #kafka: Kafka;
  readonly #opensBundles: boolean;
  readonly #requestTimeoutMs: number;
  /** Of records that go by their keys; a call with a partition is of that one alone. */
  readonly #byKey = new ChosenPartitions();
  #producer: Promise<Producer> | undefined;
  #failuresInARow = 0;
  #turn = 0;
  #closed = false;

  constructor(private readonly options: KafkaPublisherOptions) {
    this.#opensBundles = installFastProduce();
    this.#requestTimeoutMs = options.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS;
    this.#kafka = new Kafka({
      ...connectionOf(options, this.#requestTimeoutMs),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      // The caller decides what a failure means; one quick try covers a leader that has just moved.
      retry: { retries: 1, initialRetryTime: 20, maxRetryTime: 100 },
      logLevel: logLevel.WARN,
      // kafkajs reports each failed try; callers log what it means once.
      logCreator:
        () =>
        ({ log }) =>
          options.logger.debug({ kafkajs: log.message }, 'kafkajs'),
    });
  }

  /** Connects if not connected. @throws AppError `kafka-unavailable`, `other-cluster` */
  async connect(): Promise<void> {
    await this.#bounded(this.#connected().then(() => undefined));
  }

  /**
   * Resolves once every in-sync replica has the records.
   * @throws AppError `kafka-unavailable` (retryable): not acknowledged in time, or refused for now;
   * `broker-rejected`: these records are refused for good, though a part of them may be taken
   */
  async publish(topic: string, records: OutgoingRecord[], options: PublishOptions = {}): Promise<void> {
    if (records.length === 0) return;
    await this.#publish(topic, records, options.partition === 'rotate' ? -1 - this.#nextTurn() : options.partition);
  }

  /** As publish(). @returns the offset of the first one; the others stand behind it, as they are given */
  async publishTo(topic: string, partition: number, records: OutgoingRecord[]): Promise<bigint> {
    return BigInt(await this.#publish(topic, records, partition));
  }

  async #publish(topic: string, records: OutgoingRecord[], partition: number | undefined): Promise<string> {
    try {
      const offset = await this.#bounded(this.#send(topic, records, partition));
      this.#failuresInARow = 0;
      return offset;
    } catch (error) {
      if (isAppError(error, 'broker-rejected')) throw error;
      this.#failuresInARow += 1;
      if (this.#failuresInARow >= FAILURES_BEFORE_RENEWAL) this.#discardProducer();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const producer = this.#producer;
    this.#producer = undefined;
    if (producer === undefined) return;
    // All that was published is acknowledged: how the connection ends changes nothing.
    await this.#bounded(producer.then((open) => open.disconnect())).catch(() => undefined);
  }

  /** @returns offset of the first record of the first batch */
  async #send(topic: string, records: OutgoingRecord[], partition: number | undefined): Promise<string> {
    const producer = await this.#connected();
    const bundle = partition === undefined || !this.#opensBundles ? undefined : new MessageBundle(records, partition);
    // An absent header or partition is one that is undefined; and all of them have one form.
    const messages: unknown[] =
      bundle === undefined ? records.map(({ key, value, headers }) => ({ key, value, headers, partition })) : [bundle];
    const request = { topic, acks: -1, timeout: this.#requestTimeoutMs, messages: messages as Message[] };
    const acknowledged = await producer.send(request);
    // kafkajs drops records for a partition it does not know (just added, or none such) and resolves.
    if (acknowledged.length === 0) throw new Error(`no partition of ${topic} took the records`);
    if (partition === undefined) this.#byKey.expectAll(request.messages, acknowledged);
    if (bundle?.isOpened === false) throw new Error('the records were in no request');
    return acknowledged[0]?.baseOffset ?? '';
  }

  #nextTurn(): number {
    this.#turn = (this.#turn + 1) % 0x4000_0000;
    return this.#turn;
  }

  #connected(): Promise<Producer> {
    if (this.#closed) return Promise.reject(new Error('the publisher is closed'));
    this.#producer ??= this.#open();
    return this.#producer;
  }

  async #open(): Promise<Producer> {
    const producer = this.#kafka.producer({
      allowAutoTopicCreation: false,
      createPartitioner: () => rotatingPartitioner(this.#byKey.by(Partitioners.DefaultPartitioner())),
    });
    try {
      await expectCluster(this.options);
      await producer.connect();
      return producer;
    } catch (error) {
      this.#producer = undefined;
      // A half-made connection keeps a socket and an interval until it is told to stop.
      producer.disconnect().catch(() => undefined);
      throw error;
    }
  }

  #discardProducer(): void {
    const producer = this.#producer;
    this.#producer = undefined;
    this.#failuresInARow = 0;
    // It is given up because of its error.
    producer?.then((open) => open.disconnect()).catch(() => undefined);
  }

  async #bounded<T>(work: Promise<T>): Promise<T> {
    const limitMs = this.#requestTimeoutMs + 2 * CONNECT_TIMEOUT_MS;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer in ${limitMs} ms`)), limitMs);
    });
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      work.catch(() => undefined);
      if (isAppError(error, 'other-cluster')) throw error;
      if (REJECTIONS.has((error as KafkaJSProtocolError).type)) {
        throw new AppError('broker-rejected', (error as Error).message, { cause: error });
      }
      throw new AppError('kafka-unavailable', (error as Error).message, { cause: error, retryable: true });
    } finally {
      clearTimeout(timer);
    }
  }
}
