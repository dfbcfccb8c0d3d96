import type { DashboardSpec } from '../panels.js';

export const REDIRECTS: DashboardSpec = {
  uid: 'hopcount-redirects',
  title: 'Hopcount: redirects',
  description:
    'Gateways: what visitors are answered, where their visits go, and how much room is left when Kafka is away.',
  rows: {
    Visitors: [
      {
        title: 'Answers',
        description: 'A second, by status.',
        unit: 'reqps',
        queries: { '{{status}}': 'sum by (status) (rate(hopcount_redirects_total[$__rate_interval]))' },
        ...{ min: 0, alerts: ['HopcountAvailabilityBurnFast'] },
      },
      {
        title: 'By gateway',
        description: 'Even shares are usual; one that gets nothing is not in the load balancer.',
        unit: 'reqps',
        queries: { '{{process_name}}': 'sum by (process_name) (rate(hopcount_redirects_total[$__rate_interval]))' },
        min: 0,
      },
      {
        title: 'Duration of a redirect',
        description:
          'From the first byte of the request to the redirect. Target: p99 below 50 ms; a slow disk or broker shows here.',
        unit: 's',
        queries: {
          p50: 'histogram_quantile(0.5, sum by (le) (rate(hopcount_redirect_duration_seconds_bucket[$__rate_interval])))',
          p99: 'histogram_quantile(0.99, sum by (le) (rate(hopcount_redirect_duration_seconds_bucket[$__rate_interval])))',
        },
        ...{ yellow: 0.05, red: 1, min: 0, alerts: ['HopcountRedirectsSlow'] },
      },
      {
        title: 'Links found in memory',
        description: 'Share of the look-ups that found a link, in ten minutes. Target: 95 %.',
        unit: 'percentunit',
        queries: { ratio: 'hopcount:link_cache:hit_ratio_rate10m' },
        ...{ green: 0.95, isNumber: true, alerts: ['HopcountCacheHitsLow'] },
      },
      {
        title: 'Where links are found',
        description: 'Look-ups a second. Mostly memory; much "postgres" means cold caches or Redis away.',
        unit: 'ops',
        queries: { '{{result}}': 'sum by (result) (rate(hopcount_link_lookups_total[$__rate_interval]))' },
        ...{ min: 0, alerts: ['HopcountRedisAway'] },
      },
      {
        title: 'Refused by limits',
        description:
          'Requests above the limits of their client (429), visitors of links whose limit is used up, and requests that a process has no time for (503).',
        unit: 'ops',
        queries: {
          'clients: {{outcome}}': 'sum by (outcome) (rate(hopcount_rate_limit_requests_total[$__rate_interval]))',
          'links: {{outcome}}': 'sum by (outcome) (rate(hopcount_limit_answers_total[$__rate_interval]))',
          '{{app}}: {{reason}}': 'sum by (app, reason) (rate(hopcount_requests_shed_total[$__rate_interval]))',
        },
        ...{ min: 0, alerts: ['HopcountRejectionsBurnFast', 'HopcountRejectionsBurnSlow'] },
      },
      {
        title: 'Use of limits',
        description:
          'Of the client that is nearest to its limit, by limit of gateways and api. At 100 % it is refused (429).',
        unit: 'percentunit',
        queries: { '{{app}} {{limit}}': 'max by (app, limit) (hopcount_limit_used_ratio)' },
        ...{ yellow: 0.9, min: 0, max: 1, alerts: ['HopcountLimitNearlyUsed'] },
      },
      {
        title: 'Requests without a link',
        description: 'Recorded apart, best effort. Much "dropped" is mostly a scanner.',
        unit: 'ops',
        queries: { '{{outcome}}': 'sum by (outcome) (rate(hopcount_orphan_visits_total[$__rate_interval]))' },
        min: 0,
      },
      {
        title: 'Defects (1 hour)',
        description: 'Requests for links that failed because of a defect in the code (503 or no answer). Objective: 0.',
        unit: 'none',
        queries: { '{{process_name}}': 'sum by (process_name) (increase(hopcount_request_defects_total[1h]))' },
        ...{ red: 1, isNumber: true, alerts: ['HopcountRequestDefects'] },
      },
    ],
    Durability: [
      {
        title: 'Kafka takes visits',
        description: '1: visits go to Kafka first. 0: straight to the disk.',
        unit: 'none',
        queries: { '{{process_name}}': 'min by (process_name) (hopcount_kafka_up)' },
        ...{ green: 1, isNumber: true, alerts: ['HopcountKafkaAway'] },
      },
      {
        title: 'Visits on disks',
        description: 'Not in Kafka yet. Usual: 0. The machine of such a gateway must not be deleted.',
        unit: 'short',
        queries: { visits: 'sum(hopcount_spool_events)' },
        ...{ yellow: 1, red: 100_000, isNumber: true, alerts: ['HopcountSpoolOld'] },
      },
      {
        title: 'Room of the spool used',
        description: 'Of SPOOL_MAX_BYTES, of the fullest gateway. At 100 % visitors are refused.',
        unit: 'percentunit',
        queries: {
          used: 'max(max by (process_name) (hopcount_spool_bytes{origin="own"}) / max by (process_name) (hopcount_spool_limit_bytes))',
        },
        ...{ yellow: 0.2, red: 0.5, isNumber: true, alerts: ['HopcountSpoolFilling'] },
      },
      {
        title: 'Disk of the spool free',
        description: 'Of the fullest disk.',
        unit: 'percentunit',
        queries: { free: 'min(hopcount_spool_disk_free_bytes / hopcount_spool_disk_size_bytes)' },
        ...{ green: 0.05, isNumber: true, alerts: ['HopcountSpoolDiskLow'] },
      },
      {
        title: 'Rejected by Kafka',
        description: 'Bytes of visits in SPOOL_DIR/rejected. Usual: 0.',
        unit: 'bytes',
        queries: { rejected: 'max(hopcount_spool_rejected_bytes)' },
        ...{ red: 1, isNumber: true, alerts: ['HopcountSpoolRejected'] },
      },
      {
        title: 'Without a place (1 hour)',
        description: 'Visits that neither Kafka nor the disk took. Objective: 0.',
        unit: 'none',
        queries: { '{{reason}}': 'sum by (reason) (increase(hopcount_visits_uncounted_total[1h]))' },
        ...{ red: 1, isNumber: true, alerts: ['HopcountVisitsNotDurable'] },
      },
      {
        title: 'Where visits become durable',
        description: 'A second. "spool" for seconds is a broker that is slow, for minutes Kafka that is away.',
        unit: 'ops',
        queries: { '{{path}}': 'sum by (path) (rate(hopcount_visits_accepted_total[$__rate_interval]))' },
        ...{ min: 0, alerts: ['HopcountKafkaAway'] },
      },
      {
        title: 'Acknowledgement by Kafka',
        description:
          "Of a batch, acks=all. Usual: p99 below 50 ms. Beside it, batches Kafka did not take, and those that kafkajs sent because the gateway's own connections were not there: usually none.",
        unit: 's',
        queries: {
          p99: 'histogram_quantile(0.99, sum by (le) (rate(hopcount_produce_duration_seconds_bucket[$__rate_interval])))',
          'failed (a second)': 'sum(rate(hopcount_produce_failures_total[$__rate_interval]))',
          'by kafkajs (a second)': 'sum(rate(hopcount_produce_requests_total{path="kafkajs"}[$__rate_interval]))',
        },
        ...{ yellow: 0.25, red: 1, min: 0, alerts: ['HopcountKafkaAway'] },
      },
      {
        title: 'Oldest visit on a disk',
        description: 'Age by gateway. Above a minute somebody is paged.',
        unit: 's',
        queries: { '{{process_name}}': 'max by (process_name) (hopcount_spool_oldest_age_seconds)' },
        ...{ yellow: 10, red: 60, min: 0, alerts: ['HopcountSpoolOld'] },
      },
    ],
  },
};
