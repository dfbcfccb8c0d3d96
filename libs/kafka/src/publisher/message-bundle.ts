import type { Message } from 'kafkajs';

import type { OutgoingRecord } from '../records.js';
import type { ProduceArguments, ProduceMessage } from './encode-produce.js';

type TopicData = ProduceArguments['topicData'];

/**
 * One message of kafkajs's that stands for all records of a request to one partition. kafkajs copies the list of messages
 * again for each message it adds to a partition, and asks for the partition of each: with one message it does so once.
 * Opened where kafkajs makes a Produce request, whoever encodes that; its records are in no request before.
 */
export class MessageBundle implements Message {
  readonly key = null;
  readonly value = null;
  isOpened = false;

  constructor(
    readonly records: readonly OutgoingRecord[],
    readonly partition: number,
  ) {}
}

export function withBundlesOpened(topicData: TopicData): TopicData {
  return topicData.map((topic) => ({
    ...topic,
    partitions: topic.partitions.map((data) => ({ ...data, messages: data.messages.flatMap(recordsOf) })),
  }));
}

function recordsOf(message: ProduceMessage): readonly ProduceMessage[] {
  if (!(message instanceof MessageBundle)) return [message];
  message.isOpened = true;
  return message.records;
}
