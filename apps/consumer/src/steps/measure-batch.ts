import type { CommitResult, EnrichedVisit } from '@hopcount/ledger';

import type { ConsumerMetrics } from '../consumer.metrics.js';

/** Counts what a committed batch brought, from what the ledger says it took in. */
export function measureBatch(
  metrics: ConsumerMetrics,
  batch: { records: number; visits: readonly EnrichedVisit[]; result: CommitResult; nowMs: number },
): void {
  const { result } = batch;
  metrics.batchSize.observe(batch.records);
  metrics.consumed.inc(batch.records);
  if (result.duplicates > 0) metrics.dedupeHits.inc({ cause: 'ledger' }, result.duplicates);
  if (result.purged > 0) metrics.purged.inc(result.purged);
  const inserted = new Set(result.inserted);
  const byClass = new Map<string, number>();
  let oldestMs = batch.nowMs;
  for (const visit of batch.visits) {
    // An event twice in one batch was inserted once.
    if (!inserted.delete(visit.eventId)) continue;
    byClass.set(visit.class, (byClass.get(visit.class) ?? 0) + 1);
    oldestMs = Math.min(oldestMs, visit.occurredAtMs);
  }
  for (const [visitClass, count] of byClass) metrics.counted.inc({ class: visitClass }, count);
  if (byClass.size > 0) metrics.visibleAge.observe((batch.nowMs - oldestMs) / 1_000);
}
