import { LimitUse } from '@hopcount/redis';
import { metricsIn, type Registry } from '@hopcount/runtime';

/** Everything the api app measures; one per process. A class, so that Nest can inject it by type. */
export class ApiMetrics {
  readonly requestDuration;
  readonly problems;
  readonly kafkaOffsetFailures;
  readonly archiveFailures;
  readonly inexactAnswers;
  readonly liveReaders;
  readonly liveFailures;
  readonly hostMemoryNames;
  readonly hostMemoryBytes;
  readonly hostMemoryAge;
  readonly rateLimited;
  readonly rateLimitsAlone;
  readonly limitUse: LimitUse;

  constructor(registry: Registry) {
    const { counter, gauge, histogram } = metricsIn(registry);
    this.requestDuration = histogram(
      'hopcount_api_request_duration_seconds',
      'Seconds from the request line to the last byte handed to the socket, by route pattern.',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      'method',
      'route',
      'status',
    );
    this.problems = counter(
      'hopcount_api_problems_total',
      'Problem answers by code (see PROBLEMS in contracts).',
      'code',
    );
    this.kafkaOffsetFailures = counter(
      'hopcount_api_kafka_offset_failures_total',
      'Statistics answered without `pending`, because Kafka did not tell its offsets in time.',
    );
    this.archiveFailures = counter(
      'hopcount_api_archive_damaged_files_total',
      'Files of the archive that were found damaged or lost while they were read.',
    );
    this.liveReaders = gauge('hopcount_api_live_readers', 'Connections that follow visits, counts or surges of hosts.');
    this.liveFailures = counter(
      'hopcount_api_live_failures_total',
      'Failed reads of visits, counts or surges for these connections; each is retried.',
    );
    this.hostMemoryNames = gauge('hopcount_api_host_tree_names', 'Hosts whose totals are in memory; 0: none are.');
    this.hostMemoryBytes = gauge('hopcount_api_host_tree_bytes', 'Size of these totals.');
    this.hostMemoryAge = gauge(
      'hopcount_api_host_tail_delay_seconds',
      'How old totals of hosts in memory have become by the next look at what was committed: a second or so while they are asked for, else 30.',
    );
    this.rateLimited = counter(
      'hopcount_api_rate_limited_total',
      'Requests refused with 429, by limit (reads, statistics, writes, creates, failed-keys, sign-ins, sign-ins-from, failed-sign-ins, passwords).',
      'limit',
    );
    this.rateLimitsAlone = counter(
      'hopcount_api_rate_limits_alone_total',
      'Requests held against the limits of this process alone, as Redis was away.',
    );
    this.limitUse = new LimitUse(registry);
    this.inexactAnswers = counter(
      'hopcount_api_inexact_answers_total',
      'Statistics of which neither ledger nor archive holds everything that was counted.',
    );
  }
}
