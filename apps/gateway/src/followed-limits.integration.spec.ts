import { announceLimits, type LimitName, StoredLimits } from '@hopcount/links';
import { createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { GatewayGround, insertLink, TEST_DOMAIN, type TestGateway } from './gateway.spec-helpers.js';

describe('limits of requests that change while a gateway runs', () => {
  let ground: GatewayGround;
  let gateway: TestGateway;
  let redis: RedisClient;
  let stored: StoredLimits;

  beforeAll(async () => {
    // Limits are off in the environment.
    ground = await GatewayGround.open({ TRUSTED_PROXIES: '127.0.0.1' });
    gateway = await ground.start();
    stored = new StoredLimits(ground.database);
    const logger = createLogger({ name: 'test', level: 'silent' });
    redis = createRedis({ url: ground.redis.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    await insertLink(ground.database, { code: 'plain' });
  });
  afterAll(async () => {
    redis.disconnect();
    await ground.close();
  });

  let clients = 0;
  /** Of one client that was never seen before, how many of ten requests at once are answered with a redirect. */
  const admitted = async () => {
    const from = `198.51.${(clients += 1)}.1`;
    const headers = { host: TEST_DOMAIN, 'x-forwarded-for': from };
    const answers = await Promise.all(Array.from({ length: 10 }, () => gateway.ask('/plain', { headers })));
    return answers.filter(({ status }) => status === 302).length;
  };
  const set = async (name: LimitName, value: string | null) => {
    await stored.set(name, value);
    await announceLimits(redis);
  };
  const untilAdmitted = (count: number) =>
    waitUntil(async () => (await admitted()) === count, { describe: `${count} of ten are redirected` });

  it('are switched on, set and given back to the environment without a restart', async () => {
    expect(await admitted()).toBe(10);
    await set('REDIRECT_LIMIT', '3:0.01');
    await set('RATE_LIMIT_REDIRECTS', 'true');
    await untilAdmitted(3);
    await set('REDIRECT_LIMIT', '6:0.01');
    await untilAdmitted(6);
    await set('REDIRECT_LIMIT', null);
    await untilAdmitted(10);
    await set('REDIRECT_LIMIT', '3:0.01');
    await untilAdmitted(3);
    await set('RATE_LIMIT_REDIRECTS', null);
    await untilAdmitted(10);
  });
});
