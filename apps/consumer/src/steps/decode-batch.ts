import type { DecodedVisit } from '@hopcount/contracts';
import type { RecordBatch } from '@hopcount/kafka';

import type { DecodedBatch } from './commit-visits.js';

/** Sorts the records of a batch by what `decodeVisit` made of them. */
export function createDecodeBatch(decodeVisit: (value: Buffer | null) => DecodedVisit) {
  return function decodeBatch(batch: RecordBatch): DecodedBatch {
    const { topic, partition } = batch;
    const decoded: DecodedBatch = { batch, visits: [], refused: [] };
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
