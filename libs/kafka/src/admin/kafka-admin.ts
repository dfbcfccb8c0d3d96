import { setTimeout as sleep } from 'node:timers/promises';

import { TOPIC_SETTINGS, type TopicSettings } from '@hopcount/contracts';
import type { Admin } from 'kafkajs';

import { type AboutMember, readAboutMember } from '../batch/about-member.js';
import { createKafka, type KafkaConnection } from '../client/create-kafka.js';
import { isKafkaFailure, kafkaFailure } from './kafka-failure.js';

export interface TopicOffset {
  partition: number;
  /** First offset the log still has. */
  low: bigint;
  /** Offset the next record will get. */
  high: bigint;
}

export interface GroupOffset {
  partition: number;
  /** null: the group never committed this partition (or its commit expired). */
  offset: bigint | null;
}

export interface TopicDescription {
  topic: string;
  partitions: number;
  /** Copies of the partition that has the fewest. */
  replicas: number;
  /** Copies of the partition that has the fewest in sync. */
  inSyncReplicas: number;
  /** The broker's settings of the topic by name, e.g. `retention.ms`. */
  settings: Map<string, string>;
}

export interface GroupState {
  /** As Kafka names it: Stable, Empty, Dead, PreparingRebalance, CompletingRebalance. */
  state: string;
  members: number;
}

/** One may be away for repairs while another one dies. */
const MOST_REPLICAS = 3;

/** Kafka's number of topics among what has settings. kafkajs' own name for it cannot be imported from an ES module. */
const TOPIC_RESOURCE = 2;

const LEADER_TIMEOUT_MS = 15_000;
const POLL_MS = 50;
const CLOSE_TIMEOUT_MS = 2_000;
/** How long a broker that has just started, or moved a role, may say "not here" before it is a failure. */
const SETTLE_TIMEOUT_MS = 10_000;
const SETTLING = new Set([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'GROUP_LOAD_IN_PROGRESS',
]);

/**
 * Topics and offsets. Connects on first use.
 * Every method throws kafkajs' error, or AppError `kafka-unavailable`, when the broker is away, and what `expectCluster` throws.
 */
export class KafkaAdmin {
  #connecting: Promise<Admin> | undefined;
  readonly #asking = new Set<Promise<unknown>>();

  constructor(
    private readonly connection: KafkaConnection,
    /** Tests only. */
    private readonly parts: { open?: () => Admin; settleMs?: number } = {},
  ) {}

  /**
   * Creates the topics that do not exist; says which. Their records carry the
   * broker's time (LogAppendTime): "counted up to" may not depend on a gateway's clock. Each has a copy on up to three
   * brokers; with three, what is acknowledged is on two of them, and no broker that lacks it may ever lead.
   */
  async ensureTopics(topics: Record<string, TopicSettings> = TOPIC_SETTINGS): Promise<string[]> {
    const existing = new Set(await this.topicNames());
    const missing = Object.entries(topics).filter(([topic]) => !existing.has(topic));
    if (missing.length === 0) return [];
    const admin = await this.#connected();
    const replicas = Math.min((await this.brokers()).length, MOST_REPLICAS);
    await admin.createTopics({
      waitForLeaders: false,
      topics: missing.map(([topic, settings]) => ({
        topic,
        numPartitions: settings.partitions,
        replicationFactor: replicas,
        configEntries: [
          { name: 'min.insync.replicas', value: String(Math.max(replicas - 1, 1)) },
          { name: 'unclean.leader.election.enable', value: 'false' },
          { name: 'retention.ms', value: String(settings.retentionMs) },
          { name: 'message.timestamp.type', value: 'LogAppendTime' },
          ...(settings.isCompacted === true ? [{ name: 'cleanup.policy', value: 'compact' }] : []),
          ...(settings.maxMessageBytes === undefined
            ? []
            : [{ name: 'max.message.bytes', value: String(settings.maxMessageBytes) }]),
        ],
      })),
    });
    const created = missing.map(([topic]) => topic);
    await untilLed(admin, created);
    return created;
  }

  topicNames(): Promise<string[]> {
    return this.#ask((admin) => admin.listTopics());
  }

  async describeTopic(topic: string): Promise<TopicDescription> {
    const [metadata, { resources }] = await Promise.all([
      this.#ask((admin) => admin.fetchTopicMetadata({ topics: [topic] })),
      this.#ask((admin) =>
        admin.describeConfigs({
          includeSynonyms: false,
          resources: [{ type: TOPIC_RESOURCE, name: topic }],
        }),
      ),
    ]);
    const partitions = metadata.topics[0]?.partitions ?? [];
    return {
      topic,
      partitions: partitions.length,
      replicas: Math.min(...partitions.map((partition) => partition.replicas.length)),
      inSyncReplicas: Math.min(...partitions.map((partition) => partition.isr.length)),
      settings: new Map((resources[0]?.configEntries ?? []).map((entry) => [entry.configName, entry.configValue])),
    };
  }

  async groupState(group: string): Promise<GroupState> {
    const { groups } = await this.#ask((admin) => admin.describeGroups([group]));
    return { state: groups[0]?.state ?? 'Dead', members: groups[0]?.members.length ?? 0 };
  }

  /** What each member says of itself; undefined: one that says nothing, of an earlier version. */
  async groupMembers(group: string): Promise<(AboutMember | undefined)[]> {
    const { groups } = await this.#ask((admin) => admin.describeGroups([group]));
    return (groups[0]?.members ?? []).map(({ memberMetadata }) => readAboutMember(memberMetadata));
  }

  async topicOffsets(topic: string): Promise<TopicOffset[]> {
    // Within the question: an offset that is missing is a failure of it.
    const offsets = await this.#ask(async (admin) =>
      (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => ({
        ...{ partition, low: BigInt(low), high: BigInt(high) },
      })),
    );
    return offsets.sort((a, b) => a.partition - b.partition);
  }

  /** First offset of each partition whose record is of that instant (the broker's time) or later; the log's end if none is. */
  async offsetsAt(topic: string, timestampMs: number): Promise<Map<number, bigint>> {
    const offsets = await this.#ask((admin) => admin.fetchTopicOffsetsByTimestamp(topic, timestampMs));
    return new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
  }

  async groupOffsets(group: string, topic: string): Promise<GroupOffset[]> {
    const [found] = await this.#ask((admin) => admin.fetchOffsets({ groupId: group, topics: [topic] }));
    return (found?.partitions ?? [])
      .map(({ partition, offset }) => ({ partition, offset: BigInt(offset) < 0n ? null : BigInt(offset) }))
      .sort((a, b) => a.partition - b.partition);
  }

  /** Moves the group; Kafka refuses while a consumer of it is running. */
  async resetGroupOffsets(
    group: string,
    topic: string,
    offsets: { partition: number; offset: bigint }[],
  ): Promise<void> {
    const partitions = offsets.map(({ partition, offset }) => ({ partition, offset: offset.toString() }));
    await (await this.#connected()).setOffsets({ groupId: group, topic, partitions });
  }

  /** Brokers that the cluster counts as there now, by `host:port`. */
  async brokers(): Promise<string[]> {
    const { brokers } = await this.#ask((admin) => admin.describeCluster());
    return brokers.map(({ host, port }) => `${host}:${port}`);
  }

  async clusterId(): Promise<string> {
    const { clusterId } = await this.#answer((admin) => admin.describeCluster());
    await this.connection.expectCluster?.(clusterId);
    return clusterId;
  }

  /** Lets questions end that are under way (kafkajs would go on asking after the disconnect). */
  async close(): Promise<void> {
    const connecting = this.#connecting;
    if (connecting === undefined) return;
    const timeout = new AbortController();
    await Promise.race([
      Promise.allSettled(this.#asking),
      sleep(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => undefined),
    ]);
    timeout.abort();
    // It never connected, or the process ends anyway.
    await connecting.then((admin) => admin.disconnect()).catch(() => undefined);
    this.#connecting = undefined;
  }

  async #ask<Result>(question: (admin: Admin) => Promise<Result>): Promise<Result> {
    // Each time: from one connection to the next an address may lead elsewhere.
    if (this.connection.expectCluster !== undefined) await this.clusterId();
    return this.#answer(question);
  }

  async #answer<Result>(question: (admin: Admin) => Promise<Result>): Promise<Result> {
    const connecting = this.#connected();
    const answer = connecting.then((admin) => onceSettled(() => question(admin), this.parts.settleMs));
    this.#asking.add(answer);
    try {
      return await answer;
    } catch (error) {
      if (typesOf(error).includes('UNKNOWN_TOPIC_OR_PARTITION')) this.#replace(connecting);
      throw kafkaFailure(error);
    } finally {
      this.#asking.delete(answer);
    }
  }

  #connected(): Promise<Admin> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<Admin> {
    const admin = this.parts.open?.() ?? createKafka(this.connection).admin();
    try {
      await admin.connect();
      return admin;
    } catch (error) {
      this.#connecting = undefined;
      throw error;
    }
  }

  /** kafkajs asks for a topic that it knew and that was deleted with every other question, and fails all of them. */
  #replace(connecting: Promise<Admin>): void {
    if (this.#connecting !== connecting) return;
    this.#connecting = undefined;
    const others = Promise.allSettled(this.#asking);
    // Its error is the reason to give it up.
    void others.then(async () => (await connecting).disconnect()).catch(() => undefined);
  }
}

/**
 * A broker learns of a new topic a moment after the controller has confirmed it, and leads it another
 * moment after its metadata say so; kafkajs's own `waitForLeaders` takes the first for a failure and
 * does not know the second. A topic is there once every partition tells its offsets.
 */
async function untilLed(admin: Admin, topics: string[]): Promise<void> {
  const deadlineMs = Date.now() + LEADER_TIMEOUT_MS;
  for (const topic of topics) {
    for (;;) {
      try {
        if ((await admin.fetchTopicOffsets(topic)).length > 0) break;
      } catch (error) {
        if (Date.now() > deadlineMs) throw error;
      }
      if (Date.now() > deadlineMs) throw new Error(`no leaders for ${topic} after ${LEADER_TIMEOUT_MS} ms`);
      await sleep(POLL_MS);
    }
  }
}

/** As Kafka names it, and what caused it. */
function typesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  return ['type' in error ? String(error.type) : '', ...typesOf(error.cause)];
}

async function onceSettled<Result>(ask: () => Promise<Result>, settleMs = SETTLE_TIMEOUT_MS): Promise<Result> {
  const deadlineMs = Date.now() + settleMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isSettling = typesOf(error).some((type) => SETTLING.has(type)) || !isKafkaFailure(error);
      if (!isSettling || Date.now() > deadlineMs) throw error;
      await sleep(POLL_MS);
    }
  }
}
