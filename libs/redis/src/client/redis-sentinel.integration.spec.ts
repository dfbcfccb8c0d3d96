import { createLogger } from '@hopcount/runtime';
import { newEventId, testRedisSentinel, type TestRedisSentinel, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { VisitClaims } from '../claims/visit-claims.js';
import { createRedis, waitForRedis } from './create-redis.js';
import { RedisSubscription } from './redis-subscription.js';

const logger = createLogger({ name: 'test', level: 'silent' });
let sentinel: TestRedisSentinel;

beforeAll(async () => {
  sentinel = await testRedisSentinel();
});
afterAll(() => sentinel?.close());

it('the master that sentinels name is used, and after it died the one that they promoted, also to subscribe', async () => {
  const redis = createRedis({ url: sentinel.url, name: 'spec', logger });
  const heard: string[] = [];
  let subscribed = 0;
  const subscription = new RedisSubscription({ url: sentinel.url, name: 'ears', logger }, 'news', {
    onMessage: (message) => heard.push(message),
    onSubscribed: () => (subscribed += 1),
  });
  const claimed = async () => (await new VisitClaims(redis).claim('ffffffff', [newEventId()]))[0];
  try {
    expect(await waitForRedis(redis, 30_000)).toBe(true);
    await waitUntil(() => subscribed === 1, { describe: 'the subscription' });
    expect([await claimed(), await sentinel.master.client.dbsize()]).toEqual(['claimed', 1]);
    await sentinel.master.kill();
    expect(await claimed()).toBe('unknown');
    const isBack = async () => (await claimed()) === 'claimed';
    await waitUntil(isBack, { timeoutMs: 60_000, everyMs: 100, describe: 'the promoted one is used' });
    expect(await sentinel.replica.client.dbsize()).toBeGreaterThan(0);
    await waitUntil(() => subscribed === 2, { timeoutMs: 60_000, describe: 'the subscription at the promoted one' });
    await redis.publish('news', 'again');
    await waitUntil(() => heard.length === 1, { describe: 'the message' });
  } finally {
    subscription.close();
    redis.disconnect();
  }
});
