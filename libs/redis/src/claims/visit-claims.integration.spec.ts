import { createLogger, Registry } from '@hopcount/runtime';
import { newEventId, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createRedis, isRedisAvailable, type RedisClient, waitForRedis } from '../client/create-redis.js';
import { createRedisMetrics } from '../redis.metrics.js';
import { VisitClaims } from './visit-claims.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const COMMAND_TIMEOUT_MS = 300;

describe('VisitClaims', () => {
  let server: TestRedis;
  let redis: RedisClient;
  let registry: Registry;

  beforeAll(async () => {
    server = await testRedis();
  });
  afterAll(() => server.close());

  beforeEach(async () => {
    await server.client.flushall();
    registry = new Registry();
    redis = createRedis({
      url: server.url,
      name: 'claims',
      logger,
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      metrics: createRedisMetrics(registry),
    });
    expect(await waitForRedis(redis, 5_000)).toBe(true);
  });
  afterEach(() => redis.disconnect());

  const claimsOf = (owner: string, ttl: { claimTtlMs?: number; doneTtlMs?: number } = {}) =>
    new VisitClaims(redis, { owner, claimTtlMs: 30_000, doneTtlMs: 60_000, ...ttl });
  const ids = (count: number) => Array.from({ length: count }, () => newEventId());

  it('answers every id of a batch in its place', async () => {
    const mine = claimsOf('mine');
    const theirs = claimsOf('theirs');
    const batch = ids(200);
    await theirs.claim('1', batch.slice(0, 50));
    await theirs.markDone('1', batch.slice(50, 100));
    await mine.claim('1', batch.slice(100, 150));
    const outcomes = await mine.claim('1', batch);
    const wanted = [
      ...new Array<string>(50).fill('held'),
      ...new Array<string>(50).fill('done'),
      ...new Array<string>(100).fill('claimed'),
    ];
    expect(outcomes).toEqual(wanted);
    expect(await mine.claim('1', [])).toEqual([]);
  });

  it('knows an owner called done from a done mark', async () => {
    const [id = ''] = ids(1);
    await claimsOf('done').claim('1', [id]);
    expect(await claimsOf('other').claim('1', [id])).toEqual(['held']);
  });

  it('believes no mark of another ledger incarnation', async () => {
    const claims = claimsOf('mine');
    const batch = ids(20);
    await claims.markDone('1', batch);
    expect(new Set(await claims.claim('1', batch))).toEqual(new Set(['done']));
    expect(new Set(await claims.claim('2', batch))).toEqual(new Set(['claimed']));
  });

  it('leaves nothing in Redis for ever', async () => {
    const claims = claimsOf('mine', { claimTtlMs: 5_000, doneTtlMs: 9_000 });
    await claims.claim('1', ids(40));
    await claims.markDone('1', ids(40));
    const keys = await server.client.keys('*');
    expect(keys).toHaveLength(80);
    for (const key of keys) {
      const ttlMs = await server.client.pttl(key);
      expect(ttlMs).toBeGreaterThan(0);
      expect(ttlMs).toBeLessThanOrEqual((await server.client.get(key)) === 'done' ? 9_000 : 5_000);
    }
  });

  it('gives a claim back to others when it runs out', async () => {
    const batch = ids(5);
    await claimsOf('dead', { claimTtlMs: 60 }).claim('1', batch);
    const next = claimsOf('next');
    expect(await next.claim('1', batch)).toContain('held');
    await waitUntil(async () => (await next.claim('1', batch)).every((outcome) => outcome === 'claimed'), {
      describe: 'the claims of a dead owner to run out',
      timeoutMs: 2_000,
    });
  });

  it('releases its own claims and nothing else', async () => {
    const mine = claimsOf('mine');
    const theirs = claimsOf('theirs');
    const [own = '', other = '', done = ''] = ids(3);
    await mine.claim('1', [own]);
    await theirs.claim('1', [other]);
    await theirs.markDone('1', [done]);
    await mine.release('1', [own, other, done]);
    expect(await claimsOf('third').claim('1', [own, other, done])).toEqual(['claimed', 'held', 'done']);
  });

  it('keeps the keys of one script on one slot of a cluster', async () => {
    await claimsOf('mine').claim('7', ids(100));
    const tags = (await server.client.keys('*')).map((key) => /\{(.*)\}/.exec(key)?.[1]);
    expect(new Set(tags).size).toBeLessThanOrEqual(16);
    expect(tags.every((tag) => /^7:[0-9a-f]$/.test(tag ?? ''))).toBe(true);
  });

  it('goes on without a stopped Redis at once, and with it again after', async () => {
    const claims = claimsOf('mine');
    const batch = ids(10);
    await server.stop();
    const startedAt = performance.now();
    expect(new Set(await claims.claim('1', batch))).toEqual(new Set(['unknown']));
    await claims.markDone('1', batch);
    await claims.release('1', batch);
    expect(performance.now() - startedAt).toBeLessThan(COMMAND_TIMEOUT_MS);
    expect(isRedisAvailable(redis)).toBe(false);
    await server.start();
    await waitUntil(() => isRedisAvailable(redis), { describe: 'the client to come back' });
    expect(new Set(await claims.claim('1', batch))).toEqual(new Set(['claimed']));
  });

  it('waits one command timeout for a hanging Redis, not one per batch', async () => {
    const claims = claimsOf('mine');
    server.freeze();
    const startedAt = performance.now();
    try {
      for (let batch = 0; batch < 20; batch += 1) {
        expect(new Set(await claims.claim('1', ids(10)))).toEqual(new Set(['unknown']));
      }
      expect(performance.now() - startedAt).toBeLessThan(2 * COMMAND_TIMEOUT_MS);
    } finally {
      server.thaw();
    }
    await waitUntil(async () => (await claims.claim('1', ids(1)))[0] === 'claimed', {
      describe: 'claims to work again',
    });
    const metrics = await registry.metrics();
    expect(metrics).toMatch(/redis_failures_total\{operation="claim",reason="timeout"\} [1-9]/);
    expect(metrics).toMatch(/redis_skipped_total\{operation="claim"\} [1-9]/);
    expect(metrics).toMatch(/redis_visit_claims_total\{outcome="unknown"\} [1-9]/);
  });

  it('loads its scripts again after SCRIPT FLUSH', async () => {
    const claims = claimsOf('mine');
    const batch = ids(10);
    await claims.claim('1', batch);
    await server.client.script('FLUSH');
    expect(new Set(await claims.claim('1', batch))).toEqual(new Set(['claimed']));
  });

  it('takes an error reply for "unknown" and stays connected', async () => {
    const claims = claimsOf('mine');
    const [id = ''] = ids(1);
    await claims.claim('1', [id]);
    await server.client.config('SET', 'maxmemory', '1');
    try {
      expect(await claims.claim('1', ids(1))).toEqual(['unknown']);
      expect(isRedisAvailable(redis)).toBe(true);
    } finally {
      await server.client.config('SET', 'maxmemory', '0');
    }
    expect(await claims.claim('1', [id])).toEqual(['claimed']);
  });
});
