import { Counter, Gauge, Histogram, type Registry } from '@hopcount/runtime';

/** Everything the worker measures; register once per process. */
export function createWorkerMetrics(registry: Registry) {
  return { ...jobMetrics(registry), ...auditMetrics(registry) };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

function jobMetrics(registry: Registry) {
  const registers = [registry];
  return {
    jobRuns: new Counter({
      name: 'hopcount_job_runs_total',
      help: 'Runs of background jobs, by outcome (ran, busy elsewhere, failed).',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    jobDuration: new Histogram({
      name: 'hopcount_job_duration_seconds',
      help: 'Duration of background jobs that ran.',
      labelNames: ['job'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120],
      registers,
    }),
    hotLinks: new Gauge({
      name: 'hopcount_hot_links',
      help: 'Links whose counters have more than one slot, and those whose open hour is folded by the commits.',
      labelNames: ['kind'],
      registers,
    }),
    foldsFailed: new Counter({
      name: 'hopcount_fold_failures_total',
      help: 'Hours and days of links PostgreSQL could not fold (mostly too large for its statement limit); each try counts.',
      labelNames: ['unit'],
      registers,
    }),
    missingMonths: new Gauge({
      name: 'hopcount_ledger_missing_months',
      help: 'Months from now to two months ahead without a partition of the ledger; must be 0.',
      registers,
    }),
    slotDrift: new Gauge({
      name: 'hopcount_slot_drift_visits',
      help: 'Visits by which slots of the links visited last differ from their buckets; must be 0.',
      registers,
    }),
  };
}

function auditMetrics(registry: Registry) {
  const registers = [registry];
  return {
    auditRecords: new Counter({
      name: 'hopcount_audit_records_total',
      help: 'Reports of gateways read from the audit topic, by outcome (stored, unreadable).',
      labelNames: ['outcome'],
      registers,
    }),
    auditVisits: new Gauge({
      name: 'hopcount_audit_visits',
      help: 'Visits by what gateways say of them: missing and surplus must be 0; unaudited: of killed processes; answered: redirects without a durable visit.',
      labelNames: ['state'],
      registers,
    }),
    auditMinutes: new Gauge({
      name: 'hopcount_audit_reports',
      help: 'Minutes of gateways: different and unreported must be 0; unaudited: of killed processes; open: not held against the counts yet.',
      labelNames: ['state'],
      registers,
    }),
  };
}
