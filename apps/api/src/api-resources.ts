import { hostname } from 'node:os';

import { adviceFor, ArchiveReader, archiveRoot, ParquetFiles } from '@hopcount/archive';
import { KafkaAdmin, type KafkaConnection, KafkaPublisher } from '@hopcount/kafka';
import { ApiKeys, Identities, OpenIdProvider, Sealer, SecondFactors, Sessions, ShareLinks } from '@hopcount/identities';
import { LedgerCluster } from '@hopcount/ledger';
import {
  AlertStore,
  FollowedLimits,
  LinkFilter,
  LinkOutbox,
  LinkStore,
  Snowflakes,
  WebhookStore,
  WorkerLease,
} from '@hopcount/links';
import { Database, hashKeyHealth, measurePools } from '@hopcount/postgres';
import {
  createRedis,
  createRedisMetrics,
  isRedisAvailable,
  LinkLocks,
  type RedisClient,
  TokenBuckets,
} from '@hopcount/redis';
import {
  Admission,
  type HashKeys,
  type Health,
  kafkaServers,
  type Logger,
  Operations,
  type Registry,
  secretsOf,
} from '@hopcount/runtime';

import type { ApiConfig } from './api.config.js';
import { ApiMetrics } from './api.metrics.js';
import { RouteTable } from './http/route-table.js';
import { RequestLimits } from './limits/request-limits.js';
import { EventStreams } from './live/event-streams.js';
import { LiveTokens } from './live/live-token.js';
import { toProvider } from './session/provider.settings.js';
import { ProviderFlows } from './session/provider-flows.js';
import { Settings } from './settings.js';
import { DeadLetters } from './system/dead-letters.js';
import { SystemChecker } from './system/system-checker.js';
import { SystemState } from './system/system-state.js';
import { addPostgresReadiness } from './system/postgres-readiness.js';
import { WritingStart } from './writing-start.js';

export type ApiResources = Awaited<ReturnType<typeof openApiResources>>;

/**
 * What outlives a request and is opened and closed outside of Nest: connections, and what keeps a
 * connection. Every module can inject each of them by its class. Needs PostgreSQL (there is nothing to
 * serve without it), the primary or a standby to read from; Redis and Kafka may be away, now and later.
 * @throws the database's error
 */
export async function openApiResources(config: ApiConfig, logger: Logger) {
  const database = await connectDatabase(config);
  const ops = await Operations.open(config, { process: 'api', logger });
  const { health } = ops;
  const lease = new WorkerLease(database, { logger });
  measurePools(ops.registry, { api: database });
  const { redis, limitsRedis } = connectRedis(config, ops, logger);
  const outbox = new LinkOutbox(database, redis, logger);
  const { connection, kafka, publisher } = connectKafka(config, database, logger);
  const links = new LinkStore(database, new Snowflakes(lease), outbox, storeOptions(config, redis));
  const metrics = new ApiMetrics(ops.registry);
  const archive = openArchive(config, database, metrics, logger);
  const writing = new WritingStart({ links, lease, logger });
  const requestLimits = new FollowedLimits({ database, logger, redis: limitsRedis }, config);

  /** In the reverse order of opening. */
  const close = async () => {
    await archive.close();
    await requestLimits.stop();
    await outbox.close();
    redis.disconnect();
    await Promise.all([kafka.close(), publisher.close()]);
    await writing.stop();
    await lease.close();
    await database.close();
    ops.close();
  };
  try {
    await writing.begin({ mayWait: (await database.replicaState()) === 'standby' });
    outbox.start();
    await requestLimits.start();
  } catch (error) {
    await close();
    throw error;
  }
  addPostgresReadiness(health, database, config.databaseReadUrl !== undefined);
  addReadiness(health, { database, redis, hashKeys: secretsOf(config) });
  return {
    ...{ database, kafka, publisher, links, outbox },
    locks: new LinkLocks(redis, { owner: `api:${hostname()}:${process.pid}` }),
    ...identitiesOf(config, database, metrics, logger),
    ...{ health, ops, metrics, archive },
    parquet: new ParquetFiles({ root: archiveRoot(config) }),
    routes: new RouteTable(),
    settings: new Settings(config),
    ...{ webhooks: new WebhookStore(database, config), alerts: new AlertStore(database, config) },
    ...limitsOf(config, ops.registry, { redis, metrics, logger, requestLimits }),
    ...systemOf(config, { database, kafka, connection, health, logger }),
    liveTokens: new LiveTokens(config.hopcountSecret),
    close,
  };
}

function limitsOf(
  config: ApiConfig,
  registry: Registry,
  parts: { redis: RedisClient; metrics: ApiMetrics; logger: Logger; requestLimits: FollowedLimits<ApiConfig> },
) {
  const { redis, metrics, logger, requestLimits } = parts;
  const admission = new Admission(config, { registry, logger });
  return { admission, limits: new RequestLimits(config, requestLimits, new TokenBuckets(redis), metrics, admission) };
}

function connectDatabase({ databaseUrl, databaseReadUrl }: ApiConfig): Promise<Database> {
  return Database.connect({ url: databaseUrl, replicaUrl: databaseReadUrl, applicationName: 'hopcount-api' });
}

function connectRedis({ redisUrl: url }: ApiConfig, { registry }: Operations, logger: Logger) {
  const options = { url, name: 'hopcount-api', logger, metrics: createRedisMetrics(registry) };
  return { redis: createRedis(options), limitsRedis: { ...options, name: 'hopcount-api-limits' } };
}

/** Another cluster than the ledger's is refused where Kafka is asked; links and statistics are answered all the same. */
function connectKafka(config: ApiConfig, database: Database, logger: Logger) {
  const { expect: expectCluster } = new LedgerCluster(database);
  const connection = { ...kafkaServers(config), clientId: 'hopcount-api', logger, expectCluster };
  return { connection, kafka: new KafkaAdmin(connection), publisher: new KafkaPublisher(connection) };
}

interface SystemParts {
  database: Database;
  kafka: KafkaAdmin;
  connection: KafkaConnection;
  health: Health;
  logger: Logger;
}

/** For who operates it. */
function systemOf(config: ApiConfig, { database, kafka, connection, health, logger }: SystemParts) {
  return {
    deadLetters: new DeadLetters(database, kafka, connection, config),
    systemChecker: new SystemChecker(database, kafka, health, config),
    systemState: new SystemState(database, kafka, config, logger),
  };
}

function addReadiness(
  health: Health,
  { database, redis, hashKeys }: { database: Database; redis: RedisClient; hashKeys: HashKeys },
): void {
  health.addReadiness('hash-keys', () => hashKeyHealth(database, hashKeys));
  health.addReadiness('redis', () => ({ status: isRedisAvailable(redis) ? 'pass' : 'warn' }));
}

function identitiesOf(config: ApiConfig, database: Database, metrics: ApiMetrics, logger: Logger) {
  const [apiKeys, sessions] = [new ApiKeys(database, { logger }), new Sessions(database, { logger })];
  const shareLinks = new ShareLinks(database);
  const identities = new Identities(apiKeys, sessions, shareLinks);
  const { signing } = secretsOf(config);
  return {
    ...{ apiKeys, sessions, shareLinks, identities, streams: new EventStreams(identities, metrics, logger) },
    secondFactors: new SecondFactors(database, new Sealer(signing)),
    provider: new OpenIdProvider(toProvider(config), { logger }),
    providerFlows: new ProviderFlows(new Sealer(signing, 'hopcount provider sign-in')),
  };
}

function storeOptions(config: ApiConfig, redis: RedisClient) {
  return { ...config, secret: secretsOf(config).hashing, filter: new LinkFilter(redis) };
}

function openArchive(config: ApiConfig, database: Database, metrics: ApiMetrics, logger: Logger): ArchiveReader {
  return new ArchiveReader(database, {
    onFailed: (error) => logger.error({ err: error }, 'the archive could not be read though its files are whole'),
    root: archiveRoot(config),
    memoryMb: config.archiveMemory,
    onDamaged: (file) => {
      metrics.archiveFailures.inc();
      const { path, visits, heldBy } = file;
      logger.error({ path, visits, heldBy }, `a file of the archive is damaged: ${adviceFor(file)}`);
    },
  });
}
