import type { DashboardSpec } from '../panels.js';

export const COUNTING: DashboardSpec = {
  uid: 'hopcount-counting',
  title: 'Hopcount: counting',
  description: 'From Kafka to the ledger: how far behind, how fast, what could not be counted, and what audits say.',
  rows: {
    'How far behind': [
      {
        title: 'Oldest uncounted visit',
        description:
          "How long it has been in Kafka, by the broker's clock, told by the workers: also while no consumer runs.",
        unit: 's',
        queries: { age: 'max(hopcount_visits_pending_age_seconds)' },
        ...{ yellow: 5, red: 60, isNumber: true, alerts: ['HopcountLagHigh'] },
      },
      {
        title: 'Of the retention',
        description: 'That age as a share of what Kafka keeps. At 100 % visits are lost.',
        unit: 'percentunit',
        queries: { used: 'max(hopcount_visits_pending_age_seconds) / max(hopcount_visits_retention_seconds)' },
        ...{ yellow: 0.1, red: 0.5, isNumber: true, alerts: ['HopcountLagNearRetention'] },
      },
      {
        title: 'Visits pending',
        description: 'In Kafka and not counted.',
        unit: 'short',
        queries: { pending: 'max(hopcount_visits_pending_records)' },
        ...{ yellow: 100_000, isNumber: true, alerts: ['HopcountLagHigh'] },
      },
      {
        title: 'Dead letters waiting',
        description: 'Neither redriven nor discarded. Usual: 0.',
        unit: 'none',
        queries: { waiting: 'max(hopcount_dead_letters_waiting)' },
        ...{ yellow: 1, isNumber: true, alerts: ['HopcountDeadLettersWaiting', 'HopcountDeadLettersOld'] },
      },
      {
        title: 'Drift of sums',
        description:
          'Visits by which slots or hosts differ from their buckets, and whether sums are known to differ from their visits (1). Must be 0.',
        unit: 'none',
        queries: {
          slots: 'max(hopcount_slot_drift_visits)',
          hosts: 'max(hopcount_host_drift_visits)',
          doubted: 'max(hopcount_sums_doubted)',
        },
        ...{ red: 1, isNumber: true, alerts: ['HopcountDrift'] },
      },
      {
        title: 'Partitions with a consumer',
        description: 'Fewer than the topic has: some are between two owners, or there is no consumer.',
        unit: 'none',
        queries: { assigned: 'sum(hopcount_kafka_assigned_partitions)' },
        ...{ green: 1, isNumber: true, alerts: ['HopcountProcessDown'] },
      },
      {
        title: 'Lag by partition',
        description:
          'Records behind the end of the log, as of the last batch. One partition alone: its consumer has trouble.',
        unit: 'short',
        queries: { 'partition {{partition}}': 'max by (partition) (hopcount_kafka_consumer_lag_records)' },
        ...{ min: 0, alerts: ['HopcountLagHigh'] },
      },
      {
        title: 'Oldest unread by partition',
        description: 'Age of the oldest record a consumer knows and has not handled.',
        unit: 's',
        queries: {
          'partition {{partition}}': 'max by (partition) (hopcount_kafka_consumer_oldest_unread_age_seconds)',
        },
        ...{ yellow: 5, red: 60, min: 0, alerts: ['HopcountLagHigh'] },
      },
      {
        title: 'Visible after',
        description: 'From a visit to its being seen, by batch. The objective is 5 s for 99 of 100.',
        unit: 's',
        queries: {
          p50: 'histogram_quantile(0.5, sum by (le) (rate(hopcount_visit_visible_age_seconds_bucket[$__rate_interval])))',
          p99: 'histogram_quantile(0.99, sum by (le) (rate(hopcount_visit_visible_age_seconds_bucket[$__rate_interval])))',
        },
        ...{ yellow: 2, red: 5, min: 0, alerts: ['HopcountFreshnessBurnFast'] },
      },
    ],
    Consumers: [
      {
        title: 'Records consumed, visits counted',
        description: 'A second. Consumed without being counted are copies, purged visits and dead letters.',
        unit: 'ops',
        queries: {
          consumed: 'sum(rate(hopcount_visits_consumed_total[$__rate_interval]))',
          '{{class}}': 'sum by (class) (rate(hopcount_visits_counted_total[$__rate_interval]))',
        },
        min: 0,
      },
      {
        title: 'Duration of a batch',
        description: 'From Kafka to visible. Usual: p99 below 1 s.',
        unit: 's',
        queries: {
          p50: 'histogram_quantile(0.5, sum by (le) (rate(hopcount_batch_duration_seconds_bucket[$__rate_interval])))',
          p99: 'histogram_quantile(0.99, sum by (le) (rate(hopcount_batch_duration_seconds_bucket[$__rate_interval])))',
        },
        ...{ yellow: 1, red: 5, min: 0 },
      },
      {
        title: 'Imbalance',
        description:
          'Visits of five minutes in the busiest partition and in the largest slot of sites, divided by the mean. Even: 1.',
        unit: 'none',
        queries: {
          partitions: 'max(hopcount_partition_imbalance_ratio)',
          'sites: {{kind}}': 'max by (kind) (hopcount_host_slot_imbalance_ratio)',
        },
        ...{ min: 0, alerts: ['HopcountPartitionsUneven', 'HopcountHostSlotsUneven'] },
      },
      {
        title: 'Ongoing surges of hosts',
        description: '`hopcount hosts alerts` names them.',
        unit: 'none',
        queries: { surges: 'max(hopcount_host_surges_open)' },
        ...{ yellow: 1, min: 0, alerts: ['HopcountHostSurges'] },
      },
      {
        title: 'Records of a batch',
        description: 'Mean. Near the largest batch: consumers are at their limit.',
        unit: 'short',
        queries: {
          mean: 'sum(rate(hopcount_batch_size_records_sum[$__rate_interval])) / sum(rate(hopcount_batch_size_records_count[$__rate_interval]))',
        },
        min: 0,
      },
      {
        title: 'Failures',
        description: 'Batches that failed and are read again, by code, in 5 minutes. Usual: none.',
        unit: 'none',
        queries: {
          'failed: {{code}}': 'sum by (code) (increase(hopcount_kafka_batch_failures_total[5m]))',
          fenced: 'sum(increase(hopcount_consumer_fenced_total[5m]))',
        },
        ...{ red: 1, min: 0, alerts: ['HopcountBatchesFail', 'HopcountConsumerFenced'] },
      },
      {
        title: 'Rebalances and lost offsets',
        description: 'In 5 minutes. Joining again and again: a consumer is killed, or its session times out.',
        unit: 'none',
        queries: {
          joined: 'sum(increase(hopcount_kafka_consumer_rebalances_total[5m]))',
          'offsets not committed': 'sum(increase(hopcount_kafka_offset_commit_failures_total[5m]))',
        },
        ...{ min: 0, alerts: ['HopcountProcessRestarts'] },
      },
      {
        title: 'Copies found',
        description:
          'Visits that were counted already, by who knew: the done mark in Redis or the ledger. Never wrong, but a sign of replays.',
        unit: 'ops',
        queries: { copies: 'sum(rate(hopcount_visits_dedupe_hits_total[$__rate_interval])) or vector(0)' },
        min: 0,
      },
    ],
    Exactness: [
      {
        title: 'Minutes of gateways',
        description: 'Different and unreported must be 0. Open: not held against the counts yet.',
        unit: 'none',
        queries: { '{{state}}': 'max by (state) (hopcount_audit_reports)' },
        ...{ red: 1, min: 0, alerts: ['HopcountMinutesDiffer', 'HopcountMinutesUnreported'] },
      },
      {
        title: 'Visits in audits',
        description: 'Missing and surplus must be 0.',
        unit: 'none',
        queries: { '{{state}}': 'max by (state) (hopcount_audit_visits)' },
        ...{ red: 1, min: 0, alerts: ['HopcountVisitsMissing', 'HopcountVisitsSurplus'] },
      },
      {
        title: 'Dead letters by reason',
        description: 'In an hour. A new reason: what changed?',
        unit: 'none',
        queries: { '{{reason}}': 'sum by (reason) (increase(hopcount_visits_dead_lettered_total[1h]))' },
        ...{ red: 10, min: 0, alerts: ['HopcountDeadLettersNewReason', 'HopcountDeadLettersRate'] },
      },
    ],
  },
};
