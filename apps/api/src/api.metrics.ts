import { Counter, Histogram, type Registry } from '@hopcount/runtime';

/** Everything the api app measures, made once per process; a class, so that Nest can inject it by type. */
export class ApiMetrics {
  readonly requestDuration;
  readonly problems;
  readonly kafkaOffsetFailures;

  constructor(registry: Registry) {
    const registers = [registry];
    this.requestDuration = new Histogram({
      name: 'hopcount_api_request_duration_seconds',
      help: 'Seconds from the request line to the last byte handed to the socket, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.problems = new Counter({
      name: 'hopcount_api_problems_total',
      help: 'Problem answers by code (see PROBLEMS in contracts).',
      labelNames: ['code'],
      registers,
    });
    this.kafkaOffsetFailures = new Counter({
      name: 'hopcount_api_kafka_offset_failures_total',
      help: 'Statistics answered without `pending`, because Kafka did not tell its offsets in time.',
      registers,
    });
  }
}
