import type { HotFolds } from '@hopcount/ledger';

import type { WorkerMetrics } from '../worker.metrics.js';
import type { JobDefinition } from '../jobs/interval-job.js';

/** Merges what commits added to the folds of hot links' hours, before it is much to read. PostgreSQL keeps two mergers apart. */
export function createMergeDeltasJob(deps: {
  folds: Pick<HotFolds, 'mergeDeltas'>;
  metrics: Pick<WorkerMetrics, 'foldsFailed'>;
  intervalMs: number;
  nowMs?: () => number;
}): JobDefinition {
  return {
    name: 'merge-deltas',
    intervalMs: deps.intervalMs,
    work: async function mergeDeltas(signal) {
      const { failed } = await deps.folds.mergeDeltas((deps.nowMs ?? Date.now)(), signal);
      if (failed > 0) deps.metrics.foldsFailed.inc({ unit: 'hour' }, failed);
    },
  };
}
