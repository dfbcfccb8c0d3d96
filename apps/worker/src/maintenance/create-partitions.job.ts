import type { Database } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';
import { createMonths, missingMonths } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { WorkerMetrics } from '../worker.metrics.js';

const HOUR_MS = 3_600_000;

/** Keeps the ledger's months ahead of the clock. */
export function createPartitionsJob(deps: {
  database: Database;
  metrics: Pick<WorkerMetrics, 'missingMonths'>;
  logger: Logger;
}): JobDefinition {
  const { database, metrics, logger } = deps;
  return {
    name: 'create-partitions',
    intervalMs: HOUR_MS,
    work: async function createPartitions(signal) {
      try {
        const created = await createMonths(database, { signal });
        if (created > 0) logger.info({ created }, 'ledger partitions created');
      } finally {
        metrics.missingMonths.set((await missingMonths(database)).length);
      }
    },
  };
}
