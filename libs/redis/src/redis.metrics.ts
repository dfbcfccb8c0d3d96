import { Counter, Histogram, type Registry } from '@hopcount/runtime';

/** Everything this library measures; create once per process and hand it to every client. */
export function createRedisMetrics(registry: Registry) {
  const registers = [registry];
  return {
    failures: new Counter({
      name: 'hopcount_redis_failures_total',
      help: 'Calls Redis did not answer or answered with an error, by reason (timeout, connection, reply).',
      labelNames: ['operation', 'reason'],
      registers,
    }),
    skipped: new Counter({
      name: 'hopcount_redis_skipped_total',
      help: 'Calls not made because Redis was known to be away; the work went on without it.',
      labelNames: ['operation'],
      registers,
    }),
    claims: new Counter({
      name: 'hopcount_redis_visit_claims_total',
      help: 'Visits claimed, by outcome (claimed, done, unknown).',
      labelNames: ['outcome'],
      registers,
    }),
    lockWaits: new Histogram({
      name: 'hopcount_redis_link_lock_wait_seconds',
      help: 'Time from asking for a link lock to the answer, by mode and outcome (held, timeout, unavailable).',
      labelNames: ['mode', 'outcome'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    leasesLost: new Counter({
      name: 'hopcount_redis_leases_lost_total',
      help: 'Leases that ended while their holder still worked, by kind (read, write, job).',
      labelNames: ['kind'],
      registers,
    }),
    jobs: new Counter({
      name: 'hopcount_redis_exclusive_jobs_total',
      help: 'Attempts to run a single-holder job, by outcome (ran, busy, unavailable).',
      labelNames: ['job', 'outcome'],
      registers,
    }),
  };
}

export type RedisMetrics = ReturnType<typeof createRedisMetrics>;
