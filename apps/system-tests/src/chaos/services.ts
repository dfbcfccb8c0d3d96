import { freePorts, testRedisCluster, type TestRedisCluster } from '@hopcount/testing';

import { type KafkaCluster, startKafkaCluster } from '../harness/kafka-cluster.js';
import { type PatroniCluster, startPatroniCluster } from '../harness/patroni-cluster.js';
import { FaultProxy } from './fault-proxy.js';

/**
 * - `single`: one broker, one Redis, one PostgreSQL, each behind a proxy that can cut it off.
 * - `replicated`: three brokers, a Redis Cluster of three masters with a replica each, two PostgreSQL under Patroni, behind
 *   HAProxy; only PostgreSQL is behind a proxy, since clients go to the nodes of the others themselves.
 */
export const TOPOLOGIES = ['single', 'replicated'] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/** Of the replicated topology. */
export interface Nodes {
  readonly kafka: KafkaCluster;
  readonly redis: TestRedisCluster;
  readonly postgres: PatroniCluster;
}

export type Proxies = Readonly<Partial<Record<'kafka' | 'postgres' | 'redis', FaultProxy>>>;

export interface OpenServices {
  /** Of the stack. */
  readonly env: Record<string, string>;
  readonly proxies: Proxies;
  readonly nodes?: Nodes;
  close(): Promise<void>;
}

/** With two brokers away visits wait on the disk until one of them is up again, which two processors are slow at. */
const SPOOL_MAX_BYTES = 32 * 1_024 * 1_024;

export function openServices(topology: Topology): Promise<OpenServices> {
  return topology === 'single' ? openSingle() : openReplicated();
}

/** The stack's own, which it starts. */
async function openSingle(): Promise<OpenServices> {
  const [kafka = 0, postgres = 0, redis = 0, ...through] = await freePorts(6);
  const [kafkaProxy = 0, postgresProxy = 0, redisProxy = 0] = through;
  const proxies = {
    kafka: await FaultProxy.listen(kafkaProxy, kafka),
    postgres: await FaultProxy.listen(postgresProxy, postgres),
    redis: await FaultProxy.listen(redisProxy, redis),
  };
  const env = {
    KAFKA_PORT: String(kafka),
    POSTGRES_PORT: String(postgres),
    REDIS_PORT: String(redis),
    KAFKA_PROXY_PORT: String(kafkaProxy),
    POSTGRES_PROXY_PORT: String(postgresProxy),
    REDIS_PROXY_PORT: String(redisProxy),
  };
  return { env, proxies, close: () => closeAll(proxies) };
}

async function openReplicated(): Promise<OpenServices> {
  const undo: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of undo.reverse()) await step();
  };
  try {
    const kafka = await startKafkaCluster();
    undo.push(() => kafka.stop());
    const redis = await testRedisCluster();
    undo.push(() => redis.close());
    const postgres = await startPatroniCluster();
    undo.push(() => postgres.stop());
    const [port = 0] = await freePorts(1);
    const proxies = { postgres: await FaultProxy.listen(port, Number(new URL(postgres.url).port)) };
    undo.push(() => closeAll(proxies));
    const env = {
      KAFKA_BROKERS: kafka.brokers,
      REDIS_URL: redis.url,
      DATABASE_URL: postgres.url,
      DATABASE_READ_URL: postgres.readUrl,
      CONSUMER_DATABASE_URL: throughPort(postgres.consumerUrl, port),
      POSTGRES_PROXY_PORT: String(port),
      SPOOL_MAX_BYTES: String(SPOOL_MAX_BYTES),
    };
    return { env, proxies, nodes: { kafka, redis, postgres }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function throughPort(url: string, port: number): string {
  const through = new URL(url);
  through.port = String(port);
  return through.href;
}

async function closeAll(proxies: Proxies): Promise<void> {
  await Promise.all(Object.values(proxies).map((proxy) => proxy.close()));
}
