import { decodeHostState, HOST_STATE_TOPIC_SETTINGS, hostStateKey, type HostStateV1 } from '@hopcount/contracts';
import { KafkaAdmin, type KafkaConnection, KafkaPublisher, readTopicRanges } from '@hopcount/kafka';
import type { StateTopic } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';

const PARTITION = 0;

/** The topic of this data centre's states, in its own Kafka; made when it is not there. */
export class OwnStates implements StateTopic {
  readonly #admin: KafkaAdmin;
  readonly #publisher: KafkaPublisher;
  #isThere = false;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly topic: string,
  ) {
    this.#admin = new KafkaAdmin(connection);
    this.#publisher = new KafkaPublisher(connection);
  }

  /** @throws kafkajs' errors; AppError `invalid-config`: the topic is not made for it */
  async end(): Promise<bigint> {
    return (await this.#log()).high;
  }

  async read(
    onStates: (states: HostStateV1[]) => Promise<void>,
    { from = 0n, signal }: { from?: bigint; signal?: AbortSignal | undefined } = {},
  ): Promise<bigint | undefined> {
    const { low, high } = await this.#log();
    await readTopicRanges(this.connection, {
      topic: this.topic,
      ranges: [{ partition: PARTITION, from: from > low ? from : low, to: high }],
      onRecords: (records) => {
        const decoded = records.map(({ value }) => decodeHostState(value));
        return onStates(decoded.flatMap((one) => (one.outcome === 'ok' ? [one.visit] : [])));
      },
      signal,
    });
    return signal?.aborted === true ? undefined : high;
  }

  async publish(states: HostStateV1[]): Promise<bigint> {
    const records = states.map((state) => ({ key: hostStateKey(state), value: JSON.stringify(state) }));
    try {
      return await this.#publisher.publishTo(this.topic, PARTITION, records);
    } catch (error) {
      this.#isThere = false;
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#admin.close(), this.#publisher.close()]);
  }

  async #log(): Promise<{ low: bigint; high: bigint }> {
    await this.#make();
    try {
      const log = (await this.#admin.topicOffsets(this.topic)).find(({ partition }) => partition === PARTITION);
      if (log === undefined) throw new Error(`${this.topic} has no partition ${PARTITION}`);
      return log;
    } catch (error) {
      // Somebody may have deleted it: then it is made again.
      this.#isThere = false;
      throw error;
    }
  }

  async #make(): Promise<void> {
    if (this.#isThere) return;
    await this.#admin.ensureTopics({ [this.topic]: HOST_STATE_TOPIC_SETTINGS });
    const { partitions, settings } = await this.#admin.describeTopic(this.topic);
    if (partitions !== 1 || settings.get('cleanup.policy') !== 'compact') {
      throw new AppError('invalid-config', `${this.topic} must have one partition and cleanup.policy=compact`);
    }
    this.#isThere = true;
  }
}
