import { hostname } from 'node:os';

import { WORKER_APPLICATION_NAME } from '@hopcount/contracts';
import { KafkaAdmin, type KafkaConnection } from '@hopcount/kafka';
import {
  AuditReconciler,
  CountedUpTo,
  EndedUses,
  LedgerCluster,
  refuseOtherCluster,
  SourceAudits,
} from '@hopcount/ledger';
import { LinkOutbox } from '@hopcount/links';
import { connectWhenUp, type Database, measurePools } from '@hopcount/postgres';
import { createRedis, createRedisMetrics, JobLock, LinkLocks, type RedisClient } from '@hopcount/redis';
import { createLogger, kafkaServers, type Logger, Operations, type Registry } from '@hopcount/runtime';

import { startAudits } from './audits/start-audits.js';
import { measureBacklogs } from './backlogs.js';
import { measureCounting } from './counting.js';
import { watchIdSpaces } from './id-spaces.js';
import { startJobs } from './jobs/start-jobs.js';
import { startPeers } from './peers/start-peers.js';
import type { WorkerConfig } from './worker.config.js';
import { createWorkerMetrics } from './worker.metrics.js';
import { addWorkerHealth } from './worker-health.js';

export interface RunningWorker {
  opsUrl: string;
  logger: Logger;
  /** Tells running jobs to end, waits for them, closes everything. */
  stop: () => Promise<void>;
}

const DATABASE_POOL_SIZE = 8;
const IDLE_IN_TRANSACTION_MS = 10_000;
const REDIS_TIMEOUT_MS = 1_500;

/** Every job beside the path of a visit, and the gateways' reports; comes up also while Kafka or Redis are away. */
export async function startWorker(config: WorkerConfig): Promise<RunningWorker> {
  const logger = createLogger({ name: 'worker', level: config.logLevel });
  const ops = await Operations.open(config, { process: 'worker', logger });
  const { registry, health } = ops;
  const metrics = createWorkerMetrics(registry);
  const database = await connectDatabase(config, logger);
  const connection = connectionOf(config, database, logger);
  const admin = new KafkaAdmin(connection);
  await refuseOtherCluster(admin).catch(async (error: unknown) => {
    await Promise.all([admin.close(), database.close()]);
    ops.close();
    throw error;
  });
  const redis = openRedis(config, logger, registry);
  measureBacklogs(registry, database, logger);
  watchIdSpaces(registry, { config, database, logger });
  measurePools(registry, { worker: database });
  addWorkerHealth(health, { database, redis });
  measureCounting(registry, { config, database, admin, logger });
  const { consumerGroup: group, visitsTopic: topic } = config;
  const progress = { group, topic, logEnds: () => admin.topicOffsets(topic) };
  const reconciler = new AuditReconciler(database, progress);
  const counted = new CountedUpTo(database, progress);
  const endedUses = new EndedUses(database, { ...progress, quietSeconds: config.endedUseSeconds });
  const locks = new LinkLocks(redis, { owner: `${hostname()}:${process.pid}:${Date.now().toString(36)}` });
  const outbox = new LinkOutbox(database, redis, logger);
  const lock = new JobLock(redis);
  const peers = await startPeers({ config, connection, database, registry, metrics, logger });
  const jobs = startJobs({
    ...{ config, database, connection, admin, redis, lock, locks, outbox, peers },
    ...{ reconciler, counted, endedUses, metrics, logger },
  });
  outbox.start();
  const sourceAudits = new SourceAudits(database);
  const audits = await startAudits({ config, connection, registry, audits: sourceAudits, admin, metrics, logger });
  health.started();
  logger.info({ ops: ops.url }, 'worker started');

  return {
    opsUrl: ops.url,
    logger,
    stop: async () => {
      health.drain();
      await Promise.all([audits.close(), outbox.close(), ...jobs.map((job) => job.stop())]);
      await Promise.all([peers.close(), admin.close()]);
      redis.disconnect();
      await database.close();
      ops.close();
    },
  };
}

/** Another cluster than the one the ledger belongs to is refused. */
function connectionOf(config: WorkerConfig, database: Database, logger: Logger): KafkaConnection {
  const { expect: expectCluster } = new LedgerCluster(database);
  return { ...kafkaServers(config), clientId: 'hopcount-worker', logger, expectCluster };
}

function openRedis({ redisUrl: url }: WorkerConfig, logger: Logger, registry: Registry): RedisClient {
  const metrics = createRedisMetrics(registry);
  return createRedis({ url, name: 'hopcount-worker', logger, commandTimeoutMs: REDIS_TIMEOUT_MS, metrics });
}

function connectDatabase({ databaseUrl }: WorkerConfig, logger: Logger): Promise<Database> {
  const options = {
    url: databaseUrl,
    applicationName: WORKER_APPLICATION_NAME,
    poolSize: DATABASE_POOL_SIZE,
    idleInTransactionTimeoutMs: IDLE_IN_TRANSACTION_MS,
  };
  return connectWhenUp(options, (error) => logger.warn({ err: error }, 'PostgreSQL is away; waiting'));
}
