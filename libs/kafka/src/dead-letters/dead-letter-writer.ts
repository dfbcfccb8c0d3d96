import { DEAD_LETTER_HEADERS, DEAD_LETTER_TOPIC, type DeadLetterReason } from '@hopcount/contracts';
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

/** Puts records aside in a topic of their own, with their original bytes and headers. */
export class DeadLetterWriter {
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
    if (letters.length === 0) return;
    const records = letters.map((letter) => toRecord(letter, this.options.nowMs?.() ?? Date.now()));
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_LONGEST_MS)) {
      try {
        await this.publisher.publish(this.options.topic ?? DEAD_LETTER_TOPIC, records);
        break;
      } catch (error) {
        this.options.metrics.deadLetterRetries.inc();
        this.options.logger.warn(
          { err: error, letters: letters.length },
          'dead letters not acknowledged; trying again',
        );
      }
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (!isCurrent()) throw new AppError('batch-abandoned', 'Gave up waiting for dead letters to be acknowledged.');
    }
    for (const letter of letters) {
      this.options.metrics.deadLetters.inc({ reason: letter.reason });
      this.options.logger.warn(
        {
          reason: letter.reason,
          step: letter.step,
          detail: letter.detail,
          partition: letter.partition,
          offset: letter.record.offset.toString(),
        },
        'record put into the dead-letter topic',
      );
    }
  }
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
