import type { Logger } from '@hopcount/runtime';
import type { OrphanVisits } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';

const INTERVAL_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** Deletes orphan visits beyond their age and number, and those a purge met on their way. */
export function createExpireOrphansJob(deps: {
  orphans: Pick<OrphanVisits, 'expire'>;
  retention: { days: number; maxRows: number };
  logger: Logger;
}): JobDefinition {
  const { orphans, retention, logger } = deps;
  return {
    name: 'expire-orphans',
    intervalMs: INTERVAL_MS,
    work: async function expireOrphans(signal) {
      const beforeMs = Date.now() - retention.days * DAY_MS;
      const deleted = await orphans.expire({ beforeMs, maxRows: retention.maxRows, signal });
      if (deleted > 0) logger.info({ deleted }, 'orphan visits deleted');
    },
  };
}
