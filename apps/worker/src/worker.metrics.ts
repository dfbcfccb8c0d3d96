import { metricsIn, type Registry } from '@hopcount/runtime';

/** Everything the worker measures; register once per process. */
export function createWorkerMetrics(registry: Registry) {
  return {
    ...jobMetrics(registry),
    ...hostMetrics(registry),
    ...titleMetrics(registry),
    ...webhookMetrics(registry),
    ...auditMetrics(registry),
    ...archiveMetrics(registry),
    ...redisMetrics(registry),
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

function jobMetrics(registry: Registry) {
  const { counter, gauge, histogram } = metricsIn(registry);
  return {
    jobRuns: counter(
      'hopcount_job_runs_total',
      'Runs of background jobs, by outcome (ran, busy elsewhere, failed); of those that wait for rows every 30 s while there are none.',
      'job_name',
      'outcome',
    ),
    jobDuration: histogram(
      'hopcount_job_duration_seconds',
      'Duration of background jobs that ran.',
      [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120],
      'job_name',
    ),
    hotLinks: gauge(
      'hopcount_hot_links',
      'Links whose counters have more than one slot, and those whose open hour is folded by the commits.',
      'kind',
    ),
    foldsFailed: counter(
      'hopcount_fold_failures_total',
      'Hours of hot links PostgreSQL could not fold (mostly too large for its statement limit); each try counts.',
    ),
    missingMonths: gauge(
      'hopcount_ledger_missing_months',
      'Months from now to two months ahead without a partition of the ledger; must be 0.',
    ),
    overdueMonths: gauge(
      'hopcount_ledger_overdue_months',
      'Months with visits beyond LEDGER_DAYS that are still in the ledger: the archive does not hold them, or there is none.',
    ),
    auditRowsDropped: counter(
      'hopcount_audit_log_dropped_rows_total',
      'Rows of the audit log that went before AUDIT_DAYS because AUDIT_ROWS newer ones were there: somebody changes a lot.',
    ),
    sumsDoubted: gauge(
      'hopcount_sums_doubted',
      'Whether sums are known to be something else than their visits, so that answers made of them are not exact: 1 or 0; `hopcount doctor` says where.',
    ),
    slotDrift: gauge(
      'hopcount_slot_drift_visits',
      'Visits by which slots of the links visited last differ from their buckets; must be 0.',
    ),
  };
}

function hostMetrics(registry: Registry) {
  const { counter, gauge } = metricsIn(registry);
  return {
    hostDrift: gauge(
      'hopcount_host_drift_visits',
      'Visits by which the counts of hosts differ from all links in the last hour, and buckets whose checksums differ; must be 0.',
    ),
    hostChangesWaiting: gauge('hopcount_host_changes_waiting', 'Batches whose counts of hosts are not folded yet.'),
    hostSurgesOpen: gauge('hopcount_host_surges_open', 'Surges of hosts that go on.'),
    hostSearchDelay: gauge(
      'hopcount_host_search_delay_seconds',
      'Since the time of visits up to which surges of hosts were searched: some 20 seconds, and what is not counted yet.',
    ),
    partitionImbalance: gauge(
      'hopcount_partition_imbalance_ratio',
      'Visits counted in the last five minutes in the busiest partition, divided by the mean of all (1: even; 0: no visits).',
    ),
    hostSlotImbalance: gauge(
      'hopcount_host_slot_imbalance_ratio',
      'Visits of the last five minutes in the largest of 1,024 slots of sites, divided by the mean of as many slots as there are sites (1: even, or one site; 0: no visits), by kind of host; said by the worker that searches for surges.',
      'kind',
    ),
    hostSurges: counter(
      'hopcount_host_surge_changes_total',
      'Surges of hosts that were opened, escalated (doubled) and closed, by kind of host.',
      'kind',
      'what',
    ),
    hostStates: counter(
      'hopcount_host_states_total',
      'Counts of hosts of data centres, by outcome (published; of peers: merged, known: not newer, refused; unsayable: beyond what a record can say).',
      'outcome',
    ),
  };
}

function titleMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  return {
    titles: counter(
      'hopcount_titles_total',
      'Pages asked for their titles, by outcome (found, none, refused, failed: asked again twice).',
      'outcome',
    ),
  };
}

function webhookMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  return {
    webhookPosts: counter(
      'hopcount_webhook_posts_total',
      'Events posted to webhooks, by outcome (delivered, put-off: posted again later, dropped: of one event for the last time, disabled: the webhook is).',
      'outcome',
    ),
    linkAnomalies: counter(
      'hopcount_link_anomalies_total',
      'Links found with far more visits in a quarter of an hour than they usually have, and told to webhooks.',
    ),
    alertsTold: counter(
      'hopcount_alerts_told_total',
      'Windows that met the condition of an alert of a user, and were told.',
    ),
  };
}

function auditMetrics(registry: Registry) {
  const { counter, gauge } = metricsIn(registry);
  return {
    auditRecords: counter(
      'hopcount_audit_records_total',
      'Reports of gateways read from the audit topic, by outcome (stored, unreadable).',
      'outcome',
    ),
    auditVisits: gauge(
      'hopcount_audit_visits',
      'Visits by what gateways say of them: missing and surplus must be 0; unaudited: of killed processes; answered: redirects without a durable visit.',
      'state',
    ),
    auditMinutes: gauge(
      'hopcount_audit_reports',
      'Minutes of gateways: different and unreported must be 0; unaudited: of killed processes; open: not held against the counts yet.',
      'state',
    ),
  };
}

function redisMetrics(registry: Registry) {
  const { gauge } = metricsIn(registry);
  return {
    redisNodeLoad: gauge(
      'hopcount_redis_node_load_ratio',
      'Keys of each master of a Redis Cluster, and its operations since the last look (five minutes), divided by the mean of all; absent without a cluster, and where there is too little to compare.',
      'node',
      'kind',
    ),
  };
}

function archiveMetrics(registry: Registry) {
  const { counter, gauge } = metricsIn(registry);
  const metrics = {
    archiveFiles: gauge(
      'hopcount_archive_files',
      'Files of the archive on disk, by state (active, replaced, damaged); damaged must be 0.',
      'state',
    ),
    archiveBytes: gauge('hopcount_archive_size_bytes', 'Size of the active files.'),
    archiveVisits: gauge('hopcount_archive_visits', 'Visits in the active files.'),
    archiveBacklog: gauge(
      'hopcount_archive_backlog',
      'Closed hours that files did not hold as the buckets say when sealing last looked.',
    ),
    archiveCheckAge: gauge(
      'hopcount_archive_oldest_check_age_seconds',
      'Since the active file that was not read for longest was found whole; each is read once a day. 0: there is none.',
    ),
    archiveSealed: counter(
      'hopcount_archive_sealed_visits_total',
      'Visits sealed into files, those that were sealed again included.',
    ),
    archiveFailures: counter(
      'hopcount_archive_failures_total',
      'Hours that could not be sealed, days that could not be aggregated, files that could not be merged, read or removed or were found damaged; each try counts.',
      'operation',
    ),
  };
  // From 0: of a counter that appears with its first failure, no increase is to be seen.
  for (const operation of ['seal', 'aggregate', 'merge', 'read', 'remove'])
    metrics.archiveFailures.inc({ operation }, 0);
  return metrics;
}
