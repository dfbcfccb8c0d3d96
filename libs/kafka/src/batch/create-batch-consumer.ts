import type { Consumer } from 'kafkajs';

import { createKafka, type KafkaConnection } from '../client/create-kafka.js';
import { type AboutMember, assignerSaying } from './about-member.js';
import type { FetchPace } from './fetch-pace.js';
import { readRecordsInPlace } from './records-in-place.js';

export interface BatchConsumerOptions extends KafkaConnection {
  groupId: string;
  sessionTimeoutMs?: number;
  maxBytesPerPartition?: number;
  /** How soon partitions added to the topic are found. */
  topicRefreshMs?: number;
  /** Told to whoever describes the group. */
  about?: AboutMember;
}

export const HEARTBEAT_MS = 1_000;
export const SESSION_TIMEOUT_MS = 10_000;
// Light load: one fetch gathers what 300 ms bring (or 32 KB), so that a transaction is worth its price.
const FETCH_MAX_WAIT_MS = 300;
const FETCH_MIN_BYTES = 32 * 1_024;
const FETCH_MAX_BYTES = 6 * 1_024 * 1_024;

/** kafkajs' consumer, which joins its group again until `isStopping`. */
export function createBatchConsumer(
  options: BatchConsumerOptions,
  pace: Pick<FetchPace, 'noteRequest'>,
  isStopping: () => boolean,
): Consumer {
  readRecordsInPlace();
  return createKafka(options, pace.noteRequest).consumer({
    groupId: options.groupId,
    ...(options.rack !== undefined && { rackId: options.rack }),
    sessionTimeout: options.sessionTimeoutMs ?? SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: FETCH_MAX_WAIT_MS,
    minBytes: FETCH_MIN_BYTES,
    maxBytes: FETCH_MAX_BYTES,
    maxBytesPerPartition: options.maxBytesPerPartition ?? 2 * 1_024 * 1_024,
    metadataMaxAge: options.topicRefreshMs ?? 30_000,
    allowAutoTopicCreation: false,
    ...(options.about !== undefined && { partitionAssigners: [assignerSaying(options.about)] }),
    // Unlimited inside one membership: a crash costs a join, and with it a session time-out.
    retry: {
      retries: Number.MAX_SAFE_INTEGER,
      initialRetryTime: 100,
      maxRetryTime: 2_000,
      restartOnFailure: () => Promise.resolve(!isStopping()),
    },
  });
}
