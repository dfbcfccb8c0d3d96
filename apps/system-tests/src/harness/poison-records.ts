import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { DEAD_LETTER_TOPIC, VISITS_TOPIC } from '@hopcount/contracts';
import { Kafka, logLevel, type Producer } from 'kafkajs';

const AT_ONCE = 10;
const PAUSE_MS = 10;
const PAUSE_AFTER_FAILURE_MS = 200;

/** Records nobody can count, published all the time; each has to become a dead letter. */
export class PoisonRecords {
  /** Keys of those that Kafka acknowledged. */
  readonly acknowledged = new Set<string>();
  readonly #kafka: Kafka;

  constructor(brokers: string) {
    this.#kafka = new Kafka({ brokers: brokers.split(','), clientId: 'poison', logLevel: logLevel.NOTHING });
  }

  async run(signal: AbortSignal): Promise<void> {
    const admin = this.#kafka.admin();
    await admin.connect();
    const partitions = (await admin.fetchTopicOffsets(VISITS_TOPIC)).length;
    await admin.disconnect();
    const producer = this.#kafka.producer({ idempotent: false });
    await producer.connect();
    try {
      for (let turn = 0; !signal.aborted; turn += 1) await this.#send(producer, turn % partitions);
    } finally {
      await producer.disconnect();
    }
  }

  /** Keys of all dead letters so far. */
  async letters(): Promise<Set<string>> {
    const admin = this.#kafka.admin();
    await admin.connect();
    const ends = await admin.fetchTopicOffsets(DEAD_LETTER_TOPIC);
    await admin.disconnect();
    const left = new Map(ends.map(({ partition, low, high }) => [partition, Number(high) - Number(low)]));
    const keys = new Set<string>();
    const consumer = this.#kafka.consumer({ groupId: `letters-${randomUUID()}` });
    await consumer.connect();
    try {
      await consumer.subscribe({ topic: DEAD_LETTER_TOPIC, fromBeginning: true });
      await new Promise<void>((resolve, reject) => {
        const isRead = () => [...left.values()].every((records) => records <= 0);
        const eachMessage = ({ partition, message }: { partition: number; message: { key: Buffer | null } }) => {
          keys.add(String(message.key));
          left.set(partition, (left.get(partition) ?? 0) - 1);
          if (isRead()) resolve();
          return Promise.resolve();
        };
        if (isRead()) return resolve();
        consumer.run({ eachMessage }).catch(reject);
      });
    } finally {
      await consumer.disconnect();
    }
    return keys;
  }

  /** One partition at a time: of several kafkajs leaves some out when a leader moves meanwhile, and resolves. */
  async #send(producer: Producer, partition: number): Promise<void> {
    const keys = Array.from({ length: AT_ONCE }, () => randomUUID());
    const messages = keys.map((key) => ({ key, value: 'no visit', partition }));
    const isTaken = await producer.send({ topic: VISITS_TOPIC, acks: -1, messages }).then(
      () => true,
      () => false,
    );
    if (isTaken) for (const key of keys) this.acknowledged.add(key);
    await sleep(isTaken ? PAUSE_MS : PAUSE_AFTER_FAILURE_MS);
  }
}
