import type { Logger } from '@hopcount/runtime';
import { Redis } from 'ioredis';

import type { RedisMetrics } from '../redis.metrics.js';
import { timeOutInOwnTime } from './own-time.js';
import { RedisAvailability } from './redis-availability.js';

/** One connection. Commands fail at once while Redis is away; nothing is queued or sent twice. */
export type RedisClient = Redis;

export interface RedisOptions {
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

const availabilities = new WeakMap<RedisClient, RedisAvailability>();

/**
 * Connects in the background and reconnects for ever; never throws and never emits an unhandled
 * error. Close with `client.disconnect()` (at once) or `client.quit()`.
 */
export function createRedis(options: RedisOptions): RedisClient {
  timeOutInOwnTime();
  const client = new Redis(options.url, {
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
    // Jitter, so that many processes do not come back in the same moment.
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2),
  });
  availabilities.set(client, new RedisAvailability(client, options));
  return client;
}

/** The breaker that every user of this client shares. @throws TypeError for a client made elsewhere. */
export function availabilityOf(client: RedisClient): RedisAvailability {
  const availability = availabilities.get(client);
  if (availability === undefined) throw new TypeError('this Redis client was not made by createRedis');
  return availability;
}

/** Whether Redis answers, as of the last call; for health checks (degraded, never unready). */
export function isRedisAvailable(client: RedisClient): boolean {
  return availabilityOf(client).isAvailable();
}

/** Resolves true once connected, false after `timeoutMs`: a start-up may go on without Redis. */
export async function waitForRedis(client: RedisClient, timeoutMs: number): Promise<boolean> {
  if (client.status === 'ready') return true;
  return new Promise((resolve) => {
    const finish = (ready: boolean) => {
      clearTimeout(timer);
      client.off('ready', onReady);
      resolve(ready);
    };
    const onReady = () => finish(true);
    const timer = setTimeout(() => finish(false), timeoutMs);
    client.once('ready', onReady);
  });
}
