import { Gauge, metricsIn, type Registry } from '@hopcount/runtime';

/** Everything this library measures; create once per process and hand it to every client. */
export function createRedisMetrics(registry: Registry) {
  const { counter, histogram } = metricsIn(registry);
  return {
    failures: counter(
      'hopcount_redis_failures_total',
      'Calls Redis did not answer or answered with an error, by reason (timeout, connection, reply).',
      'operation',
      'reason',
    ),
    skipped: counter(
      'hopcount_redis_skipped_total',
      'Calls not made because Redis was known to be away; the work went on without it.',
      'operation',
    ),
    claims: counter(
      'hopcount_redis_visit_claims_total',
      'Visits claimed, by outcome (claimed, done, unknown).',
      'outcome',
    ),
    lockWaits: histogram(
      'hopcount_redis_link_lock_wait_seconds',
      'Time from asking for a link lock to the answer, by mode and outcome (held, timeout, unavailable).',
      [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      'mode',
      'outcome',
    ),
    leasesLost: counter(
      'hopcount_redis_leases_lost_total',
      'Leases that ended while their holder still worked, by kind (read, write, job).',
      'kind',
    ),
    jobs: counter(
      'hopcount_redis_exclusive_jobs_total',
      'Attempts to run a single-holder job, by outcome (ran, busy, unavailable).',
      'job_name',
      'outcome',
    ),
    watch: watchClients(registry),
  };
}

export type RedisMetrics = ReturnType<typeof createRedisMetrics>;

/** Of each client of the process, read when it is asked for. */
function watchClients(registry: Registry) {
  const clients = new Map<string, () => boolean>();
  new Gauge({
    name: 'hopcount_redis_up',
    help: 'Whether Redis is used (1), or known to be away and gone without (0), by the client that says so.',
    labelNames: ['client'],
    registers: [registry],
    collect() {
      for (const [client, isUp] of clients) this.set({ client }, isUp() ? 1 : 0);
    },
  });
  return (client: string, isUp: () => boolean) => void clients.set(client, isUp);
}
