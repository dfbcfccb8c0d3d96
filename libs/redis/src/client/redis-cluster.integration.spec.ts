import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

import { createLogger } from '@hopcount/runtime';
import { newEventId, testRedisCluster, type TestRedisCluster, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Cluster } from 'ioredis';

import { TokenBuckets } from '../buckets/token-buckets.js';
import { type ClaimOutcome, VisitClaims } from '../claims/visit-claims.js';
import { BloomFilters } from '../filters/bloom-filters.js';
import { JobLock } from '../locks/job-lock.js';
import { LinkLocks } from '../locks/link-locks.js';
import {
  availabilityOf,
  createRedis,
  isRedisAvailable,
  type RedisClient,
  SLOTS_EVERY_MS,
  waitForRedis,
} from './create-redis.js';
import { findUnevenNode, readNodeLoads } from './node-load.js';
import { nodeOf } from './nodes.js';
import { RedisSubscription } from './redis-subscription.js';

const CONNECT_MS = 30_000;
const INCARNATION = 'ffffffff';

describe('a Redis Cluster', () => {
  let cluster: TestRedisCluster;
  let redis: RedisClient;
  const logger = createLogger({ name: 'test', level: 'silent' });

  beforeAll(async () => {
    cluster = await testRedisCluster();
    redis = createRedis({ url: cluster.url, name: 'spec', logger });
    expect(await waitForRedis(redis, CONNECT_MS)).toBe(true);
    const isConnected = async () => (await outcomesOf(someIds()))['unknown'] === undefined;
    await waitUntil(isConnected, { everyMs: 100, describe: 'connections to all masters' });
  });
  afterAll(async () => {
    redis?.disconnect();
    await cluster?.close();
  });

  const outcomesOf = async (ids: readonly string[]) => {
    const outcomes = await new VisitClaims(redis).claim(INCARNATION, ids);
    const counts: Partial<Record<ClaimOutcome, number>> = {};
    for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return counts;
  };
  const someIds = (count = 500) => Array.from({ length: count }, newEventId);

  it('has claims and their marks on all nodes', async () => {
    const ids = someIds();
    expect(await outcomesOf(ids)).toEqual({ claimed: 500 });
    await new VisitClaims(redis).markDone(INCARNATION, ids);
    expect(await outcomesOf(ids)).toEqual({ done: 500 });
    expect([...(await cluster.keysByMaster()).values()].every((keys) => keys > 0)).toBe(true);
  });

  it('has locks, jobs, buckets and filters', async () => {
    const locks = new LinkLocks(redis, { owner: 'spec' });
    const lease = await locks.acquireRead(['1', '2', '3'], { waitMs: 1_000, leaseMs: 5_000 });
    expect(lease.held).toBe(true);
    await lease.release();
    const jobs = new JobLock(redis);
    const inner = () => jobs.runExclusive('one', { leaseMs: 5_000 }, () => Promise.resolve('inner'));
    expect(await jobs.runExclusive('one', { leaseMs: 5_000 }, inner)).toEqual({
      ...{ outcome: 'ran', value: { outcome: 'busy' } },
    });
    expect(await inner()).toEqual({ outcome: 'ran', value: 'inner' });
    const filters = new BloomFilters(redis);
    // Two shards: 2^25 bits are 2.3 million entries.
    const filter = (await filters.make(3_000_000))!;
    expect(filter.shards).toBe(2);
    expect(await filters.add(filter, ['a', 'b', 'c', 'd'])).toBe(true);
    expect(await filters.lacks(filter, ['a', 'b', 'c', 'd', 'e'])).toEqual([false, false, false, false, true]);
    await filters.drop(filter);
  });

  it('has subscriptions that outlive the node they are at, and say so', async () => {
    const heard: string[] = [];
    let subscribed = 0;
    const subscription = new RedisSubscription({ url: cluster.url, name: 'ears', logger }, 'news', {
      onMessage: (message) => heard.push(message),
      onSubscribed: () => (subscribed += 1),
    });
    try {
      await waitUntil(() => subscribed === 1, { describe: 'the subscription' });
      await redis.publish('news', 'first');
      await waitUntil(() => heard.length === 1, { describe: 'the message' });
      await Promise.all(
        cluster.client.nodes('all').map((node) => node.client('KILL', 'TYPE', 'pubsub').catch(() => undefined)),
      );
      await waitUntil(() => subscribed === 2, { timeoutMs: 30_000, describe: 'the next subscription' });
      await redis.publish('news', 'second');
      await waitUntil(() => heard.length === 2, { describe: 'the next message' });
    } finally {
      subscription.close();
    }
  });

  it('is not asked again by a client that was closed while it asked where the slots are', async () => {
    const client = createRedis({ url: cluster.url, name: 'spec', logger }) as Cluster;
    const refresh = client.refreshSlotsCache.bind(client);
    expect(await waitForRedis(client, CONNECT_MS)).toBe(true);
    let asked = 0;
    client.refreshSlotsCache = (callback) => {
      asked += 1;
      refresh(callback);
      client.disconnect();
    };
    await waitUntil(() => asked === 1, { describe: 'the client to ask' });
    await sleep(2 * SLOTS_EVERY_MS + 500);
    expect(asked).toBe(1);
  });

  it('one node of which is named as if it were a server is not used, and says why', async () => {
    const single = createRedis({ url: cluster.nodeUrl(), name: 'spec', logger });
    try {
      await waitUntil(() => availabilityOf(single).refusal !== undefined, { describe: 'the refusal' });
      expect(isRedisAvailable(single)).toBe(false);
      expect(await availabilityOf(single).ask('spec', () => single.get('x'))).toBeUndefined();
      expect(availabilityOf(single).refusal).toContain('redis+cluster://');
    } finally {
      single.disconnect();
    }
  });

  it('one master of which is silent costs its own keys alone, until its replica has them', async () => {
    const ids = someIds();
    const dead = await cluster.masterOf('v{0}');
    cluster.freeze(dead);
    try {
      await outcomesOf(ids);
      // Its breaker is open by now: the others answer at once, this one is not asked.
      const { unknown = 0, claimed = 0 } = await outcomesOf(ids);
      expect([unknown > 0, claimed > 0, unknown + claimed]).toEqual([true, true, ids.length]);
      expect(isRedisAvailable(redis)).toBe(true);
      const isPromoted = async () => (await outcomesOf(ids))['claimed'] === ids.length;
      await waitUntil(isPromoted, { timeoutMs: 60_000, everyMs: 100, describe: 'all keys are served again' });
      expect(await cluster.masterOf('v{0}')).not.toBe(dead);
    } finally {
      cluster.thaw(dead);
    }
  });

  it('limits go on by buckets of one tag', async () => {
    const buckets = new TokenBuckets(redis);
    const sizes = { burst: 2, perSecond: 0.001, tokens: 1 };
    const take = () => buckets.take(['minute', 'day'].map((name) => ({ ...sizes, key: `{someone}:${name}` })));
    const answers = [await take(), await take(), await take()];
    expect(answers.map((answer) => answer?.isAdmitted)).toEqual([true, true, false]);
  });

  it('one node of which has most keys is named with its fullest slots, and the command that is said evens it out', async () => {
    // A master that was replaced counts as one without slots until it follows the one that replaced it.
    await waitUntil(async () => (await readNodeLoads(redis)).length === 3, { describe: 'three masters' });
    await cluster.onMasters((master) => master.flushall());
    expect(await findUnevenNode(redis)).toBeUndefined();
    const full = nodeOf(redis, 'a');
    const names = Array.from({ length: 12_000 }, (_, nth) => `key-${nth}`);
    // Of the other nodes every fourth.
    const kept = names.filter((name, nth) => nodeOf(redis, name) === full || nth % 4 === 0);
    await Promise.all(
      [...kept, ...Array.from({ length: 50 }, (_, nth) => `{a}-${nth}`)].map((name) => redis.set(name, 1)),
    );
    const uneven = await findUnevenNode(redis);
    expect(uneven).toMatchObject({ node: full, ratio: expect.closeTo(2, 0) });
    expect(uneven?.fullest[0]).toEqual({ slot: expect.any(Number), keys: expect.any(Number) });
    expect(uneven!.fullest[0]!.keys).toBeGreaterThanOrEqual(50);
    const [program = '', ...args] = uneven!.command.split(' ');
    const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Moving')]);
    await waitUntil(async () => (await findUnevenNode(redis)) === undefined, {
      ...{ timeoutMs: 20_000, everyMs: 500, describe: 'keys to be even' },
    });
  }, 60_000);
});
