import type { Batch } from 'kafkajs';

import type { RecordBatch } from '../records.js';

/** kafkajs' batch in our words; the bytes are shared, not copied. */
export function toRecordBatch(batch: Batch): RecordBatch {
  return {
    topic: batch.topic,
    partition: batch.partition,
    highWatermark: BigInt(batch.highWatermark),
    records: batch.messages.map((message) => ({
      offset: BigInt(message.offset),
      key: message.key,
      value: message.value,
      headers: message.headers ?? {},
      timestampMs: Number(message.timestamp),
    })),
  };
}
