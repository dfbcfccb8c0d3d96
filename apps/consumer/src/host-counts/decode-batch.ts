import type { DecodedEvent, HostCountsV1 } from '@hopcount/contracts';
import type { DeadLetter, IncomingRecord, RecordBatch } from '@hopcount/kafka';

/** A batch after decoding: what may be counted, and what was refused. */
export interface DecodedBatch {
  batch: RecordBatch;
  visits: { record: IncomingRecord; visit: HostCountsV1 }[];
  refused: DeadLetter[];
}

/** Sorts the records of a batch by what `decode` made of them. */
export function createDecodeBatch(decode: (value: Buffer | null) => DecodedEvent<HostCountsV1>) {
  return function decodeBatch(batch: RecordBatch): DecodedBatch {
    const { topic, partition } = batch;
    const decoded: DecodedBatch = { batch, visits: [], refused: [] };
    for (const record of batch.records) {
      const outcome = decode(record.value);
      if (outcome.outcome === 'ok') {
        decoded.visits.push({ record, visit: outcome.visit });
        continue;
      }
      const { reason, detail } = outcome;
      decoded.refused.push({ topic, partition, record, reason, step: decode.name, detail, attempts: 1 });
    }
    return decoded;
  };
}
