import { DEAD_LETTER_HEADERS, DEAD_LETTER_TOPIC, type DeadLetterReason, isEventId } from '@hopcount/contracts';
import { AppError, type Logger } from '@hopcount/runtime';

import type { KafkaMetrics } from '../kafka.metrics.js';
import type { IncomingRecord, OutgoingRecord } from '../records.js';

export interface DeadLetter {
  topic: string;
  partition: number;
  record: IncomingRecord;
  reason: DeadLetterReason;
  /** Name of the step that refused the record. */
  step: string;
  detail: string;
  attempts: number;
}

/** What is needed of KafkaPublisher: resolves once all in-sync replicas have the records. */
export interface RecordPublisher {
  publish(topic: string, records: OutgoingRecord[]): Promise<unknown>;
}

const RETRY_FIRST_MS = 200;
const RETRY_LONGEST_MS = 5_000;
/** Letters of one request: half of what a broker takes by default, whatever the batch they came in. */
const REQUEST_BYTES = 512 * 1_024;
/** Our headers and the record's frame, at most. */
const LETTER_OVERHEAD_BYTES = 700;

/** Puts records aside in a topic of their own, with their original bytes and headers. */
export class DeadLetterWriter {
  readonly #stuck = new Map<symbol, string>();

  constructor(
    private readonly publisher: RecordPublisher,
    private readonly options: { logger: Logger; metrics: KafkaMetrics; topic?: string; nowMs?: () => number },
  ) {}

  /**
   * Resolves once every letter is acknowledged; the broker being away only makes it take longer. A
   * letter may be written twice (after a lost acknowledgement), never lost.
   * @throws AppError `batch-abandoned` when `isCurrent` says that nobody waits for it any more
   */
  async write(letters: DeadLetter[], isCurrent: () => boolean = () => true): Promise<void> {
    const records = letters.map((letter) => toRecord(letter, this.options.nowMs?.() ?? Date.now()));
    for (const request of byBytes(records)) await this.#writeForEver(request, isCurrent);
    for (const letter of letters) {
      this.options.metrics.deadLetters.inc({ reason: letter.reason });
      this.options.logger.warn(
        {
          reason: letter.reason,
          step: letter.step,
          detail: letter.detail,
          partition: letter.partition,
          offset: letter.record.offset.toString(),
          eventId: eventIdOf(letter.record.key),
        },
        'record put into the dead-letter topic',
      );
    }
  }

  /** Why a write is waiting (the topic is missing, the broker away); undefined when none is. */
  stuckBecause(): string | undefined {
    return this.#stuck.values().next().value;
  }

  async #writeForEver(records: OutgoingRecord[], isCurrent: () => boolean): Promise<void> {
    const write = Symbol('write');
    try {
      for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_LONGEST_MS)) {
        try {
          await this.publisher.publish(this.options.topic ?? DEAD_LETTER_TOPIC, records);
          return;
        } catch (error) {
          this.#stuck.set(write, (error as Error).message);
          this.options.metrics.deadLetterRetries.inc();
          this.options.logger.warn(
            { err: error, letters: records.length },
            'dead letters not acknowledged; trying again',
          );
        }
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (!isCurrent()) throw new AppError('batch-abandoned', 'Gave up waiting for dead letters to be acknowledged.');
      }
    } finally {
      this.#stuck.delete(write);
    }
  }
}

/** By it the gateway's log and its trace are found. */
function eventIdOf(key: Buffer | null): string | undefined {
  const text = key?.toString('latin1') ?? '';
  return isEventId(text) ? text : undefined;
}

/** In order, cut into requests no broker refuses for their size; a letter that is larger stands alone. */
function byBytes(records: OutgoingRecord[]): OutgoingRecord[][] {
  const requests: OutgoingRecord[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const size = LETTER_OVERHEAD_BYTES + (record.key?.length ?? 0) + (record.value?.length ?? 0);
    if (bytes + size > REQUEST_BYTES) {
      requests.push([]);
      bytes = 0;
    }
    requests.at(-1)?.push(record);
    bytes += size;
  }
  return requests;
}

/** Key, value and headers stay as they came; ours are added beside them. */
export function toRecord(letter: DeadLetter, nowMs: number): OutgoingRecord {
  const names = DEAD_LETTER_HEADERS;
  return {
    key: letter.record.key,
    value: letter.record.value,
    headers: {
      ...letter.record.headers,
      [names.reason]: letter.reason,
      [names.step]: letter.step,
      [names.detail]: letter.detail,
      [names.timestamp]: new Date(nowMs).toISOString(),
      [names.attempts]: String(letter.attempts),
      [names.originalTopic]: letter.topic,
      [names.originalPartition]: String(letter.partition),
      [names.originalOffset]: letter.record.offset.toString(),
    },
  };
}
