import { encodeProduceBody, type ProduceMessage } from '../publisher/encode-produce.js';
import { int16, int32, string16 } from './wire-fields.js';

export interface ProduceAnswer {
  /** 0: every in-sync replica has the records. */
  errorCode: number;
  /** How long the broker asks to be left alone. */
  throttleMs: number;
}

const PRODUCE_API_KEY = 0;
const API_VERSION = 7;
const ALL_IN_SYNC_REPLICAS = -1;
const LENGTH_BYTES = 4;
const CORRELATION_ID_AT = 8;

/**
 * The one kind of request that is sent here and its answer: Produce, version 7, acks=all, records of one
 * partition of one topic. Format: https://kafka.apache.org/protocol#The_Messages_Produce
 *
 *   request   length | api key, version, correlation id, client id | body (encodeProduceBody)
 *   answer    length | correlation id | 1 topic: name | 1 partition: number, error, offset, time, start | throttle
 *
 * So the length of each answer is known before it comes. An answer that differs in any byte which is
 * known is an error: the connection cannot be understood any more.
 */
export class ProduceWire {
  readonly answerBytes: number;
  readonly #head: Buffer;
  /** Of an answer, from the number of topics to the number of partitions. */
  readonly #topicPart: Buffer;

  constructor(private readonly options: { clientId: string; topic: string; timeoutMs: number }) {
    const { clientId, topic } = options;
    this.#head = Buffer.concat([int32(0), int16(PRODUCE_API_KEY), int16(API_VERSION), int32(0), string16(clientId)]);
    this.#topicPart = Buffer.concat([int32(1), string16(topic), int32(1)]);
    this.answerBytes = LENGTH_BYTES + 4 + this.#topicPart.length + (4 + 2 + 8 + 8 + 8) + 4;
  }

  request(correlationId: number, partition: number, records: readonly ProduceMessage[]): Buffer {
    const { topic, timeoutMs: timeout } = this.options;
    const topicData = [{ topic, partitions: [{ partition, messages: records as ProduceMessage[] }] }];
    const bytes = encodeProduceBody({ acks: ALL_IN_SYNC_REPLICAS, timeout, topicData }, this.#head);
    bytes.writeInt32BE(bytes.length - LENGTH_BYTES, 0);
    bytes.writeInt32BE(correlationId, CORRELATION_ID_AT);
    return bytes;
  }

  /** @param bytes at least the first four of an answer. @throws Error when no answer can have that length */
  checkLength(bytes: Buffer): void {
    const length = bytes.readInt32BE(0);
    if (length === this.answerBytes - LENGTH_BYTES) return;
    throw new Error(`the broker's answer has ${length} bytes instead of ${this.answerBytes - LENGTH_BYTES}`);
  }

  /** @param bytes `answerBytes` of them. @throws Error when they are not the answer to that request */
  answer(bytes: Buffer, correlationId: number, partition: number): ProduceAnswer {
    const topicAt = LENGTH_BYTES + 4;
    const partitionAt = topicAt + this.#topicPart.length;
    const isTopic = bytes.compare(this.#topicPart, 0, this.#topicPart.length, topicAt, partitionAt) === 0;
    if (bytes.readInt32BE(LENGTH_BYTES) !== correlationId) throw new Error('the broker answered another request');
    if (!isTopic || bytes.readInt32BE(partitionAt) !== partition)
      throw new Error('the broker answered for another partition');
    const throttleMs = bytes.readInt32BE(this.answerBytes - 4);
    return { errorCode: bytes.readInt16BE(partitionAt + 4), throttleMs };
  }
}
