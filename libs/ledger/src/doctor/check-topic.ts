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

/** What is wrong with a topic's settings, each a sentence that says what to do; nothing: empty. */
export function topicProblems(found: TopicDescription, wanted: TopicSettings, brokerMinInSync = 1): string[] {
  const problems: string[] = [];
  const setting = (name: string) => found.settings.get(name);
  if (found.partitions < wanted.partitions) {
    problems.push(`${found.partitions} partitions instead of ${wanted.partitions}: fewer consumers can share it`);
  }
  const retentionMs = Number(setting('retention.ms') ?? FOREVER);
  if (retentionMs !== FOREVER && retentionMs < wanted.retentionMs) {
    problems.push(`retention.ms ${retentionMs} is below ${wanted.retentionMs}: an outage may outlast it; raise it`);
  }
  if ((setting('message.timestamp.type') ?? 'LogAppendTime') !== 'LogAppendTime') {
    problems.push('message.timestamp.type is not LogAppendTime: "counted up to" would depend on clocks of gateways');
  }
  if ((setting('cleanup.policy') ?? 'delete') !== 'delete') {
    problems.push('cleanup.policy is not delete: compaction removes records');
  }
  const maxBytes = Number(setting('max.message.bytes') ?? Infinity);
  if (wanted.maxMessageBytes !== undefined && maxBytes < wanted.maxMessageBytes) {
    problems.push(`max.message.bytes ${maxBytes} is below ${wanted.maxMessageBytes}: a large record may be refused`);
  }
  const minInSync = Number(setting('min.insync.replicas') ?? brokerMinInSync);
  if (found.inSyncReplicas < minInSync) {
    problems.push(`${found.inSyncReplicas} replicas in sync, ${minInSync} needed: nothing can be published`);
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
