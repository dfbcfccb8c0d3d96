import { type Logger, parseRedisUrl, type RedisServers } from '@hopcount/runtime';
import { Cluster, Redis, type RedisOptions as ClientOptions } from 'ioredis';

import type { RedisMetrics } from '../redis.metrics.js';
import { mastersConnected } from './nodes.js';
import { timeOutInOwnTime } from './own-time.js';
import { RedisAvailability } from './redis-availability.js';

/** One server or a cluster. Commands fail at once while Redis is away; nothing is queued or sent twice. */
export type RedisClient = Redis | Cluster;

export interface RedisOptions {
  /** One server, a cluster or sentinels: see parseRedisUrl() of libs/runtime. */
  url: string;
  /** Shown by CLIENT LIST and in logs. */
  name: string;
  logger: Logger;
  /** Longest wait for one answer; default 500. */
  commandTimeoutMs?: number;
  metrics?: RedisMetrics;
}

const CONNECT_TIMEOUT_MS = 3_000;
const LONGEST_PAUSE_MS = 2_000;
/** How soon a client knows of a promotion that no answer told it of. */
export const SLOTS_EVERY_MS = 2_000;
const CLOSED: ReadonlySet<string> = new Set(['disconnecting', 'close', 'end']);
/** Each MOVED is one: a slot on its way from node to node takes two or three. */
const MOST_REDIRECTIONS = 4;
const NODE_OF_A_CLUSTER =
  'REDIS_URL names one node of a Redis Cluster, which has a part of the keys: redis+cluster://host:port names the cluster';

const availabilities = new WeakMap<RedisClient, RedisAvailability>();

/**
 * Connects in the background and reconnects for ever; never throws and never emits an unhandled
 * error. Close with `client.disconnect()` (at once) or `client.quit()`.
 */
export function createRedis(options: RedisOptions): RedisClient {
  timeOutInOwnTime();
  const servers = parseRedisUrl(options.url);
  const client = servers.kind === 'cluster' ? createCluster(servers, options) : createSingle(servers, options);
  const availability = new RedisAvailability(client, options);
  availabilities.set(client, availability);
  options.metrics?.watch(options.name, () => availability.isAvailable());
  if (client instanceof Redis) client.on('ready', () => void refuseNodeOfCluster(client, availability));
  return client;
}

/** Of each connection, to whatever kind of server. */
export function connectionSettings(options: Pick<RedisOptions, 'name' | 'commandTimeoutMs'>): ClientOptions {
  return {
    connectionName: options.name,
    commandTimeout: options.commandTimeoutMs ?? 500,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: 10_000,
    enableOfflineQueue: false,
    // A command whose connection broke fails at once: sent again later it would outlive its purpose.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // ioredis subscribes anew without looking at the outcome: a connection lost before the answer would be an unhandled
    // rejection, which ends the process. Who subscribes does so on every `ready`.
    autoResubscribe: false,
  };
}

/** Jitter, so that many processes do not come back in the same moment. */
export function pauseBeforeAttempt(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

/** A server, or the master that sentinels name. */
export function createSingle(
  servers: Exclude<RedisServers, { kind: 'cluster' }>,
  options: Pick<RedisOptions, 'name' | 'commandTimeoutMs'>,
): Redis {
  const settings = {
    ...connectionSettings(options),
    retryStrategy: pauseBeforeAttempt,
    // A replica that was the master a moment ago: the next connection is to whoever is now.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (servers.kind === 'single') return new Redis(servers.url, settings);
  const { nodes, masterName, database, login, sentinelLogin, tls } = servers;
  return new Redis({
    ...{ ...settings, ...login, sentinels: nodes, name: masterName, db: database },
    ...(sentinelLogin.username !== undefined && { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password !== undefined && { sentinelPassword: sentinelLogin.password }),
    ...(tls && { tls: {}, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: pauseBeforeAttempt,
  });
}

function createCluster(servers: Extract<RedisServers, { kind: 'cluster' }>, options: RedisOptions): Cluster {
  const { nodes, login, tls } = servers;
  const cluster = new Cluster(nodes, {
    redisOptions: { ...connectionSettings(options), ...login, ...(tls && { tls: {} }) },
    clusterRetryStrategy: pauseBeforeAttempt,
    enableOfflineQueue: false,
    maxRedirections: MOST_REDIRECTIONS,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    slotsRefreshInterval: SLOTS_EVERY_MS,
    // Both would send a command again later: whoever asked goes on without the answer.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
  });
  // ioredis 5 closed in the middle of a refresh sets its timer again, for ever: a command of the CLI would not end.
  const refresh = cluster.refreshSlotsCache.bind(cluster);
  cluster.refreshSlotsCache = (callback) =>
    refresh((error) => {
      if (!CLOSED.has(cluster.status)) callback?.(error);
    });
  // With the first command for it would be too late: those behind it in the same moment fail.
  cluster.on('+node', (node: Redis) => {
    // It connects again by itself, and its errors are events.
    if (node.options.readOnly !== true) node.connect().catch(() => undefined);
  });
  return cluster;
}

/** Two thirds of its answers would be errors, and nothing would say why. */
async function refuseNodeOfCluster(client: Redis, availability: RedisAvailability): Promise<void> {
  // Away again: the next `ready` asks once more.
  const said = await client.info('cluster').catch(() => '');
  if (said.includes('cluster_enabled:1') && availability.refusal === undefined) availability.refuse(NODE_OF_A_CLUSTER);
}

/** The breakers that every user of this client shares. @throws TypeError for a client made elsewhere. */
export function availabilityOf(client: RedisClient): RedisAvailability {
  const availability = availabilities.get(client);
  if (availability === undefined) throw new TypeError('this Redis client was not made by createRedis');
  return availability;
}

/** Whether Redis answers, as of the last call; for health checks (degraded, never unready). */
export function isRedisAvailable(client: RedisClient): boolean {
  return availabilityOf(client).isAvailable();
}

/**
 * Resolves true once connected, to every master of a cluster, or after `timeoutMs` to one of them; else false after it: a start-up may go on
 * without Redis.
 */
export async function waitForRedis(client: RedisClient, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ready: boolean) => {
      clearTimeout(timer);
      client.off('ready', onReady);
      resolve(ready);
    };
    const onReady = () => void mastersConnected(client).then(() => finish(true));
    const timer = setTimeout(() => finish(client.status === 'ready'), timeoutMs);
    if (client.status === 'ready') onReady();
    else client.once('ready', onReady);
  });
}

/** Connects, and looks whether it may be used. `refusal`: why not, of one that answers. */
export async function waitForUse(
  client: RedisClient,
  timeoutMs: number,
): Promise<{ isUsable: boolean; refusal?: string }> {
  if (!(await waitForRedis(client, timeoutMs))) return { isUsable: false };
  if (client instanceof Redis) await refuseNodeOfCluster(client, availabilityOf(client));
  const { refusal } = availabilityOf(client);
  return refusal === undefined ? { isUsable: true } : { isUsable: false, refusal };
}
