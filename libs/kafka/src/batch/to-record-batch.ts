import type { Batch } from 'kafkajs';

import type { IncomingRecord, RecordBatch } from '../records.js';
import { RecordInPlace } from './records-in-place.js';

/** kafkajs' batch in our words; the bytes are shared, not copied. */
export function toRecordBatch(batch: Batch): RecordBatch {
  return {
    topic: batch.topic,
    partition: batch.partition,
    highWatermark: BigInt(batch.highWatermark),
    records: batch.messages.map(toRecord),
  };
}

export function toRecord(message: Batch['messages'][number] | RecordInPlace): IncomingRecord {
  if (message instanceof RecordInPlace) return message;
  const { key, value, headers = {} } = message;
  return { offset: BigInt(message.offset), key, value, headers, timestampMs: Number(message.timestamp) };
}
