import { randomUUID } from 'node:crypto';

import { VISITS_TOPIC } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { type Consumer, Kafka, logLevel, type Producer } from 'kafkajs';

import { type Random, seededRandom } from './random.js';

/**
 * Delivers about one in `oneIn` of the visits (or of what is in another topic) a second time while they are being counted: the same
 * bytes under the same key, half of them to another partition. What a gateway's retry or a drained
 * spool does now and then, this does all the time.
 */
export class DuplicateDeliveries {
  /** Records sent again so far. */
  sent = 0;
  /** Of these, to another partition than the first one. */
  elsewhere = 0;

  private constructor(
    private readonly consumer: Consumer,
    private readonly producer: Producer,
    private readonly partitions: number,
    private readonly random: Random,
    private readonly oneIn: number,
    private readonly topic: string,
    private readonly fromBeginning: boolean,
  ) {}

  /** Of visits from the beginning, unless told; `fromBeginning: false`: only of what is published from now on. */
  static async start(
    brokers: string,
    oneIn: number,
    { topic = VISITS_TOPIC, fromBeginning = true } = {},
  ): Promise<DuplicateDeliveries> {
    const kafka = new Kafka({ brokers: brokers.split(','), clientId: 'duplicates', logLevel: logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    let partitions = 0;
    const isLed = async () => {
      // A fault before may have taken its leader from a partition.
      partitions = (await admin.fetchTopicOffsets(topic).catch(() => [])).length;
      return partitions > 0;
    };
    await waitUntil(isLed, { timeoutMs: 30_000, describe: `a leader for each partition of ${topic}` });
    await admin.disconnect();
    const consumer = kafka.consumer({ groupId: `duplicates-${randomUUID()}`, maxWaitTimeInMs: 100 });
    const producer = kafka.producer({ idempotent: false });
    await Promise.all([consumer.connect(), producer.connect()]);
    const random = seededRandom(7);
    const duplicates = new DuplicateDeliveries(consumer, producer, partitions, random, oneIn, topic, fromBeginning);
    await duplicates.#run();
    return duplicates;
  }

  async stop(): Promise<void> {
    await this.consumer.disconnect();
    await this.producer.disconnect();
  }

  async #run(): Promise<void> {
    await this.consumer.subscribe({ topic: this.topic, fromBeginning: this.fromBeginning });
    await this.consumer.run({
      eachBatch: async ({ batch }) => {
        // Duplicates of duplicates are left alone, or there would be no end.
        const chosen = batch.messages.filter(
          (message) => message.headers?.['duplicate'] === undefined && this.random() * this.oneIn < 1,
        );
        if (chosen.length === 0) return;
        await this.producer.send({
          topic: this.topic,
          acks: -1,
          messages: chosen.map((message) => {
            const elsewhere = this.random() < 0.5;
            if (elsewhere) this.elsewhere += 1;
            return {
              key: message.key,
              value: message.value,
              headers: { ...message.headers, duplicate: '1' },
              partition: (batch.partition + (elsewhere ? 1 : 0)) % this.partitions,
            };
          }),
        });
        this.sent += chosen.length;
      },
    });
  }
}
