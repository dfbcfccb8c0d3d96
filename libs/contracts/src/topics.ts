import { z } from 'zod';

/** Every visit, keyed by its event id. */
export const VISITS_TOPIC = 'visits';
/** What could not be counted, with its original bytes and headers. */
export const DEAD_LETTER_TOPIC = 'visits.dead-letter';
/** What each gateway process says it made durable, per minute; held against what was counted. */
export const AUDIT_TOPIC = 'visits.audit';
/** Requests that named no link, apart from the visits: what floods it cannot delay a count. */
export const ORPHAN_TOPIC = 'visits.orphan';
/** Counts of hosts from elsewhere: a record for each batch. */
export const HOST_COUNTS_TOPIC = 'hosts.counts';
/** What this data centre counted by host, for its peers; only where there are some. */
export const HOST_STATE_TOPIC = 'hosts.state';
/** The group whose offsets and checkpoints say how far the statistics are. */
export const STATISTICS_GROUP = 'hopcount-statistics';

const name = z.string().min(1);

/** Settings of every process that names them; other ones are for tests on a shared broker. */
export const topicNames = {
  VISITS_TOPIC: name.default(VISITS_TOPIC),
  DEAD_LETTER_TOPIC: name.default(DEAD_LETTER_TOPIC),
  AUDIT_TOPIC: name.default(AUDIT_TOPIC),
  ORPHAN_TOPIC: name.default(ORPHAN_TOPIC),
  HOST_COUNTS_TOPIC: name.default(HOST_COUNTS_TOPIC),
  CONSUMER_GROUP: name.default(STATISTICS_GROUP),
};

export interface TopicSettings {
  partitions: number;
  retentionMs: number;
  /** The broker's own limit unless given. */
  maxMessageBytes?: number;
  /** Of each key the last record stays for ever. */
  isCompacted?: boolean;
}

/** Settings used when the topics are created. */
export const TOPIC_SETTINGS = {
  [VISITS_TOPIC]: { partitions: 12, retentionMs: 7 * 24 * 3_600_000 },
  // Longer than any visit can be, so that a dead letter (original plus headers) is never refused for its size.
  [DEAD_LETTER_TOPIC]: { partitions: 3, retentionMs: 30 * 24 * 3_600_000, maxMessageBytes: 4 * 1_024 * 1_024 },
  // One partition: a process's later report proves that its earlier ones were read.
  [AUDIT_TOPIC]: { partitions: 1, retentionMs: 30 * 24 * 3_600_000 },
  [ORPHAN_TOPIC]: { partitions: 3, retentionMs: 7 * 24 * 3_600_000 },
  // A batch of 10,000 of the longest names, in punycode.
  [HOST_COUNTS_TOPIC]: { partitions: 3, retentionMs: 7 * 24 * 3_600_000, maxMessageBytes: 3 * 1_024 * 1_024 },
} as const satisfies Record<string, TopicSettings>;

/** One partition: what says that all is there stands behind it. A thousand of the longest names. */
export const HOST_STATE_TOPIC_SETTINGS: TopicSettings = {
  partitions: 1,
  retentionMs: 7 * 24 * 3_600_000,
  maxMessageBytes: 4 * 1_024 * 1_024,
  isCompacted: true,
};

/**
 * Headers added to a dead letter; the original key, value and headers stay untouched beside them.
 * `dlq-reason` is one of {@link DeadLetterReason}.
 */
export const DEAD_LETTER_HEADERS = {
  reason: 'dlq-reason',
  step: 'dlq-step',
  detail: 'dlq-detail',
  timestamp: 'dlq-timestamp',
  attempts: 'dlq-attempts',
  originalTopic: 'dlq-original-topic',
  originalPartition: 'dlq-original-partition',
  originalOffset: 'dlq-original-offset',
} as const;

/** Headers added to a record an operator sends again; key, value and the other headers are the original's. */
export const REPLAY_HEADERS = {
  /** Id of the row in operator_actions. */
  action: 'replay-action',
  originalTopic: 'replay-original-topic',
  originalPartition: 'replay-original-partition',
  originalOffset: 'replay-original-offset',
} as const;

export const DEAD_LETTER_REASONS = [
  'empty-value',
  'not-json',
  'unsupported-version',
  'schema-mismatch',
  'older-than-ledger',
  'from-the-future',
  'unstorable',
  'kills-consumer',
] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];
