import type { DashboardSpec } from '../panels.js';

const FAILED = 'hopcount:redirects:error_ratio_rate';
const LATE = 'hopcount:visible_age:late_ratio_rate';

/** For who was woken up: is it bad, for whom, since when. */
export const OVERVIEW: DashboardSpec = {
  uid: 'hopcount-overview',
  title: 'Hopcount: overview and objectives',
  description:
    'Start here. Objectives first, then what each promise rests on; each panel links to the runbook of its alert.',
  rows: {
    'Objectives of 30 days': [
      {
        title: 'Redirects that fail (3 days)',
        description: 'Share of answers to visitors that were 5xx. Objective: below 0.05 %.',
        unit: 'percentunit',
        queries: { failed: `${FAILED}3d` },
        ...{ yellow: 0.0005, red: 0.003, isNumber: true, alerts: ['HopcountAvailabilityBurnTicket'] },
      },
      {
        title: 'Redirects that fail (5 minutes)',
        description: 'The same now. Above 0.72 % the budget of a month is gone in two days.',
        unit: 'percentunit',
        queries: { failed: `${FAILED}5m` },
        ...{ yellow: 0.003, red: 0.0072, isNumber: true, alerts: ['HopcountAvailabilityBurnFast'] },
      },
      {
        title: 'Requests refused by limits (3 days)',
        description:
          'Share of the requests for short links and to the API that were answered 429. Objective: below 0.1 %.',
        unit: 'percentunit',
        queries: { refused: 'hopcount:requests:reject_ratio_rate3d' },
        ...{ yellow: 0.001, red: 0.006, isNumber: true, alerts: ['HopcountRejectionsBurnTicket'] },
      },
      {
        title: 'Visits known to be uncounted',
        description:
          'Of the last 24 hours. Objective: 0. Dead letters, visits missing in an audit, answers without a durable visit.',
        unit: 'none',
        queries: { uncounted: 'max(hopcount_uncounted_visits)' },
        ...{ red: 1, isNumber: true, alerts: ['HopcountVisitsUncounted', 'HopcountVisitsMissing'] },
      },
      {
        title: 'Lost to retention',
        description: 'Records Kafka removed before they were counted. Objective: 0.',
        unit: 'none',
        queries: { lost: 'max(hopcount_visits_lost_records)' },
        ...{ red: 1, isNumber: true, alerts: ['HopcountVisitsLostToRetention'] },
      },
      {
        title: 'Batches visible late (3 days)',
        description: 'Share of batches whose oldest visit was visible later than 5 s. Objective: below 1 %.',
        unit: 'percentunit',
        queries: { late: `${LATE}3d` },
        ...{ yellow: 0.01, red: 0.06, isNumber: true, alerts: ['HopcountFreshnessBurnTicket'] },
      },
      {
        title: 'Visible after (p99)',
        description:
          'From the visit to its being seen in statistics, of 99 of 100 batches in five minutes. Usual: below 2 s.',
        unit: 's',
        queries: { p99: 'hopcount:visible_age_seconds:p99_5m' },
        ...{ yellow: 2, red: 5, isNumber: true, alerts: ['HopcountFreshnessBurnFast'] },
      },
      {
        title: 'Budget use: redirects',
        description:
          'How many times faster than allowed the budget of failures is used. 1 uses it up in a month, 14.4 in two days.',
        unit: 'none',
        queries: {
          '5 minutes': `${FAILED}5m / 0.0005`,
          '1 hour': `${FAILED}1h / 0.0005`,
          '6 hours': `${FAILED}6h / 0.0005`,
        },
        ...{ yellow: 1, red: 14.4, min: 0, alerts: ['HopcountAvailabilityBurnFast', 'HopcountAvailabilityBurnSlow'] },
      },
      {
        title: 'Budget use: freshness',
        description: 'The same of visits that are visible late.',
        unit: 'none',
        queries: { '5 minutes': `${LATE}5m / 0.01`, '1 hour': `${LATE}1h / 0.01`, '6 hours': `${LATE}6h / 0.01` },
        ...{ yellow: 1, red: 14.4, min: 0, alerts: ['HopcountFreshnessBurnFast', 'HopcountFreshnessBurnSlow'] },
      },
      {
        title: 'Audits',
        description:
          'Visits by what gateways say of them. Missing and surplus must be 0; unaudited: of gateways that were killed.',
        unit: 'none',
        queries: { '{{state}}': 'max by (state) (hopcount_audit_visits)' },
        ...{ red: 1, min: 0, alerts: ['HopcountVisitsMissing', 'HopcountVisitsSurplus'] },
      },
    ],
    Now: [
      {
        title: 'Redirects',
        description:
          'Answers to visitors a second, by status. 302 is a redirect, 404 no link, 503 a visit that had no place.',
        unit: 'reqps',
        queries: { '{{status}}': 'sum by (status) (rate(hopcount_redirects_total[$__rate_interval]))' },
        ...{ min: 0, alerts: ['HopcountVisitsNotDurable'] },
      },
      {
        title: 'Visits: durable and counted',
        description: 'Both curves lie on each other; counted below durable: counting is behind (see Counting).',
        unit: 'ops',
        queries: {
          durable: 'sum(rate(hopcount_visits_accepted_total[$__rate_interval]))',
          counted: 'sum(rate(hopcount_visits_counted_total[$__rate_interval]))',
        },
        ...{ min: 0, alerts: ['HopcountLagHigh'] },
      },
      {
        title: 'API',
        description: 'Requests a second, by class of status. 5xx are ours.',
        unit: 'reqps',
        queries: {
          '2xx and 3xx': 'sum(rate(hopcount_api_request_duration_seconds_count{status=~"[23].."}[$__rate_interval]))',
          '4xx': 'sum(rate(hopcount_api_request_duration_seconds_count{status=~"4.."}[$__rate_interval])) or vector(0)',
          '5xx': 'sum(rate(hopcount_api_request_duration_seconds_count{status=~"5.."}[$__rate_interval])) or vector(0)',
        },
        ...{ min: 0, alerts: ['HopcountApiErrors'] },
      },
      {
        title: 'Processes that answer',
        description: 'By app. A curve that falls: a process is gone or hangs.',
        unit: 'none',
        queries: { '{{app}}': 'sum by (app) (up{job="hopcount"})' },
        ...{ min: 0, alerts: ['HopcountProcessDown', 'HopcountProcessRestarts'] },
      },
      {
        title: 'Health checks that do not pass',
        description: '1 warns (the work goes on without), 2 fails. Empty is not usual: every check is drawn, at 0.',
        unit: 'none',
        queries: { '{{process_name}} {{check}}': 'max by (process_name, check) (hopcount_health_check_status)' },
        ...{ yellow: 1, red: 2, min: 0, max: 2, alerts: ['HopcountNotReady', 'HopcountPostgresAway'] },
      },
      {
        title: 'Delay of the event loop (p99)',
        description: 'How long a process is not listening. Above 0.2 s it is short of processor time.',
        unit: 's',
        queries: {
          '{{process_name}}': 'max by (process_name) (hopcount_event_loop_delay_p99_seconds{job="hopcount"})',
        },
        ...{ yellow: 0.2, red: 1, min: 0 },
      },
    ],
  },
};
