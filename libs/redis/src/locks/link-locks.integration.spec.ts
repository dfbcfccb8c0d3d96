import { setTimeout as sleep } from 'node:timers/promises';

import { createLogger, isAppError, Registry } from '@hopcount/runtime';
import { testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createRedis, isRedisAvailable, type RedisClient, waitForRedis } from '../client/create-redis.js';
import { createRedisMetrics } from '../redis.metrics.js';
import { LinkLocks } from './link-locks.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const NOW = { waitMs: 0, leaseMs: 10_000 };
const SOON = { waitMs: 10_000, leaseMs: 10_000 };

describe('LinkLocks', () => {
  let server: TestRedis;
  let clients: RedisClient[];
  let registry: Registry;

  beforeAll(async () => {
    server = await testRedis();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await server.client.flushall();
    clients = [];
    registry = new Registry();
  });
  afterEach(() => clients.forEach((client) => client.disconnect()));

  async function locksOf(owner: string): Promise<LinkLocks> {
    const metrics = clients.length === 0 ? createRedisMetrics(registry) : undefined;
    const redis = createRedis({ url: server.url, name: owner, logger, commandTimeoutMs: 300, metrics });
    clients.push(redis);
    expect(await waitForRedis(redis, 5_000)).toBe(true);
    return new LinkLocks(redis, { owner });
  }

  it('lets readers share, and a writer of other links pass', async () => {
    const locks = await locksOf('a');
    const first = await locks.acquireRead(['1', '2', '2'], NOW);
    const second = await locks.acquireRead(['2', '3'], NOW);
    expect([first.held, second.held]).toEqual([true, true]);
    const writer = await locks.acquireWrite(['4', '11', '22'], NOW);
    expect(await writer.release()).toBe(true);
    expect(await first.release()).toBe(true);
    expect(await second.release()).toBe(true);
  });

  it('never takes a part of an id for the id', async () => {
    const locks = await locksOf('a');
    await locks.acquireRead(['12', '21', '313'], NOW);
    for (const links of [['1'], ['2'], ['13'], ['3', '31']]) {
      expect(await (await locks.acquireWrite(links, NOW)).release()).toBe(true);
    }
  });

  it('keeps a writer out while one of its links is read, and readers while it writes', async () => {
    const [a, b] = [await locksOf('a'), await locksOf('b')];
    const many = Array.from({ length: 2_000 }, (_, index) => String(10_000 + index));
    const reader = await a.acquireRead(many, NOW);
    await expect(b.acquireWrite(['5', '11999'], NOW)).rejects.toMatchObject({ code: 'lock-timeout', retryable: true });
    await reader.release();
    const writer = await b.acquireWrite(['5', '11999'], NOW);
    expect((await a.acquireRead(many, NOW)).held).toBe(false);
    await expect(a.acquireWrite(['11999'], NOW)).rejects.toMatchObject({ code: 'lock-timeout' });
    await writer.release();
    expect((await a.acquireRead(many, NOW)).held).toBe(true);
  });

  it('prefers a writer that waits, and lets readers in again when it gives up', async () => {
    const [a, b] = [await locksOf('a'), await locksOf('b')];
    const reader = await a.acquireRead(['1'], NOW);
    const writing = b.acquireWrite(['1'], SOON);
    await waitUntil(() => server.client.zcard('{link-locks}:writers'), { describe: 'the writer to register' });
    expect((await a.acquireRead(['1'], NOW)).held).toBe(false);
    await reader.release();
    await (await writing).release();

    const again = await a.acquireRead(['1'], NOW);
    await expect(b.acquireWrite(['1'], { waitMs: 30, leaseMs: 10_000 })).rejects.toMatchObject({
      code: 'lock-timeout',
    });
    const next = await a.acquireRead(['1'], NOW);
    expect(next.held).toBe(true);
    await Promise.all([again.release(), next.release()]);
  });

  it('gets a writer in under continuous overlapping readers', async () => {
    const [a, b, c] = [await locksOf('a'), await locksOf('b'), await locksOf('c')];
    let stop = false;
    const readOn = async (locks: LinkLocks, offsetMs: number) => {
      await sleep(offsetMs);
      while (!stop) {
        const lease = await locks.acquireRead(['1', '2'], SOON);
        await sleep(20);
        await lease.release();
      }
    };
    const readers = [readOn(a, 0), readOn(a, 7), readOn(b, 3), readOn(b, 13)];
    await sleep(50);
    for (let round = 0; round < 3; round += 1) {
      const writer = await c.acquireWrite(['2'], SOON);
      await writer.release();
    }
    stop = true;
    await Promise.all(readers);
  });

  it('frees what a dead holder left when its lease runs out', async () => {
    const [dead, alive] = [await locksOf('dead'), await locksOf('alive')];
    await dead.acquireRead(['1'], { waitMs: 0, leaseMs: 150 });
    clients[0]?.disconnect();
    const writer = await alive.acquireWrite(['1'], SOON);
    expect(await writer.release()).toBe(true);
    expect(await server.client.hlen('{link-locks}:links')).toBe(0);
  });

  it('renews the lease of a long holder', async () => {
    const [a, b] = [await locksOf('a'), await locksOf('b')];
    const reader = await a.acquireRead(['1'], { waitMs: 0, leaseMs: 1_000 });
    await sleep(2_000);
    await expect(b.acquireWrite(['1'], NOW)).rejects.toMatchObject({ code: 'lock-timeout' });
    expect(reader.signal.aborted).toBe(false);
    expect(await reader.release()).toBe(true);
  });

  it('tells holders that FLUSHALL took their lock', async () => {
    const [a, b] = [await locksOf('a'), await locksOf('b')];
    const reader = await a.acquireRead(['1'], { waitMs: 0, leaseMs: 300 });
    const writer = await b.acquireWrite(['2'], { waitMs: 0, leaseMs: 300 });
    await server.client.flushall();
    await waitUntil(() => reader.signal.aborted && writer.signal.aborted, {
      describe: 'both signals',
      timeoutMs: 1_000,
    });
    expect(isAppError(reader.signal.reason, 'lock-lost')).toBe(true);
    expect(await reader.release()).toBe(false);
    expect(await writer.release()).toBe(false);
    expect(await registry.metrics()).toMatch(/hopcount_redis_leases_lost_total\{kind="read"\} 1/);
    expect((await a.acquireRead(['2'], NOW)).held).toBe(true);
  });

  it('says at release that the lock was gone, even before the signal', async () => {
    const locks = await locksOf('a');
    const writer = await locks.acquireWrite(['1'], NOW);
    await server.client.flushall();
    expect(await writer.release()).toBe(false);
    expect(await writer.release()).toBe(false);
  });

  it('works without a stopped Redis: readers at once, writers with an error, holders warned', async () => {
    const locks = await locksOf('a');
    const held = await locks.acquireRead(['1'], { waitMs: 0, leaseMs: 400 });
    await server.kill();
    const startedAt = performance.now();
    const reader = await locks.acquireRead(['1'], SOON);
    expect(reader.held).toBe(false);
    expect(await reader.release()).toBe(false);
    await expect(locks.acquireWrite(['1'], SOON)).rejects.toMatchObject({ code: 'lock-unavailable' });
    expect(performance.now() - startedAt).toBeLessThan(SOON.waitMs); // nobody waits for it
    await waitUntil(() => held.signal.aborted, { describe: 'the lease to be given up' });
    await server.start();
    await waitUntil(() => clients[0] !== undefined && isRedisAvailable(clients[0]), { describe: 'Redis to be back' });
    expect((await locks.acquireRead(['1'], NOW)).held).toBe(true);
  });

  it('is one slot of a cluster, and nothing in it lives for ever', async () => {
    const locks = await locksOf('a');
    await locks.acquireRead(['1'], NOW);
    await locks.acquireWrite(['2'], NOW);
    const keys = await server.client.keys('*');
    expect(keys).toHaveLength(3);
    for (const key of keys) {
      expect(key.startsWith('{link-locks}:')).toBe(true);
      expect(await server.client.pttl(key)).toBeGreaterThan(0);
    }
  });
});
