import type { LinkLocks } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';
import type { LedgerRetention } from '@hopcount/ledger';

import { createWithReadLock } from '../folding/fold-units.job.js';
import type { JobDefinition } from '../jobs/interval-job.js';

const HOUR_MS = 3_600_000;

/** Keeps the ledger to its retention: months, then rows that are of use only beside them. */
export function createExpireVisitsJob(deps: {
  retention: Pick<LedgerRetention, 'dropMonths' | 'deleteRows'>;
  locks: Pick<LinkLocks, 'acquireRead'>;
  logger: Logger;
}): JobDefinition {
  const { retention, locks, logger } = deps;
  return {
    name: 'expire-visits',
    intervalMs: HOUR_MS,
    work: async function expireVisits(signal) {
      const options = { signal, withReadLock: createWithReadLock(locks) };
      try {
        for (const { dropped, ...month } of await retention.dropMonths(Date.now(), options)) {
          if (dropped) logger.info(month, 'ledger month folded and dropped');
          else logger.error(month, 'ledger month kept: it could not be folded whole');
        }
      } finally {
        // Also while a month cannot be dropped, somebody reading it for hours.
        const deleted = await retention.deleteRows(Date.now(), signal);
        if (Object.keys(deleted).length > 0) logger.info({ deleted }, 'rows beyond the retention deleted');
      }
    },
  };
}
