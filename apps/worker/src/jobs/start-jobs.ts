import type { Database } from '@hopcount/postgres';
import type { JobLock, LinkLocks } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';
import { dayOf } from '@hopcount/statistics';
import {
  type AuditReconciler,
  HotFolds,
  LedgerRetention,
  LinkHeat,
  LinkTotals,
  OrphanVisits,
  SlotMerger,
  UnitFolder,
  VisitPurger,
} from '@hopcount/ledger';

import { createReconcileAuditsJob } from '../audits/reconcile-audits.job.js';
import type { WorkerConfig } from '../worker.config.js';
import type { WorkerMetrics } from '../worker.metrics.js';
import { createFoldUnitsJob } from '../folding/fold-units.job.js';
import { createMeasureHeatJob } from '../folding/measure-heat.job.js';
import { createMergeDeltasJob } from '../folding/merge-deltas.job.js';
import { createRefreshTotalsJob } from '../folding/refresh-totals.job.js';
import { createPartitionsJob } from '../maintenance/create-partitions.job.js';
import { createExpireVisitsJob } from '../maintenance/expire-visits.job.js';
import { createExpireOrphansJob } from '../maintenance/expire-orphans.job.js';
import { createFinishPurgesJob } from '../maintenance/finish-purges.job.js';
import { createMeasureDriftJob } from '../maintenance/measure-drift.job.js';
import { createMergeSlotsJob } from '../maintenance/merge-slots.job.js';
import { IntervalJob } from './interval-job.js';

export interface JobsDeps {
  config: WorkerConfig;
  database: Database;
  locks: LinkLocks;
  lock: JobLock;
  reconciler: AuditReconciler;
  metrics: WorkerMetrics;
  logger: Logger;
}

/** Over all workers each job has one holder at a time. */
export function startJobs(deps: JobsDeps): IntervalJob[] {
  const { config, database, locks, metrics, logger } = deps;
  const { folding, slots, ledgerRetentionDays } = config;
  const folder = new UnitFolder(database, {
    dayOf: (instant) => dayOf(instant, folding.reportingTimeZone),
    hourThreshold: folding.hourVisits,
    dayThreshold: folding.dayVisits,
  });
  const totals = new LinkTotals(database, slots === 'off' ? 'traffic' : 'slots');
  const purger = new VisitPurger(database, locks, { hasSlots: slots !== 'off' });
  const folds = new HotFolds(database);
  const jobs = [
    createRefreshTotalsJob({ totals, intervalMs: folding.totalsIntervalMs }),
    createFoldUnitsJob({ folder, locks, intervalMs: folding.intervalMs, metrics, logger }),
    createMeasureHeatJob({
      heat: new LinkHeat(database),
      folds,
      metrics,
      intervalMs: folding.heatIntervalMs,
      logger,
    }),
    ...(slots === 'off' ? [] : [createMeasureDriftJob({ database, metrics, logger })]),
    createReconcileAuditsJob({ ...deps, intervalMs: config.reconcileIntervalMs }),
    createMergeSlotsJob({ merger: new SlotMerger(database, { slots }), logger }),
    createMergeDeltasJob({ folds, metrics, intervalMs: folding.totalsIntervalMs }),
    createPartitionsJob({ database, metrics, logger }),
    createFinishPurgesJob({ purger, logger }),
    createExpireOrphansJob({
      orphans: new OrphanVisits(database),
      retention: config.orphanRetention,
      logger,
    }),
    createExpireVisitsJob({ retention: new LedgerRetention(database, folder, ledgerRetentionDays), locks, logger }),
  ].map((job) => new IntervalJob(job, deps));
  for (const job of jobs) job.start();
  return jobs;
}
