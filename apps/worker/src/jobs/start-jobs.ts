import type { Database } from '@hopcount/postgres';
import type { LinkOutbox } from '@hopcount/links';
import type { JobLock, LinkLocks, RedisClient } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';
import type { AuditReconciler, CountedUpTo, EndedUses } from '@hopcount/ledger';

import { archiveJobs, openArchive } from '../archive/archive-jobs.js';
import { reconcileAudits } from '../audits/reconcile-audits.js';
import { foldingJobs } from '../folding/folding-jobs.js';
import { runImports } from '../imports/run-imports.js';
import { maintenanceJobs } from '../maintenance/maintenance-jobs.js';
import { findSurges } from '../surges/find-surges.js';
import { verifyOnRequest } from '../maintenance/verify-on-request.js';
import { resolveTitles } from '../titles/resolve-titles.js';
import { deliverWebhooks } from '../webhooks/deliver-webhooks.js';
import { findAnomalies } from '../webhooks/find-anomalies.js';
import type { RunningPeers } from '../peers/start-peers.js';
import type { WorkerConfig } from '../worker.config.js';
import type { WorkerMetrics } from '../worker.metrics.js';
import { IntervalJob } from './interval-job.js';

export interface JobsDeps {
  config: WorkerConfig;
  database: Database;
  redis: RedisClient;
  locks: LinkLocks;
  outbox: LinkOutbox;
  peers: Pick<RunningPeers, 'jobs'>;
  lock: JobLock;
  reconciler: AuditReconciler;
  counted: CountedUpTo;
  endedUses: EndedUses;
  metrics: WorkerMetrics;
  logger: Logger;
}

/** Over all workers each job has one holder at a time. */
export function startJobs(deps: JobsDeps): IntervalJob[] {
  const archive = openArchive(deps);
  const definitions = [
    ...foldingJobs(deps),
    reconcileAudits(deps),
    ...maintenanceJobs(deps, archive),
    ...archiveJobs(deps, archive),
    runImports(deps, archive),
    deliverWebhooks(deps),
    findAnomalies(deps),
    findSurges(deps),
    verifyOnRequest(deps),
    ...deps.peers.jobs,
    ...(deps.config.autoResolveTitles ? [resolveTitles(deps)] : []),
  ];
  const jobs = definitions.map((job) => new IntervalJob(job, deps));
  for (const job of jobs) job.start();
  return jobs;
}
