import type { HotFolds } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';

/** Merges what commits added to the folds of hot links' hours, before it is much to read. PostgreSQL keeps two mergers apart. */
export function createMergeDeltasJob(deps: {
  folds: Pick<HotFolds, 'mergeDeltas'>;
  intervalMs: number;
  nowMs?: () => number;
}): JobDefinition {
  return {
    name: 'merge-deltas',
    intervalMs: deps.intervalMs,
    work: async function mergeDeltas(signal) {
      await deps.folds.mergeDeltas((deps.nowMs ?? Date.now)(), signal);
    },
  };
}
