import type { KafkaAdmin, KafkaConnection } from '@hopcount/kafka';
import type { Database } from '@hopcount/postgres';
import type { LinkOutbox } from '@hopcount/links';
import type { JobLock, LinkLocks, RedisClient } from '@hopcount/redis';
import type { Logger } from '@hopcount/runtime';
import type { AuditReconciler, CountedUpTo, EndedUses } from '@hopcount/ledger';

import { checkAlerts } from '../alerts/check-alerts.js';
import { archiveJobs, openArchive } from '../archive/archive-jobs.js';
import { reconcileAudits } from '../audits/reconcile-audits.js';
import { foldingJobs } from '../folding/folding-jobs.js';
import { runImports } from '../imports/run-imports.js';
import { maintenanceJobs } from '../maintenance/maintenance-jobs.js';
import { findSurges } from '../surges/find-surges.js';
import { operatorJobs } from '../operator-jobs/run-operator-jobs.js';
import { resolveTitles } from '../titles/resolve-titles.js';
import { deliverWebhooks } from '../webhooks/deliver-webhooks.js';
import { findAnomalies } from '../webhooks/find-anomalies.js';
import type { RunningPeers } from '../peers/start-peers.js';
import type { WorkerConfig } from '../worker.config.js';
import type { WorkerMetrics } from '../worker.metrics.js';
import { DueJobs } from './due-jobs.js';
import { IntervalJob } from './interval-job.js';

export interface JobsDeps {
  config: WorkerConfig;
  database: Database;
  connection: KafkaConnection;
  admin: KafkaAdmin;
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
export function startJobs(deps: JobsDeps): { stop: () => Promise<void> }[] {
  const archive = openArchive(deps);
  const definitions = [
    ...foldingJobs(deps),
    reconcileAudits(deps),
    ...maintenanceJobs(deps, archive),
    ...archiveJobs(deps, archive),
    runImports(deps, archive),
    deliverWebhooks(deps),
    findAnomalies(deps),
    checkAlerts(deps),
    findSurges(deps),
    ...operatorJobs(deps),
    ...deps.peers.jobs,
    ...(deps.config.autoResolveTitles ? [resolveTitles(deps)] : []),
  ];
  return scheduled(
    definitions.map((job) => new IntervalJob(job, deps)),
    deps,
  );
}

/** Those that wait for rows are looked for together. */
function scheduled(jobs: IntervalJob[], deps: JobsDeps): { stop: () => Promise<void> }[] {
  const byInterval = new Map<number, IntervalJob[]>();
  for (const job of jobs) {
    if (job.waitsFor === undefined) job.start();
    else byInterval.set(job.intervalMs, [...(byInterval.get(job.intervalMs) ?? []), job]);
  }
  const looks = [...byInterval].map(([intervalMs, waiting]) => new DueJobs(waiting, intervalMs, deps));
  for (const look of looks) look.start();
  return [...looks, ...jobs];
}
