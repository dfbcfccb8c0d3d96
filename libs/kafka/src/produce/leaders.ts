import { inTime } from '@hopcount/runtime';
import { type Admin, Kafka, logLevel } from 'kafkajs';

import { connectionOf, type KafkaConnection } from '../client/create-kafka.js';

export interface Leader {
  partition: number;
  broker: { host: string; port: number };
}

/** Asks Kafka, through kafkajs, which broker leads which partition of a topic. */
export class Leaders {
  #admin: Admin | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly topic: string,
    private readonly timeoutMs: number,
  ) {}

  /** Partitions without a leader are left out. @throws Error: Kafka did not say */
  async ask(): Promise<Leader[]> {
    const admin = (this.#admin ??= this.#open());
    try {
      const { topic } = this;
      const asked = admin
        .connect()
        .then(() => Promise.all([admin.describeCluster(), admin.fetchTopicMetadata({ topics: [topic] })]));
      const [{ brokers }, { topics }] = await inTime(asked, this.timeoutMs);
      const byId = new Map(brokers.map(({ nodeId, host, port }) => [nodeId, { host, port }]));
      const known = topics.find(({ name }) => name === topic)?.partitions ?? [];
      return known.flatMap(({ partitionId: partition, leader }) => {
        const broker = byId.get(leader);
        return broker === undefined ? [] : [{ partition, broker }];
      });
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    const admin = this.#admin;
    this.#admin = undefined;
    // How its connections end changes nothing.
    admin?.disconnect().catch(() => undefined);
  }

  #open(): Admin {
    const config = connectionOf(this.connection, this.timeoutMs);
    const retry = { retries: 2, initialRetryTime: 50, maxRetryTime: 200 };
    return new Kafka({ ...config, connectionTimeout: 1_000, retry, logLevel: logLevel.NOTHING }).admin();
  }
}
