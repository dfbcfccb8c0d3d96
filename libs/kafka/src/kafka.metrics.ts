import { type Counter, Gauge, metricsIn, type Registry } from '@hopcount/runtime';

/** Everything this library measures; register once per process, or with a prefix for each further consumer in it. */
export function createKafkaMetrics(registry: Registry, prefix = '') {
  const { counter, gauge } = metricsIn(registry);
  return {
    assignedPartitions: gauge(
      `hopcount_${prefix}kafka_assigned_partitions`,
      'Partitions this consumer is assigned now.',
    ),
    lag: gauge(
      `hopcount_${prefix}kafka_consumer_lag_records`,
      'Records between the last handled offset and the end of the log, as of the last batch.',
      'partition',
    ),
    ...oldestUnread(registry, prefix),
    rebalances: counter(
      `hopcount_${prefix}kafka_consumer_rebalances_total`,
      'Times this consumer joined the group (1 after a quiet start).',
    ),
    batchFailures: fromZero(
      counter(
        `hopcount_${prefix}kafka_batch_failures_total`,
        'Batches whose handler failed; each is read again from the same offset.',
        'code',
      ),
    ),
    offsetCommitFailures: counter(
      `hopcount_${prefix}kafka_offset_commit_failures_total`,
      'Offset commits the broker did not take; harmless, since PostgreSQL keeps the checkpoint.',
    ),
    deadLetters: counter(
      `hopcount_${prefix}kafka_dead_letters_written_total`,
      'Records acknowledged by the dead-letter topic.',
      'reason',
    ),
    deadLetterRetries: counter(
      `hopcount_${prefix}kafka_dead_letter_retries_total`,
      'Attempts to write dead letters that the broker did not acknowledge.',
    ),
  };
}

export type KafkaMetrics = ReturnType<typeof createKafkaMetrics>;

/** Of a counter that appears with its first failure, no increase is to be seen. */
function fromZero(failures: Counter<'code'>): Counter<'code'> {
  failures.inc({ code: 'unexpected' }, 0);
  return failures;
}

function oldestUnread(registry: Registry, prefix: string) {
  /** The broker's time of the oldest unhandled record by partition; null when none is known. */
  const oldestUnreadMs = new Map<number, number | null>();
  const oldestUnreadAge = new Gauge({
    name: `hopcount_${prefix}kafka_consumer_oldest_unread_age_seconds`,
    help: 'Age of the oldest record of a partition known to be not handled yet (0: none); alert long before retention.',
    labelNames: ['partition'],
    registers: [registry],
    collect() {
      this.reset();
      const nowMs = Date.now();
      for (const [partition, sinceMs] of oldestUnreadMs) {
        this.set({ partition: String(partition) }, sinceMs === null ? 0 : Math.max(0, nowMs - sinceMs) / 1_000);
      }
    },
  });
  return { oldestUnreadAge, oldestUnreadMs };
}
