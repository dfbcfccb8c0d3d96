import { createLogger, isAppError } from '@hopcount/runtime';
import { testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createRedis, isRedisAvailable, type RedisClient, waitForRedis } from '../client/create-redis.js';
import { JobLock } from './job-lock.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const lease = { leaseMs: 5_000 };
const untilAborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));

describe('JobLock', () => {
  let server: TestRedis;
  let clients: RedisClient[];
  let first: JobLock;
  let second: JobLock;

  beforeAll(async () => {
    server = await testRedis();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await server.client.flushall();
    clients = ['a', 'b'].map((name) => createRedis({ url: server.url, name, logger, commandTimeoutMs: 300 }));
    for (const client of clients) expect(await waitForRedis(client, 5_000)).toBe(true);
    [first, second] = clients.map((client) => new JobLock(client)) as [JobLock, JobLock];
  });
  afterEach(() => clients.forEach((client) => client.disconnect()));

  it('lets one holder run and tells the other it is busy', async () => {
    const outcome = await first.runExclusive('fold', lease, async () => {
      expect(await second.runExclusive('fold', lease, () => Promise.resolve('never'))).toEqual({ outcome: 'busy' });
      expect(await second.runExclusive('other', lease, () => Promise.resolve(2))).toEqual({ outcome: 'ran', value: 2 });
      return 1;
    });
    expect(outcome).toEqual({ outcome: 'ran', value: 1 });
    expect(await second.runExclusive('fold', lease, () => Promise.resolve(3))).toEqual({ outcome: 'ran', value: 3 });
  });

  it('never runs two at once under a storm', async () => {
    let inside = 0;
    let most = 0;
    let ran = 0;
    const attempt = async (job: JobLock) => {
      const outcome = await job.runExclusive('fold', lease, async () => {
        most = Math.max(most, (inside += 1));
        await server.client.ping();
        inside -= 1;
      });
      if (outcome.outcome === 'ran') ran += 1;
    };
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 6 }, (_, index) => attempt(index % 2 === 0 ? first : second)));
    }
    expect(most).toBe(1);
    expect(ran).toBeGreaterThanOrEqual(20);
  });

  it('throws what the work throws and is free again', async () => {
    await expect(first.runExclusive('fold', lease, () => Promise.reject(new Error('boom')))).rejects.toThrow('boom');
    expect((await second.runExclusive('fold', lease, () => Promise.resolve(1))).outcome).toBe('ran');
  });

  it('extends the lease of work that lasts longer than it', async () => {
    const outcome = await first.runExclusive('fold', { leaseMs: 3_000 }, async (signal) => {
      for (let extensions = 0; extensions < 4; extensions += 1) {
        let leftMs = Number.POSITIVE_INFINITY;
        const isExtended = async () => leftMs < (leftMs = await server.client.pttl('job-lock:{fold}'));
        await waitUntil(isExtended, { describe: 'an extension' });
      }
      expect((await second.runExclusive('fold', lease, () => Promise.resolve(1))).outcome).toBe('busy');
      return signal.aborted;
    });
    expect(outcome).toEqual({ outcome: 'ran', value: false });
  });

  it('aborts the work when the lock is flushed away', async () => {
    const outcome = await first.runExclusive('fold', { leaseMs: 300 }, async (signal) => {
      await server.client.flushall();
      return isAppError(await untilAborted(signal), 'lock-lost');
    });
    expect(outcome).toEqual({ outcome: 'ran', value: true });
  });

  it('is unavailable, not busy, without Redis, and aborts work that outlives its lease', async () => {
    const outcome = await first.runExclusive('fold', { leaseMs: 300 }, async (signal) => {
      await server.kill();
      expect(await second.runExclusive('fold', lease, () => Promise.resolve(1))).toEqual({ outcome: 'unavailable' });
      return isAppError(await untilAborted(signal), 'lock-lost');
    });
    expect(outcome).toEqual({ outcome: 'ran', value: true });
    await server.start();
    await waitUntil(() => clients.every(isRedisAvailable), { describe: 'both clients to come back' });
    expect((await first.runExclusive('fold', lease, () => Promise.resolve(1))).outcome).toBe('ran');
  });

  it('is unavailable, not busy, when Redis hangs', async () => {
    server.freeze();
    try {
      expect(await first.runExclusive('fold', lease, () => Promise.resolve(1))).toEqual({ outcome: 'unavailable' });
    } finally {
      server.thaw();
    }
  });
});
