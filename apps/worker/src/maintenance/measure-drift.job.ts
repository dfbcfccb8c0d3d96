import type { Queryable } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';
import { measureSlotDrift } from '@hopcount/ledger';

import type { WorkerMetrics } from '../worker.metrics.js';
import type { JobDefinition } from '../jobs/interval-job.js';

const EVERY_MS = 60_000;

/** Holds the slots of the links visited last against their buckets; anything but 0 is a defect or damage. */
export function createMeasureDriftJob(deps: {
  database: Queryable;
  metrics: Pick<WorkerMetrics, 'slotDrift'>;
  logger: Logger;
}): JobDefinition {
  return {
    name: 'measure-drift',
    intervalMs: EVERY_MS,
    work: async function measureDrift() {
      const { links, drift } = await measureSlotDrift(deps.database);
      deps.metrics.slotDrift.set(drift);
      if (drift > 0) deps.logger.error({ links, drift }, 'slots and buckets disagree; run hopcount verify');
    },
  };
}
