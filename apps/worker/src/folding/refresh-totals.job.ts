import type { LinkTotals } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';

/** Keeps the ordered totals of lists about a second behind the counts. PostgreSQL keeps two refreshers apart. */
export function createRefreshTotalsJob(deps: {
  totals: Pick<LinkTotals, 'refresh'>;
  intervalMs: number;
}): JobDefinition {
  return {
    name: 'refresh-totals',
    intervalMs: deps.intervalMs,
    work: async function refreshTotals() {
      await deps.totals.refresh();
    },
  };
}
