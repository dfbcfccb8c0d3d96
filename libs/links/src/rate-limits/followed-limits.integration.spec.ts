import { StatementPool } from '@hopcount/postgres';
import { createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import {
  FreezingProxy,
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  waitUntil,
} from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { FollowedLimits } from './followed-limits.js';
import { announceLimits, StoredLimits } from './stored-limits.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const ENVIRONMENT = { rateLimitRedirects: false, redirectLimit: { burst: 100, perSecond: 10 } };
const FIVE = { burst: 10, perSecond: 5 };
/** No look while a test runs but those that it causes. */
const NEVER_MS = 3_600_000;
const OFTEN_MS = 50;
const TIMEOUT_MS = 500;

describe('limits of a process', () => {
  let server: TestDatabase;
  let redisServer: TestRedis;
  let redis: RedisClient;
  let proxy: FreezingProxy;
  let database: StatementPool;
  let stored: StoredLimits;
  let followed: FollowedLimits<typeof ENVIRONMENT>;

  beforeAll(async () => {
    [server, redisServer] = await Promise.all([testDatabase(), testRedis()]);
    proxy = await FreezingProxy.listen(new URL(server.url));
    const url = proxy.through(new URL(server.url));
    const limits = { statementTimeoutMs: TIMEOUT_MS, connectTimeoutMs: TIMEOUT_MS };
    database = new StatementPool({ url, applicationName: 'limits-spec', ...limits });
    stored = new StoredLimits(server);
    redis = createRedis({ url: redisServer.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
  });
  beforeEach(() => server.query('TRUNCATE settings'));
  afterEach(() => followed.stop());
  afterAll(async () => {
    redis.disconnect();
    await database.close();
    await proxy.close();
    await redisServer.close();
    await server.drop();
  });

  const follow = async (lookEveryMs: number) => {
    const parts = { database, logger, redis: { url: redisServer.url, name: 'test-limits', logger } };
    followed = new FollowedLimits(parts, ENVIRONMENT, lookEveryMs);
    await followed.start();
  };
  const isSubscribed = async () => {
    const [, subscribers] = (await redisServer.client.pubsub('NUMSUB', 'hc:limit-changes')) as [string, number];
    return subscribers > 0;
  };
  const until = (limit: object) =>
    waitUntil(() => JSON.stringify(followed.now.redirectLimit) === JSON.stringify(limit), { describe: 'the limit' });

  it('are those of its environment, and over them what is stored, of its own limits only', async () => {
    await stored.set('REDIRECT_LIMIT', '10:5');
    await stored.set('READ_LIMIT', '1:1');
    await follow(NEVER_MS);
    expect(followed.now).toEqual({ ...ENVIRONMENT, redirectLimit: FIVE });
  });

  it('follow what is announced, and go back to the environment when it is taken away', async () => {
    await follow(NEVER_MS);
    await waitUntil(isSubscribed, { describe: 'the subscription' });
    expect(followed.now).toEqual(ENVIRONMENT);
    await stored.set('REDIRECT_LIMIT', '10:5');
    expect(await announceLimits(redis)).toBe(true);
    await until(FIVE);
    await stored.set('REDIRECT_LIMIT', null);
    await announceLimits(redis);
    await until(ENVIRONMENT.redirectLimit);
  });

  it('follow a change whose message was lost with the next look', async () => {
    await follow(OFTEN_MS);
    await waitUntil(isSubscribed, { describe: 'the subscription' });
    await stored.set('REDIRECT_LIMIT', '10:5');
    await until(FIVE);
    // The look of the new subscription is over: only another one sees this.
    await stored.set('REDIRECT_LIMIT', null);
    await until(ENVIRONMENT.redirectLimit);
  });

  it('are looked at when a subscription is new: what was said before may have been missed', async () => {
    await follow(NEVER_MS);
    await waitUntil(isSubscribed, { describe: 'the subscription' });
    await redisServer.stop();
    await stored.set('REDIRECT_LIMIT', '10:5');
    expect(await announceLimits(redis)).toBe(false);
    await redisServer.start();
    await until(FIVE);
  });

  it('stay as they are while PostgreSQL is away, and are followed when it is back', async () => {
    await stored.set('REDIRECT_LIMIT', '10:5');
    await follow(OFTEN_MS);
    proxy.freeze();
    await stored.set('REDIRECT_LIMIT', '20:5');
    const { swallowed } = proxy;
    await waitUntil(() => proxy.swallowed > swallowed, { describe: 'a look that PostgreSQL does not answer' });
    expect(followed.now.redirectLimit).toEqual(FIVE);
    proxy.thaw();
    await until({ burst: 20, perSecond: 5 });
  });

  it('that somebody wrote into the table and nobody can read are those of the environment', async () => {
    await server.query(
      `INSERT INTO settings (name, value) VALUES ('REDIRECT_LIMIT', '5/s'), ('RATE_LIMIT_REDIRECTS', 'true')`,
    );
    await follow(NEVER_MS);
    expect(followed.now).toEqual({ ...ENVIRONMENT, rateLimitRedirects: true });
  });
});
