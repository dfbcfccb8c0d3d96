import type { Logger } from '@hopcount/runtime';
import type { VisitPurger } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';

const INTERVAL_MS = 30_000;
/** Longer than the API works on one: a purge that old has lost its process, or asked for help. */
const IDLE_MS = 60_000;

/** Completes purges that were cut short. Two at once take each visit once: whoever deletes the row counts it. */
export function createFinishPurgesJob(deps: { purger: Pick<VisitPurger, 'finishAll'>; logger: Logger }): JobDefinition {
  return {
    name: 'finish-purges',
    intervalMs: INTERVAL_MS,
    work: async function finishPurges(signal) {
      const report = await deps.purger.finishAll({ idleMs: IDLE_MS, signal });
      if (report.finished + report.left > 0) deps.logger.info({ report }, 'unfinished purges went on');
    },
  };
}
