import { hostname } from 'node:os';

import { DirectPublisher, KafkaAdmin, KafkaPublisher } from '@hopcount/kafka';
import {
  FollowedBlocks,
  FollowedLimits,
  LinkChangeSubscription,
  LinkPasswords,
  LinkResolver,
  LinkUses,
  notFoundDefaults,
} from '@hopcount/links';
import { createIdentifyDevice } from '@hopcount/links/visitors';
import { hashKeyMismatch, measurePools, StatementPool } from '@hopcount/postgres';
import {
  createRedis,
  createRedisMetrics,
  isRedisAvailable,
  type RedisClient,
  TokenBuckets,
  waitForRedis,
} from '@hopcount/redis';
import {
  Admission,
  type CheckResult,
  type HashKeys,
  type Health,
  kafkaServers,
  type Logger,
  openTracing,
  Operations,
  secretsOf,
} from '@hopcount/runtime';

import { AuditReporter } from './audit/audit-reporter.js';
import { SourceAudit } from './audit/source-audit.js';
import { sourceName } from './audit/source-name.js';
import type { GatewayConfig } from './gateway.config.js';
import { createGatewayMetrics, type GatewayMetrics } from './gateway.metrics.js';
import { LinkReports } from './guard/link-reports.js';
import { PasswordTries } from './guard/password-tries.js';
import { EndedSources } from './limits/ended-sources.js';
import { holdsVisits } from './limits/holds-visits.js';
import { LimitGate } from './limits/limit-gate.js';
import { spoolId } from './limits/spool-id.js';
import { UseReturns } from './limits/use-returns.js';
import { RedirectLimiter } from './rate-limit/redirect-limiter.js';
import { OrphanPublisher } from './orphans/orphan-publisher.js';
import { probeDatabase } from './probe-database.js';
import { StateReports } from './state/state-reports.js';
import { CompiledRedirects } from './redirect/compiled-redirects.js';
import { NotFoundTargets } from './redirect/not-found-targets.js';
import { Places } from './redirect/places.js';
import { Robots } from './redirect/robots.js';
import { VisitorIdentifier } from './visits/identify-visitor.js';
import { RequestLog } from './request-log.js';
import { RequestTraces } from './tracing/request-traces.js';
import { KafkaState } from './visits/kafka-state.js';
import { RecentClicks } from './visits/recent-clicks.js';
import { RejectedFolder } from './visits/spool/rejected-folder.js';
import { SpoolDrainer } from './visits/spool-drainer.js';
import { watchCluster } from './visits/other-cluster.js';
import { VisitPublisher } from './visits/visit-publisher.js';
import { VisitSpool } from './visits/visit-spool.js';

const REDIS_TIMEOUT_MS = 100;
const DATABASE_TIMEOUT_MS = 2_500;
const KAFKA_REQUEST_TIMEOUT_MS = 3_000;
/** A start-up waits for Redis so long; it goes on without. */
const REDIS_PATIENCE_MS = 500;
/** After PostgreSQL has just answered. */
const KEYS_PATIENCE_MS = 500;
const DRAIN_AT_STOP_MS = 2_000;

export type GatewayResources = Awaited<ReturnType<typeof openGatewayResources>>;

/** Everything the gateway holds open. Only the spool folder must be there; the rest may come later. */
export async function openGatewayResources(config: GatewayConfig, logger: Logger) {
  const source = sourceName({ host: hostname(), pid: process.pid, version: config.hopcountVersion });
  const ops = await Operations.open(config, { process: 'gateway', logger });
  const { health } = ops;
  const metrics = createGatewayMetrics(ops.registry);
  const links = await openLinks(config, logger, createRedisMetrics(ops.registry));
  const visits = await openVisits(config, logger, metrics, { source, database: links.database });
  const limits = await openLimits(config, logger, source, links.database);
  const orphans = openOrphans(config, logger, source);
  const watching = await openWatching(config, logger);
  const limiter = openLimiter(config, links, metrics);
  const ofClients = limitsOfClients(config, logger, links);
  const { publisher } = visits;
  measurePools(ops.registry, { links: links.database, limits: limits.database });
  metrics.watch({
    spool: visits.spool,
    disk: { path: config.spoolDir, limitBytes: config.spoolMaxBytes },
    rejected: visits.rejected,
    links: links.resolver,
    kafka: visits.state,
    produce: visits.direct,
    orphans,
    limits,
    limiter,
    ...ofClients,
  });
  addReadiness(health, links, visits, secretsOf(config));
  return {
    ...{ source, ops, health, tally: metrics.tally, resolver: links.resolver },
    ...watching,
    robots: new Robots(links.database),
    redirects: new CompiledRedirects(config, links.blocks),
    notFound: new NotFoundTargets(links.resolver.hosts, notFoundDefaults(config), links.blocks),
    publisher,
    limits: limits.gate,
    useReturns: limits.returns,
    ...{ orphans, limiter, admission: new Admission(config, { registry: ops.registry, logger, queue: publisher }) },
    ...ofClients,
    visitors: new VisitorIdentifier(secretsOf(config)),
    ...openSenses(config, logger),
    /** After the last request is answered. */
    close: async () => {
      await visits.close();
      await orphans.close();
      await limits.close();
      await links.close();
      await watching.tracing?.close();
      ops.close();
    },
  };
}

async function openLinks(config: GatewayConfig, logger: Logger, metrics: ReturnType<typeof createRedisMetrics>) {
  const redisOptions = { url: config.redisUrl, logger, metrics };
  const redis = createRedis({ ...redisOptions, name: 'gateway', commandTimeoutMs: REDIS_TIMEOUT_MS });
  const database = new StatementPool({
    url: config.databaseUrl,
    applicationName: 'hopcount-gateway',
    poolSize: 4,
    statementTimeoutMs: DATABASE_TIMEOUT_MS,
    connectTimeoutMs: DATABASE_TIMEOUT_MS,
  });
  const { defaultDomain, linkCheckMs: checkMs, looseCodes } = config;
  const resolver = new LinkResolver(database, redis, logger, { defaultDomain, checkMs, looseCodes });
  const subscription = new LinkChangeSubscription({ ...redisOptions, name: 'gateway-changes' }, resolver);
  await waitForRedis(redis, REDIS_PATIENCE_MS);
  const blocks = new FollowedBlocks(database, logger);
  const followed = { database, logger, redis: { ...redisOptions, name: 'gateway-limits' } };
  const requestLimits = new FollowedLimits(followed, config);
  await Promise.all([resolver.start(), blocks.start(), requestLimits.start()]);
  const close = async () => {
    resolver.stop();
    blocks.stop();
    await requestLimits.stop();
    subscription.close();
    redis.disconnect();
    await database.close();
  };
  return { redis, database, resolver, blocks, requestLimits, close };
}

/** With connections of its own, so that links with a limit keep no other from being found. */
async function openLimits(config: GatewayConfig, logger: Logger, source: string, shared: StatementPool) {
  const database = new StatementPool({
    url: config.databaseUrl,
    applicationName: 'hopcount-gateway-limits',
    poolSize: 3,
    statementTimeoutMs: DATABASE_TIMEOUT_MS,
    connectTimeoutMs: DATABASE_TIMEOUT_MS,
  });
  const taker = { source, spool: await spoolId(config.spoolDir) };
  const uses = new LinkUses(database, taker);
  const returns = new UseReturns(uses, () => holdsVisits(config.spoolDir), logger);
  const gate = new LimitGate(uses, returns, logger);
  const ended = new EndedSources(new LinkUses(shared, taker), config.spoolDir, logger);
  ended.start();
  const close = async () => {
    await ended.stop();
    await returns.close();
    await database.close();
  };
  return { gate, returns, database, close };
}

async function openVisits(
  config: GatewayConfig,
  logger: Logger,
  metrics: GatewayMetrics,
  { source, database }: { source: string; database: StatementPool },
) {
  const connection = {
    ...kafkaServers(config),
    clientId: source,
    logger,
    requestTimeoutMs: KAFKA_REQUEST_TIMEOUT_MS,
  };
  const kafka = new KafkaPublisher(connection);
  const direct = new DirectPublisher(kafka, { ...connection, topic: config.visitsTopic });
  const admin = new KafkaAdmin(connection);
  const spoolFolder = { root: config.spoolDir, maxBytes: config.spoolMaxBytes };
  const spool = await VisitSpool.open({
    ...spoolFolder,
    owner: source,
    logger,
    onDamage: ({ path, from, to, tail }) => {
      metrics.tornBytes.inc({ kind: tail ? 'tail' : 'corrupt' }, to - from);
      logger.error({ path, from, to, tail }, 'bytes of a spool segment are no record');
    },
  });
  const state = new KafkaState(logger);
  const { visitsTopic: topic, auditTopic } = config;
  const audit = new SourceAudit(source, config.visitDurabilityFailure);
  const { ackTimeoutMs, batchMaxEvents: maxEvents } = config;
  const limits = { topic, ackTimeoutMs, maxEvents };
  const publisher = new VisitPublisher(direct, spool, state, { metrics, audit }, limits);
  const rejected = new RejectedFolder({ ...spoolFolder, owner: source });
  const drainer = new SpoolDrainer({ kafka, spool, rejected, state, logger, topic });
  const reporter = new AuditReporter(audit, { kafka, spool, state, publisher, logger, topic: auditTopic });
  const states = new StateReports(database, source, spool, logger);
  await drainer.start();
  reporter.start();
  states.start();
  const close = async () => {
    await publisher.flush();
    await reporter.stop();
    await drainer.stop({ finishWithinMs: DRAIN_AT_STOP_MS });
    await spool.close();
    await rejected.close();
    direct.close();
    await Promise.all([kafka.close(), admin.close()]);
    await states.stop();
  };
  return { spool, rejected, state, publisher, direct, otherCluster: watchCluster(database, admin), close };
}

type OpenLinks = Awaited<ReturnType<typeof openLinks>>;

function openLimiter(config: GatewayConfig, { redis, requestLimits }: OpenLinks, { limitUse }: GatewayMetrics) {
  return new RedirectLimiter(new TokenBuckets(redis), requestLimits, secretsOf(config).hashing, limitUse);
}

/** What each client may do, or counts as. */
function limitsOfClients(
  config: GatewayConfig,
  logger: Logger,
  { database, redis }: { database: StatementPool; redis: RedisClient },
) {
  const parts = { buckets: new TokenBuckets(redis), logger, secret: secretsOf(config).hashing };
  return {
    clicks: new RecentClicks(config.clickFloodPerMinute),
    tries: new PasswordTries({ ...parts, passwords: new LinkPasswords(database) }),
    reports: new LinkReports({ ...parts, database }),
  };
}

function openSenses(config: GatewayConfig, logger: Logger) {
  const places = new Places(config.geoDatabases, logger);
  const locate = (address: string | null) => places.locate(address);
  return { places, senses: { identifyDevice: createIdentifyDevice(), locate } };
}

/** What each request may be told of; nothing, as a rule. */
async function openWatching(config: GatewayConfig, logger: Logger) {
  const tracing = await openTracing(config, { process: 'gateway', logger });
  return { tracing, traces: tracing && new RequestTraces(tracing), requestLog: RequestLog.at(logger) };
}

function openOrphans(config: GatewayConfig, logger: Logger, source: string): OrphanPublisher {
  const kafka = new KafkaPublisher({
    ...kafkaServers(config),
    clientId: `${source}-orphans`,
    logger,
    requestTimeoutMs: KAFKA_REQUEST_TIMEOUT_MS,
  });
  return new OrphanPublisher({ kafka, logger, topic: config.orphanTopic, perSecond: config.orphanVisitsPerSecond });
}

function addReadiness(
  health: Health,
  links: Awaited<ReturnType<typeof openLinks>>,
  visits: Awaited<ReturnType<typeof openVisits>>,
  hashKeys: HashKeys,
): void {
  health.addReadiness('redis', () =>
    isRedisAvailable(links.redis) ? { status: 'pass' } : { status: 'warn', detail: 'links come from PostgreSQL' },
  );
  const databaseFailure = probeDatabase(() => links.database.query('SELECT 1').then(() => undefined));
  const wrongKeys = probeDatabase(() => hashKeyMismatch(links.database, hashKeys), KEYS_PATIENCE_MS);
  health.addReadiness('postgresql', async () => {
    const failure = await databaseFailure();
    if (failure === undefined) return { status: 'pass' };
    const someLinks = links.resolver.cachedLinks > 0 || isRedisAvailable(links.redis);
    return { status: someLinks ? 'warn' : 'fail', detail: failure };
  });
  health.addReadiness('hash-keys', async () => {
    const detail = (await databaseFailure()) === undefined ? await wrongKeys() : undefined;
    return detail === undefined ? { status: 'pass' } : { status: 'warn', detail };
  });
  health.addReadiness('blocks', () =>
    links.blocks.isKnown ? { status: 'pass' } : { status: 'warn', detail: 'not read yet: nothing is blocked' },
  );
  health.addReadiness('kafka-cluster', () => {
    const detail = visits.otherCluster();
    return detail === undefined ? { status: 'pass' } : { status: 'warn', detail };
  });
  health.addReadiness('visits', () => visitsReadiness(visits));
  health.addReadiness('rejected-visits', async () => {
    const bytes = await visits.rejected.sizeBytes().catch((error: Error) => error.message);
    if (bytes === 0) return { status: 'pass' };
    if (typeof bytes === 'string') return { status: 'warn', detail: `rejected visits cannot be read: ${bytes}` };
    return { status: 'warn', detail: `${bytes} bytes of visits that Kafka rejects wait in ${visits.rejected.path}` };
  });
}

/** Follows what was last seen of Kafka and of the disk: whoever is refused here may be taken by another gateway. */
function visitsReadiness({
  state,
  spool,
}: Pick<Awaited<ReturnType<typeof openVisits>>, 'state' | 'spool'>): CheckResult {
  const disk = spool.writeFailure && `the disk does not take visits (${spool.writeFailure})`;
  if (state.isUp) return disk === undefined ? { status: 'pass' } : { status: 'warn', detail: disk };
  const { reason = 'no connection yet' } = state;
  const kafka = `Kafka is down (${reason})`;
  if (disk !== undefined) return { status: 'fail', detail: `${kafka} and ${disk}` };
  if (spool.isFull) return { status: 'fail', detail: `${kafka} and the spool holds SPOOL_MAX_BYTES` };
  return { status: 'warn', detail: `${kafka}; ${spool.pendingEvents} visits on disk` };
}
