import {
  AUDIT_TOPIC,
  DEAD_LETTER_TOPIC,
  HOST_COUNTS_TOPIC,
  ORPHAN_TOPIC,
  TOPIC_SETTINGS,
  type TopicSettings,
  VISITS_TOPIC,
} from '@hopcount/contracts';
import type { TopicDescription } from '@hopcount/kafka';

/** As in use: see `topicNames` of contracts. */
export type TopicNames = Record<
  'visitsTopic' | 'deadLetterTopic' | 'auditTopic' | 'orphanTopic' | 'hostCountsTopic' | 'consumerGroup',
  string
>;

const FOREVER = -1;

interface TopicProblem {
  /** What it means. */
  text: string;
  /** What is set and what is wanted, in no language. */
  difference: string;
}

/** What is wrong with a topic's settings; nothing: empty. */
export function topicProblems(found: TopicDescription, wanted: TopicSettings, brokerMinInSync = 1): TopicProblem[] {
  const problems: TopicProblem[] = [];
  const add = (difference: string, text: string) => problems.push({ difference, text });
  const setting = (name: string) => found.settings.get(name);
  if (found.partitions < wanted.partitions) {
    add(
      `partitions ${found.partitions} < ${wanted.partitions}`,
      `${found.partitions} partitions instead of ${wanted.partitions}: fewer consumers can share it`,
    );
  }
  const retentionMs = Number(setting('retention.ms') ?? FOREVER);
  if (retentionMs !== FOREVER && retentionMs < wanted.retentionMs) {
    add(
      `retention.ms ${retentionMs} < ${wanted.retentionMs}`,
      `retention.ms ${retentionMs} is below ${wanted.retentionMs}: an outage may outlast it; raise it`,
    );
  }
  if ((setting('message.timestamp.type') ?? 'LogAppendTime') !== 'LogAppendTime') {
    add(
      'message.timestamp.type ≠ LogAppendTime',
      'message.timestamp.type is not LogAppendTime: "counted up to" would depend on clocks of gateways',
    );
  }
  if ((setting('cleanup.policy') ?? 'delete') !== 'delete') {
    add('cleanup.policy ≠ delete', 'cleanup.policy is not delete: compaction removes records');
  }
  const maxBytes = Number(setting('max.message.bytes') ?? Infinity);
  if (wanted.maxMessageBytes !== undefined && maxBytes < wanted.maxMessageBytes) {
    add(
      `max.message.bytes ${maxBytes} < ${wanted.maxMessageBytes}`,
      `max.message.bytes ${maxBytes} is below ${wanted.maxMessageBytes}: a large record may be refused`,
    );
  }
  const minInSync = Number(setting('min.insync.replicas') ?? brokerMinInSync);
  if (found.inSyncReplicas < minInSync) {
    add(
      `in-sync replicas ${found.inSyncReplicas} < ${minInSync}`,
      `${found.inSyncReplicas} replicas in sync, ${minInSync} needed: nothing can be published`,
    );
  }
  return problems;
}

/** The topics Hopcount needs, under the names in use. */
export function wantedTopics(config: Omit<TopicNames, 'consumerGroup'>): Record<string, TopicSettings> {
  return {
    [config.visitsTopic]: TOPIC_SETTINGS[VISITS_TOPIC],
    [config.deadLetterTopic]: TOPIC_SETTINGS[DEAD_LETTER_TOPIC],
    [config.auditTopic]: TOPIC_SETTINGS[AUDIT_TOPIC],
    [config.orphanTopic]: TOPIC_SETTINGS[ORPHAN_TOPIC],
    [config.hostCountsTopic]: TOPIC_SETTINGS[HOST_COUNTS_TOPIC],
  };
}
