import type { VisitEventV1 } from '@hopcount/contracts';
import type { RecordBatch } from '@hopcount/kafka';

import type { DecodedBatch } from './commit-visits.js';
import type { StepOutcome } from './step-outcome.js';

/** Sorts the records of a batch by what `decodeVisit` made of them. */
export function createDecodeBatch(decodeVisit: (value: Buffer | null) => StepOutcome<VisitEventV1>) {
  return function decodeBatch(batch: RecordBatch): DecodedBatch {
    const decoded: DecodedBatch = { batch, visits: [], refused: [] };
    for (const record of batch.records) {
      const outcome = decodeVisit(record.value);
      switch (outcome.outcome) {
        case 'ok':
          decoded.visits.push({ record, visit: outcome.value });
          break;
        case 'drop':
          break;
        case 'dead-letter': {
          const { reason, detail } = outcome;
          const { topic, partition } = batch;
          decoded.refused.push({ topic, partition, record, reason, step: decodeVisit.name, detail, attempts: 1 });
          break;
        }
      }
    }
    return decoded;
  };
}
