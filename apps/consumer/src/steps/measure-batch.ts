import { VISIT_CLASSES } from '@hopcount/contracts';
import type { CommitResult } from '@hopcount/ledger';

import type { ConsumerMetrics } from '../consumer.metrics.js';

/** Counts what a committed batch brought, from what the ledger says it took in. */
export function measureBatch(
  metrics: ConsumerMetrics,
  batch: { records: number; result: CommitResult; nowMs: number },
): void {
  const { duplicates, purged, byClass, inserted, oldestMs } = batch.result;
  metrics.batchSize.observe(batch.records);
  metrics.consumed.inc(batch.records);
  if (duplicates > 0) metrics.dedupeHits.inc({ cause: 'ledger' }, duplicates);
  if (purged > 0) metrics.purged.inc(purged);
  for (const [classNumber, count] of byClass.entries())
    if (count > 0) metrics.counted.inc({ class: VISIT_CLASSES[classNumber] }, count);
  if (inserted.length > 0) metrics.visibleAge.observe((batch.nowMs - Math.min(oldestMs, batch.nowMs)) / 1_000);
}
