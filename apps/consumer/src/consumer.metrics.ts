import { Counter, Gauge, Histogram, type Registry } from '@hopcount/runtime';

/** Everything the consumer measures; register once per process. */
export function createConsumerMetrics(registry: Registry) {
  return {
    ...batchMetrics(registry),
    ...outcomeMetrics(registry),
    ...degradationMetrics(registry),
  };
}

export type ConsumerMetrics = ReturnType<typeof createConsumerMetrics>;

function batchMetrics(registry: Registry) {
  const registers = [registry];
  return {
    batchSize: new Histogram({
      name: 'hopcount_batch_size_records',
      help: 'Records of a batch as Kafka handed it over.',
      buckets: [1, 10, 50, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000],
      registers,
    }),
    batchDuration: new Histogram({
      name: 'hopcount_batch_duration_seconds',
      help: 'Time from a batch handed over to its visits visible and its claims marked.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    batchRetries: new Counter({
      name: 'hopcount_batch_retries_total',
      help: 'Transactions of the commit stage done again, by SQLSTATE or errno.',
      labelNames: ['sqlstate'],
      registers,
    }),
    visibleAge: new Histogram({
      name: 'hopcount_visit_visible_age_seconds',
      help: 'Age of the oldest visit of a batch at the moment it could be seen in statistics.',
      buckets: [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 3_600],
      registers,
    }),
    suspectBatches: new Counter({
      name: 'hopcount_consumer_suspect_batches_total',
      help: 'Batches handled in small pieces because a consumer died with their records in hand.',
      registers,
    }),
    fenced: new Counter({
      name: 'hopcount_consumer_fenced_total',
      help: 'Commits refused because another consumer owns the partition, or the database was restored.',
      registers,
    }),
  };
}

function outcomeMetrics(registry: Registry) {
  const registers = [registry];
  return {
    consumed: new Counter({
      name: 'hopcount_visits_consumed_total',
      help: 'Records committed, counted or not.',
      registers,
    }),
    counted: new Counter({
      name: 'hopcount_visits_counted_total',
      help: 'Visits added to the ledger, by class.',
      labelNames: ['class'],
      registers,
    }),
    dedupeHits: new Counter({
      name: 'hopcount_visits_dedupe_hits_total',
      help: 'Visits found counted already: by their done mark (claim) or by the ledger itself.',
      labelNames: ['cause'],
      registers,
    }),
    purged: new Counter({
      name: 'hopcount_visits_purged_total',
      help: 'Visits kept out because their link was purged after they occurred.',
      registers,
    }),
    orphansCounted: new Counter({
      name: 'hopcount_orphan_visits_counted_total',
      help: 'Requests without a link added to their table, each event once.',
      registers,
    }),
    orphansUnusable: new Counter({
      name: 'hopcount_orphan_visits_unusable_total',
      help: 'Records of the topic of orphan visits that are none, or that PostgreSQL cannot hold, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    orphansLost: new Counter({
      name: 'hopcount_orphan_visits_lost_total',
      help: 'Orphan visits of the first batch of an assignment, given up with the partition while PostgreSQL was away.',
      registers,
    }),
    lostToRetention: new Counter({
      name: 'hopcount_visits_lost_to_retention_total',
      help: 'Records the broker removed before they were counted (by offsets); must be 0. Kept in lost_offsets, too.',
      labelNames: ['topic', 'partition'],
      registers,
    }),
    deadLettered: new Counter({
      name: 'hopcount_visits_dead_lettered_total',
      help: 'Records put aside because they cannot be counted, by reason.',
      labelNames: ['reason'],
      registers,
    }),
  };
}

function degradationMetrics(registry: Registry) {
  const registers = [registry];
  return {
    claimsUnavailable: new Counter({
      name: 'hopcount_claims_unavailable_total',
      help: 'Visits for which Redis could not say whether they were counted; the ledger decided.',
      registers,
    }),
    locksNotHeld: new Counter({
      name: 'hopcount_read_locks_not_held_total',
      help: 'Batches committed without the read lock of their links; PostgreSQL fences them anyway.',
      registers,
    }),
    geoFailures: new Counter({
      name: 'hopcount_geo_lookup_failures_total',
      help: 'Lookups a geography file failed; the place became unknown.',
      registers,
    }),
    geoBroken: new Gauge({
      name: 'hopcount_geo_files_unusable',
      help: 'Geography files that could not be opened at start-up.',
      registers,
    }),
  };
}
