import type { DecodedEvent } from '@hopcount/contracts';
import type { RecordBatch } from '@hopcount/kafka';

import type { DecodedBatch } from './commit-visits.js';

/** Sorts the records of a batch by what `decodeVisit` made of them. */
export function createDecodeBatch<Event>(decodeVisit: (value: Buffer | null) => DecodedEvent<Event>) {
  return function decodeBatch(batch: RecordBatch): DecodedBatch<Event> {
    const { topic, partition } = batch;
    const decoded: DecodedBatch<Event> = { batch, visits: [], refused: [] };
    for (const record of batch.records) {
      const outcome = decodeVisit(record.value);
      if (outcome.outcome === 'ok') {
        decoded.visits.push({ record, visit: outcome.visit });
        continue;
      }
      const { reason, detail } = outcome;
      decoded.refused.push({ topic, partition, record, reason, step: decodeVisit.name, detail, attempts: 1 });
    }
    return decoded;
  };
}
