import type { LinkLocks } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';
import type { FoldReport, UnitFolder } from '@hopcount/ledger';

import type { JobDefinition } from '../jobs/interval-job.js';
import type { WorkerMetrics } from '../worker.metrics.js';

const LOCK_WAIT_MS = 2_000;
const LOCK_LEASE_MS = 30_000;
const SWEEP_EVERY_MS = 24 * 3_600_000;

export interface FoldJobDeps {
  folder: Pick<UnitFolder, 'foldDue' | 'sweep'>;
  locks: Pick<LinkLocks, 'acquireRead'>;
  intervalMs: number;
  metrics: Pick<WorkerMetrics, 'foldsFailed'>;
  logger: Logger;
  nowMs?: () => number;
}

/**
 * Folds closed units that deserve it; at the first run and once a day it also looks for units whose
 * candidates a crash lost. Folds are idempotent and valid by their checksum alone, so a second folder
 * costs only its own time.
 */
export function createFoldUnitsJob(deps: FoldJobDeps): JobDefinition {
  const nowMs = deps.nowMs ?? Date.now;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  return {
    name: 'fold-units',
    intervalMs: deps.intervalMs,
    work: async function foldUnits(signal) {
      const options = { signal, withReadLock: createWithReadLock(deps.locks) };
      if (nowMs() - sweptAtMs >= SWEEP_EVERY_MS) {
        report(deps, await deps.folder.sweep(nowMs(), options));
        sweptAtMs = nowMs();
      }
      report(deps, await deps.folder.foldDue(nowMs(), options));
    },
  };
}

/** The fold is right without the lock (its checksum says so); with it, maintenance is spared a wait. */
export function createWithReadLock(locks: Pick<LinkLocks, 'acquireRead'>) {
  return async function withReadLock(linkIds: string[], work: () => Promise<void>): Promise<void> {
    const lease = await locks.acquireRead(linkIds, { waitMs: LOCK_WAIT_MS, leaseMs: LOCK_LEASE_MS });
    try {
      await work();
    } finally {
      await lease.release();
    }
  };
}

function report({ logger, metrics }: FoldJobDeps, folded: FoldReport): void {
  for (const unit of folded.failed) {
    metrics.foldsFailed.inc({ unit: unit.kind });
    logger.error({ unit }, 'a unit could not be folded; it is tried again, and read from the ledger until then');
  }
  if (folded.mismatches > 0) logger.error({ folded }, 'ledger and buckets disagree; run hopcount verify');
  else if (folded.hours + folded.days > 0) logger.info({ folded }, 'units folded');
}
