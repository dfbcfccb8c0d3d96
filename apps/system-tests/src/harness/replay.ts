import { STATISTICS_GROUP, type StackFile, VISITS_TOPIC } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { Kafka, logLevel } from 'kafkajs';

/**
 * Puts the statistics group back to the first offset of every partition. The group must have no
 * running consumer, and is waited for: one that left or was killed is a member until Kafka has noticed.
 * @returns the committed offset of each partition afterwards
 */
export async function rewindStatisticsGroup(stack: StackFile): Promise<number[]> {
  const kafka = new Kafka({
    brokers: stack.kafkaBrokers.split(','),
    clientId: 'rewind',
    logLevel: logLevel.NOTHING,
    retry: { retries: 2 },
  });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const isEmpty = async () => {
      const { groups } = await admin.describeGroups([STATISTICS_GROUP]);
      return ['Empty', 'Dead'].includes(groups[0]?.state ?? '');
    };
    await waitUntil(isEmpty, { timeoutMs: 60_000, everyMs: 250, describe: 'no consumer in the group' });
    const offsets = await admin.fetchTopicOffsets(VISITS_TOPIC);
    const partitions = offsets.map(({ partition, low }) => ({ partition, offset: low }));
    await admin.setOffsets({ groupId: STATISTICS_GROUP, topic: VISITS_TOPIC, partitions });
    const [group] = await admin.fetchOffsets({ groupId: STATISTICS_GROUP, topics: [VISITS_TOPIC] });
    return (group?.partitions ?? []).map(({ offset }) => Number(offset));
  } finally {
    await admin.disconnect();
  }
}
