import { createKafka, type KafkaConnection } from '../client/create-kafka.js';
import { type OffsetRange, readTopicRanges, type TopicRecord } from './range-reader.js';

export interface TopicPage {
  /** At most `limit`, the newest ones, in order of their broker's time. */
  records: TopicRecord[];
  /** Records the topic holds in all. */
  total: bigint;
}

/**
 * The newest `limit` records of a topic, for looking at it (see readTopicRanges). A missing topic is
 * an empty one.
 * @throws kafkajs' errors when the brokers cannot be reached.
 */
export async function readNewestRecords(
  connection: KafkaConnection,
  { topic, limit }: { topic: string; limit: number },
): Promise<TopicPage> {
  const offsets = await offsetsOf(connection, topic);
  const total = offsets.reduce((sum, { from, to }) => sum + to - from, 0n);
  const records: TopicRecord[] = [];
  await readTopicRanges(connection, {
    topic,
    ranges: offsets.map((range) => newest(range, limit)),
    onRecords: (some) => void records.push(...some),
  });
  records.sort((a, b) => a.timestampMs - b.timestampMs || a.partition - b.partition || Number(a.offset - b.offset));
  return { records: records.slice(-limit), total };
}

/** All a topic holds now; nothing when it does not exist. */
async function offsetsOf(connection: KafkaConnection, topic: string): Promise<OffsetRange[]> {
  const admin = createKafka(connection).admin();
  await admin.connect();
  try {
    if (!(await admin.listTopics()).includes(topic)) return [];
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.map(({ partition, low, high }) => ({ partition, from: BigInt(low), to: BigInt(high) }));
  } finally {
    await admin.disconnect();
  }
}

function newest({ partition, from, to }: OffsetRange, limit: number): OffsetRange {
  const start = to - BigInt(limit);
  return { partition, from: start > from ? start : from, to };
}
