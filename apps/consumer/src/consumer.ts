import { hostname } from 'node:os';

import { CONSUMER_APPLICATION_NAME, VISIT_VERSIONS_READ } from '@hopcount/contracts';
import {
  type BatchService,
  createKafkaMetrics,
  DeadLetterWriter,
  type HandleBatch,
  KafkaAdmin,
  type KafkaBatchOptions,
  type KafkaConnection,
  KafkaPublisher,
  startBatchService,
} from '@hopcount/kafka';
import { connectWhenUp, type Database, keepHashKeys, measurePools } from '@hopcount/postgres';
import { createRedis, createRedisMetrics, LinkLocks, type RedisClient, VisitClaims } from '@hopcount/redis';
import {
  createLogger,
  kafkaServers,
  type Logger,
  openTracing,
  Operations,
  type Registry,
  secretsOf,
  type Tracing,
} from '@hopcount/runtime';
import {
  BatchAttempts,
  HostBatchCommitter,
  LedgerCluster,
  OrphanVisits,
  PartitionCheckpoints,
  refuseOtherCluster,
  RefusedVisits,
  VisitCommitter,
} from '@hopcount/ledger';
import { openGeoSources } from '@hopcount/links/visitors';

import { createAssignPartitions } from './assignment/assign-partitions.js';
import { OwnedPartitions } from './assignment/owned-partitions.js';
import { createNoticeGap } from './assignment/record-loss.js';
import { notingRefused } from './steps/note-refused.js';
import type { ConsumerConfig } from './consumer.config.js';
import { type ConsumerMetrics, createConsumerMetrics } from './consumer.metrics.js';
import { addConsumerHealth } from './consumer-health.js';
import { createHostCountsPipeline } from './host-counts/host-counts-pipeline.js';
import { createOrphanPipeline } from './orphans/orphan-pipeline.js';
import { RecordsInHand } from './guard/records-in-hand.js';
import { openPreparation, type Preparation } from './preparation/open-preparation.js';
import { BatchTraces } from './tracing/batch-traces.js';
import { createVisitPipeline } from './visit-pipeline.js';

export interface RunningConsumer {
  opsUrl: string;
  logger: Logger;
  /** Finishes or gives up running batches, leaves the group, closes everything. */
  stop: () => Promise<void>;
}

const DATABASE_POOL_SIZE = 8;
// A consumer that is stopped inside its transaction holds rows of busy links: everybody waits for it.
const IDLE_IN_TRANSACTION_MS = 10_000;
// Longer than the event loop is ever busy with a batch, so that no answer that is there counts as late.
const REDIS_TIMEOUT_MS = 1_500;

/**
 * Puts the consumer together and starts it; comes up also while Kafka or Redis are away.
 * @param threadUrl of preparation/main.ts as it is built; left out: one thread does all
 */
export async function startConsumer(config: ConsumerConfig, threadUrl?: URL): Promise<RunningConsumer> {
  const logger = createLogger({ name: 'consumer', level: config.logLevel });
  const ops = await Operations.open(config, { process: 'consumer', logger });
  const { registry, health } = ops;
  const metrics = createConsumerMetrics(registry);
  const database = await connectDatabase(config, logger);
  measurePools(registry, { consumer: database });
  const hashKeys = secretsOf(config);
  const connection = connectionOf(config, database, logger);
  const kafka = connectKafka(config, connection, createKafkaMetrics(registry));
  try {
    await keepHashKeys(database, hashKeys);
    await refuseOtherCluster(kafka.admin);
  } catch (error) {
    await kafka.admin.close();
    await database.close();
    ops.close();
    throw error;
  }
  const redis = openRedis(config, logger, registry);
  const tracing = await openTracing(config, { process: 'consumer', logger });
  const preparation = await openPreparation({ config, logger, metrics, threadUrl });
  const parts = { config, logger, registry, metrics, database, redis, connection, kafka, tracing, preparation };
  const { options, pipeline, beside } = assemble(parts);
  const visits = await startBatchService(options, pipeline);
  const others: BatchService[] = [];
  for (const service of beside) others.push(await startBatchService(...service));
  const { consumerGroup: group, visitsTopic: topic } = config;
  addConsumerHealth(health, { visits, deadLetters: kafka.deadLetters, database, redis, group, topic, hashKeys });
  health.started();
  logger.info({ ops: ops.url, topic, group }, 'consumer started');

  return {
    opsUrl: ops.url,
    logger,
    stop: async () => {
      health.drain();
      await Promise.all([visits, ...others].map((service) => service.close()));
      await Promise.all([kafka.admin.close(), kafka.publisher.close(), preparation.close()]);
      redis.disconnect();
      await database.close();
      await tracing?.close();
      ops.close();
    },
  };
}

function openRedis(config: ConsumerConfig, logger: Logger, registry: Registry): RedisClient {
  return createRedis({
    url: config.redisUrl,
    name: 'hopcount-consumer',
    logger,
    commandTimeoutMs: REDIS_TIMEOUT_MS,
    metrics: createRedisMetrics(registry),
  });
}

function connectDatabase(config: ConsumerConfig, logger: Logger): Promise<Database> {
  return connectWhenUp(
    {
      url: config.databaseUrl,
      applicationName: CONSUMER_APPLICATION_NAME,
      poolSize: DATABASE_POOL_SIZE,
      idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
    },
    (error) => logger.warn({ err: error }, 'PostgreSQL is away; waiting'),
  );
}

interface KafkaParts {
  admin: KafkaAdmin;
  publisher: KafkaPublisher;
  deadLetters: DeadLetterWriter;
  metrics: ReturnType<typeof createKafkaMetrics>;
}

/** The first consumer of a ledger binds it to its cluster, before it joins a group; all others are refused in another one. */
function connectionOf(config: ConsumerConfig, database: Database, logger: Logger): KafkaConnection {
  const { bind } = new LedgerCluster(database);
  return { ...kafkaServers(config), clientId: 'hopcount-consumer', logger, expectCluster: bind };
}

function connectKafka(
  { deadLetterTopic: topic }: ConsumerConfig,
  connection: KafkaConnection,
  metrics: KafkaParts['metrics'],
): KafkaParts {
  const publisher = new KafkaPublisher(connection);
  const deadLetters = new DeadLetterWriter(publisher, { logger: connection.logger, metrics, topic });
  return { admin: new KafkaAdmin(connection), publisher, deadLetters, metrics };
}

interface Parts {
  config: ConsumerConfig;
  logger: Logger;
  registry: Registry;
  metrics: ConsumerMetrics;
  database: Database;
  redis: RedisClient;
  connection: KafkaConnection;
  kafka: KafkaParts;
  tracing: Tracing | undefined;
  preparation: Preparation;
}

function assemble(parts: Parts) {
  const { config, logger, metrics, database, redis, kafka } = parts;
  const { visitsTopic: topic, consumerGroup: group } = config;
  const owner = `${hostname()}:${process.pid}:${Date.now().toString(36)}`;
  const owned = new OwnedPartitions();
  const locks = new LinkLocks(redis, { owner });
  const checkpoints = new PartitionCheckpoints(database);
  const attempts = new BatchAttempts(database, owner);
  const assignment = { group, topic, owner, admin: kafka.admin, checkpoints, attempts, owned, metrics, logger };
  const inHand = new RecordsInHand();
  const pipeline = createVisitPipeline({
    prepare: parts.preparation.prepare,
    owned,
    attempts,
    inHand,
    claims: new VisitClaims(redis),
    locks,
    deadLetters: notingRefused(kafka.deadLetters, new RefusedVisits(database)),
    committer: new VisitCommitter(database, config),
    traces: parts.tracing && new BatchTraces(parts.tracing, config.tracesOneIn),
    noticeGap: createNoticeGap(assignment),
    metrics,
    logger,
  });
  const options: KafkaBatchOptions = {
    ...parts.connection,
    ...batchSettings(config),
    topic,
    groupId: group,
    metrics: kafka.metrics,
    onAssigned: createAssignPartitions(assignment),
    about: { version: config.hopcountVersion, reads: [...VISIT_VERSIONS_READ] },
  };
  const geoSources = openGeoSources(config.geoDatabases, { logger, onBroken: () => undefined });
  const orphanPipeline = createOrphanPipeline({
    ...{ inHand, geoSources, metrics, logger },
    orphans: new OrphanVisits(database),
  });
  const beside: [KafkaBatchOptions, HandleBatch][] = [
    [besideVisits(parts, 'orphans', config.orphanTopic), orphanPipeline],
    hostCounts(parts, { owner, checkpoints, attempts, inHand }),
  ];
  return { options, pipeline, beside };
}

function hostCounts(
  parts: Parts,
  shared: { owner: string; checkpoints: PartitionCheckpoints; attempts: BatchAttempts; inHand: RecordsInHand },
): [KafkaBatchOptions, HandleBatch] {
  const { config, logger, metrics, database, kafka } = parts;
  const options = besideVisits(parts, 'hosts', config.hostCountsTopic);
  const owned = new OwnedPartitions();
  const { topic, groupId: group } = options;
  const assignment = { ...shared, group, topic, admin: kafka.admin, owned, metrics, logger };
  const pipeline = createHostCountsPipeline({
    ...{ owned, attempts: shared.attempts, inHand: shared.inHand, metrics, logger },
    deadLetters: kafka.deadLetters,
    committer: new HostBatchCommitter(database),
    noticeGap: createNoticeGap(assignment),
  });
  return [{ ...options, onAssigned: createAssignPartitions(assignment) }, pipeline];
}

function batchSettings(config: ConsumerConfig) {
  const { sessionTimeoutMs, partitionsConcurrently, maxBytesPerPartition, topicRefreshMs } = config;
  return { sessionTimeoutMs, partitionsConcurrently, maxBytesPerPartition, topicRefreshMs };
}

function besideVisits(
  { config, connection, registry }: Pick<Parts, 'config' | 'connection' | 'registry'>,
  name: string,
  topic: string,
): KafkaBatchOptions {
  return {
    ...connection,
    ...batchSettings(config),
    topic,
    groupId: `${config.consumerGroup}-${name}`,
    clientId: `hopcount-consumer-${name}`,
    metrics: createKafkaMetrics(registry, `${name}_`),
    // Never more than one transaction beside those of visits.
    partitionsConcurrently: 1,
  };
}
