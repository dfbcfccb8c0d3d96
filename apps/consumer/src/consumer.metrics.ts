import { metricsIn, type Registry } from '@hopcount/runtime';

/** Everything the consumer measures; register once per process. */
export function createConsumerMetrics(registry: Registry) {
  const declare = metricsIn(registry);
  return { ...batchMetrics(declare), ...outcomeMetrics(declare), ...degradationMetrics(declare) };
}

export type ConsumerMetrics = ReturnType<typeof createConsumerMetrics>;

type Declare = ReturnType<typeof metricsIn>;

function batchMetrics({ counter, histogram }: Declare) {
  return {
    batchSize: histogram(
      'hopcount_batch_size_records',
      'Records of a batch as Kafka handed it over.',
      [1, 10, 50, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000],
    ),
    batchDuration: histogram(
      'hopcount_batch_duration_seconds',
      'Time from a batch handed over to its visits visible and its claims marked.',
      [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    ),
    batchRetries: counter(
      'hopcount_batch_retries_total',
      'Transactions of the commit stage done again, by SQLSTATE or errno.',
      'sqlstate',
    ),
    visibleAge: histogram(
      'hopcount_visit_visible_age_seconds',
      'Age of the oldest visit of a batch at the moment it could be seen in statistics.',
      [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 3_600],
    ),
    suspectBatches: counter(
      'hopcount_consumer_suspect_batches_total',
      'Batches handled in small pieces because a consumer died with their records in hand.',
    ),
    fenced: counter(
      'hopcount_consumer_fenced_total',
      'Commits refused because another consumer owns the partition, or the database was restored.',
    ),
  };
}

function outcomeMetrics({ counter }: Declare) {
  return {
    consumed: counter('hopcount_visits_consumed_total', 'Records committed, counted or not.'),
    counted: counter('hopcount_visits_counted_total', 'Visits added to the ledger, by class.', 'class'),
    dedupeHits: counter(
      'hopcount_visits_dedupe_hits_total',
      'Visits found counted already: by their done mark (claim) or by the ledger itself.',
      'cause',
    ),
    purged: counter(
      'hopcount_visits_purged_total',
      'Visits kept out because their link was purged after they occurred.',
    ),
    orphansCounted: counter(
      'hopcount_orphan_visits_counted_total',
      'Requests without a link added to their table, each event once.',
    ),
    orphansUnusable: counter(
      'hopcount_orphan_visits_unusable_total',
      'Records of the topic of orphan visits that are none, or that PostgreSQL cannot hold, by reason.',
      'reason',
    ),
    orphansLost: counter(
      'hopcount_orphan_visits_lost_total',
      'Orphan visits of the first batch of an assignment, given up with the partition while PostgreSQL was away.',
    ),
    hostBatches: counter(
      'hopcount_host_batches_total',
      'Batches of counts from elsewhere, by outcome; known: settled before, or other counts under a key.',
      'outcome',
    ),
    lostToRetention: counter(
      'hopcount_visits_lost_to_retention_total',
      'Records the broker removed before they were counted (by offsets); must be 0. Kept in lost_offsets, too.',
      'topic',
      'partition',
    ),
    deadLettered: counter(
      'hopcount_visits_dead_lettered_total',
      'Records put aside because they cannot be counted, by reason.',
      'reason',
    ),
  };
}

function degradationMetrics({ counter, gauge }: Declare) {
  return {
    claimsUnavailable: counter(
      'hopcount_claims_unavailable_total',
      'Visits for which Redis could not say whether they were counted; the ledger decided.',
    ),
    locksNotHeld: counter(
      'hopcount_read_locks_not_held_total',
      'Batches committed without the read lock of their links; PostgreSQL fences them anyway.',
    ),
    geoFailures: counter(
      'hopcount_geo_lookup_failures_total',
      'Lookups a file of places or networks failed; the place or network became unknown.',
    ),
    geoBroken: gauge(
      'hopcount_geo_files_unusable',
      'Files of places and networks that could not be opened at start-up.',
    ),
  };
}
