import type { Database } from '@hopcount/postgres';
import type { JobLock, LinkLocks } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';
import { dayOf } from '@hopcount/statistics';
import { type AuditReconciler, type CountedUpTo, UnitFolder } from '@hopcount/ledger';

import { archiveJobs } from '../archive/archive-jobs.js';
import { reconcileAudits } from '../audits/reconcile-audits.js';
import { foldingJobs } from '../folding/folding-jobs.js';
import { maintenanceJobs } from '../maintenance/maintenance-jobs.js';
import type { WorkerConfig } from '../worker.config.js';
import type { WorkerMetrics } from '../worker.metrics.js';
import { IntervalJob } from './interval-job.js';

export interface JobsDeps {
  config: WorkerConfig;
  database: Database;
  locks: LinkLocks;
  lock: JobLock;
  reconciler: AuditReconciler;
  counted: CountedUpTo;
  metrics: WorkerMetrics;
  logger: Logger;
}

/** Over all workers each job has one holder at a time. */
export function startJobs(deps: JobsDeps): IntervalJob[] {
  const { config } = deps;
  const folder = new UnitFolder(deps.database, {
    dayOf: (instant) => dayOf(instant, config.reportingTimeZone),
    hourThreshold: config.foldHourVisits,
    dayThreshold: config.foldDayVisits,
  });
  const definitions = [
    ...foldingJobs(deps, folder),
    reconcileAudits(deps),
    ...maintenanceJobs(deps, folder),
    ...archiveJobs(deps),
  ];
  const jobs = definitions.map((job) => new IntervalJob(job, deps));
  for (const job of jobs) job.start();
  return jobs;
}
