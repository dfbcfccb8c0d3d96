import type { DashboardSpec } from '../panels.js';

export const OPERATIONS: DashboardSpec = {
  uid: 'hopcount-operations',
  title: 'Hopcount: operations',
  description:
    'What works in the background and what everything stands on: jobs, archive, announcements, connections, processes.',
  rows: {
    Worker: [
      {
        title: 'Jobs that failed',
        description: 'In 15 minutes, by job. What it keeps up falls behind.',
        unit: 'none',
        queries: { '{{job_name}}': 'sum by (job_name) (increase(hopcount_job_runs_total{outcome="failed"}[15m]))' },
        ...{ yellow: 1, red: 4, min: 0, alerts: ['HopcountJobFails'] },
      },
      {
        title: 'Runs of jobs',
        description: 'A second, all workers together. A job that has no curve does not run.',
        unit: 'ops',
        queries: {
          '{{job_name}}': 'sum by (job_name) (rate(hopcount_job_runs_total{outcome="ran"}[$__rate_interval]))',
        },
        min: 0,
      },
      {
        title: 'Duration of jobs',
        description: 'Mean of a run. One that takes longer than its interval falls behind.',
        unit: 's',
        queries: {
          '{{job_name}}':
            'sum by (job_name) (rate(hopcount_job_duration_seconds_sum[$__rate_interval])) / sum by (job_name) (rate(hopcount_job_duration_seconds_count[$__rate_interval]) > 0)',
        },
        min: 0,
      },
      {
        title: 'Backlogs',
        description:
          'Rows that wait: link_changes (totals), link_fold_deltas (hot hours), link_outbox (announcements).',
        unit: 'short',
        queries: {
          '{{backlog}}': 'max by (backlog) (hopcount_backlog_rows)',
          'changes of hosts': 'max(hopcount_host_changes_waiting)',
        },
        ...{ yellow: 1_000, min: 0, alerts: ['HopcountTotalsBehind', 'HopcountHostsBehind'] },
      },
      {
        title: 'Oldest change not announced',
        description: 'Of links. Usual: below a second; gateways follow within a minute whatever happens.',
        unit: 's',
        queries: { age: 'max(hopcount_outbox_oldest_age_seconds)' },
        ...{ yellow: 5, red: 60, min: 0, alerts: ['HopcountOutboxOld'] },
      },
      {
        title: 'Months of the ledger',
        description:
          'Missing: no partition for a coming month. Overdue: beyond LEDGER_DAYS and still in PostgreSQL. Both must be 0.',
        unit: 'none',
        queries: { missing: 'max(hopcount_ledger_missing_months)', overdue: 'max(hopcount_ledger_overdue_months)' },
        ...{ red: 1, min: 0, alerts: ['HopcountMonthsMissing', 'HopcountMonthsOverdue'] },
      },
    ],
    Archive: [
      {
        title: 'Hours to seal',
        description: 'Closed hours that files do not hold as the buckets say. A few after each hour are usual.',
        unit: 'none',
        queries: { hours: 'max(hopcount_archive_backlog)' },
        ...{ yellow: 5, red: 24, isNumber: true, alerts: ['HopcountSealBacklog'] },
      },
      {
        title: 'Damaged files',
        description: 'Must be 0.',
        unit: 'none',
        queries: { damaged: 'max(hopcount_archive_files{state="damaged"})' },
        ...{ red: 1, isNumber: true, alerts: ['HopcountArchiveDamaged'] },
      },
      {
        title: 'Longest unchecked file',
        description: 'Each file is read once a day.',
        unit: 's',
        queries: { age: 'max(hopcount_archive_oldest_check_age_seconds)' },
        ...{ yellow: 90_000, red: 172_800, isNumber: true, alerts: ['HopcountArchiveVerificationOld'] },
      },
      {
        title: 'Files, and what is in them',
        description: 'Active files and their visits.',
        unit: 'short',
        queries: { files: 'max(hopcount_archive_files{state="active"})', visits: 'max(hopcount_archive_visits)' },
        isNumber: true,
      },
      {
        title: 'Size',
        description: 'Of the active files.',
        unit: 'bytes',
        queries: { size: 'max(hopcount_archive_size_bytes)' },
        isNumber: true,
      },
      {
        title: 'Failures (1 hour)',
        description: 'Of work on the archive, by operation. Usual: 0.',
        unit: 'none',
        queries: { '{{operation}}': 'sum by (operation) (increase(hopcount_archive_failures_total[1h]))' },
        ...{ yellow: 1, red: 4, isNumber: true, alerts: ['HopcountArchiveFails'] },
      },
    ],
    Stores: [
      {
        title: 'Connections to PostgreSQL in use',
        description: 'Share of each pool. At 100 % statements wait.',
        unit: 'percentunit',
        queries: {
          '{{process_name}} {{pool}}':
            'max by (process_name, pool) (hopcount_postgres_connections_busy / hopcount_postgres_connections_limit)',
        },
        ...{ yellow: 0.8, red: 1, min: 0, max: 1, alerts: ['HopcountPoolExhausted'] },
      },
      {
        title: 'Statements that wait',
        description: 'For a connection, by pool. Usual: 0.',
        unit: 'none',
        queries: { '{{process_name}} {{pool}}': 'max by (process_name, pool) (hopcount_postgres_statements_waiting)' },
        ...{ yellow: 1, red: 10, min: 0, alerts: ['HopcountPoolExhausted', 'HopcountPostgresAway'] },
      },
      {
        title: 'Redis is used',
        description: '1: yes. 0: the work goes on without it.',
        unit: 'none',
        queries: { '{{process_name}}': 'min by (process_name) (hopcount_redis_up)' },
        ...{ green: 1, min: 0, max: 1, alerts: ['HopcountRedisAway'] },
      },
      {
        title: 'Redis: skipped and failed calls',
        description: 'A second. Skipped: the breaker is open.',
        unit: 'ops',
        queries: {
          skipped: 'sum(rate(hopcount_redis_skipped_total[$__rate_interval])) or vector(0)',
          failed: 'sum(rate(hopcount_redis_failures_total[$__rate_interval])) or vector(0)',
        },
        ...{ min: 0, alerts: ['HopcountRedisAway'] },
      },
      {
        title: 'Load of Redis nodes',
        description:
          'Of a cluster: keys and operations of each node, divided by the mean of all. Even: 1. No data: no cluster.',
        unit: 'none',
        queries: { '{{node}} {{kind}}': 'max by (node, kind) (hopcount_redis_node_load_ratio)' },
        ...{ yellow: 1.2, red: 2, min: 0, alerts: ['HopcountRedisNodesUneven'] },
      },
      {
        title: 'Codes and ids used',
        description:
          'Codes: of those before generated codes get one character more. Snowflakes: of the time that ids of links can hold.',
        unit: 'percentunit',
        queries: { '{{kind}}': 'max by (kind) (hopcount_id_space_used_ratio)' },
        ...{ yellow: 0.9, min: 0, max: 1, alerts: ['HopcountIdSpaceLow'] },
      },
      {
        title: 'Commits done again',
        description: 'By SQLSTATE, in 5 minutes: 40P01 a deadlock, 08* and 57* a connection that was lost.',
        unit: 'none',
        queries: { retries: 'sum(increase(hopcount_batch_retries_total[5m])) or vector(0)' },
        ...{ min: 0, alerts: ['HopcountPostgresAway'] },
      },
      {
        title: 'API: duration (p99)',
        description: 'By method, of all routes.',
        unit: 's',
        queries: {
          '{{method}}':
            'histogram_quantile(0.99, sum by (le, method) (rate(hopcount_api_request_duration_seconds_bucket[$__rate_interval])))',
        },
        ...{ yellow: 1, red: 5, min: 0, alerts: ['HopcountApiErrors'] },
      },
    ],
    Processes: [
      {
        title: 'Processor',
        description: 'Cores in use. Node uses one for its own work.',
        unit: 'short',
        queries: {
          '{{process_name}}':
            'sum by (process_name) (rate(process_cpu_seconds_total{job="hopcount"}[$__rate_interval]))',
        },
        min: 0,
      },
      {
        title: 'Memory',
        description: 'Resident. A curve that only rises is a leak.',
        unit: 'bytes',
        queries: { '{{process_name}}': 'max by (process_name) (process_resident_memory_bytes{job="hopcount"})' },
        min: 0,
      },
      {
        title: 'Memory used of the limit',
        description: "Of the container or machine, and of V8's heap. At 100 % the process is killed.",
        unit: 'percentunit',
        queries: {
          '{{process_name}}':
            'max by (process_name) (process_resident_memory_bytes{job="hopcount"} / hopcount_memory_limit_bytes{job="hopcount"})',
          '{{process_name}}, heap':
            'max by (process_name) (nodejs_heap_size_used_bytes{job="hopcount"} / hopcount_heap_limit_bytes{job="hopcount"})',
        },
        ...{ yellow: 0.8, red: 0.9, min: 0, max: 1, alerts: ['HopcountMemoryHigh'] },
      },
      {
        title: 'Log lines dropped',
        description: 'In 5 minutes: stdout did not take them. Usual: 0.',
        unit: 'none',
        queries: { dropped: 'sum(increase(hopcount_log_lines_dropped_total[5m]))' },
        ...{ yellow: 1, min: 0 },
      },
    ],
  },
};
