import { isAppError, type Logger } from '@hopcount/runtime';
import type { OrphanPurger } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';

const INTERVAL_MS = 60_000;
const DAY_MS = 24 * 3_600_000;

/** Deletes orphan visits beyond their retention, and what a deletion that was cut short has left. */
export function createExpireOrphansJob(deps: {
  purger: Pick<OrphanPurger, 'purge'>;
  retentionDays: number;
  logger: Logger;
  nowMs?: () => number;
}): JobDefinition {
  const { purger, retentionDays, logger, nowMs = Date.now } = deps;
  return {
    name: 'expire-orphans',
    intervalMs: INTERVAL_MS,
    withoutLock: 'run',
    work: async function expireOrphans(signal) {
      try {
        const deleted = await purger.purge({ beforeMs: nowMs() - retentionDays * DAY_MS, signal });
        if (deleted > 0) logger.info({ deleted }, 'orphan visits deleted');
      } catch (error) {
        if (!isAppError(error, 'purge-unfinished')) throw error;
        logger.info({ details: error.details }, 'orphan visits are being deleted; going on at the next run');
      }
    },
  };
}
