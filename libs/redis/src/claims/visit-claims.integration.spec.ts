import { randomUUID } from 'node:crypto';

import { createLogger, Registry } from '@hopcount/runtime';
import { newEventId, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { createRedis, isRedisAvailable, type RedisClient, waitForRedis } from '../client/create-redis.js';
import { createRedisMetrics } from '../redis.metrics.js';
import { CLAIM_TTL_MS, VisitClaims } from './visit-claims.js';

const logger = createLogger({ name: 'test', level: 'silent' });
const COMMAND_TIMEOUT_MS = 300;
const LEDGER = randomUUID();

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

  const claimsOf = () => new VisitClaims(redis);
  const ids = (count: number) => Array.from({ length: count }, () => newEventId());
  const wantedOf = (count: number, outcome: string) => new Array<string>(count).fill(outcome);

  it('answers every id of a batch in its place, whoever claimed or marked it', async () => {
    const other = claimsOf();
    const batch = ids(200);
    await other.claim(LEDGER, batch.slice(0, 50));
    await other.markDone(LEDGER, batch.slice(50, 100));
    const wanted = [...wantedOf(50, 'claimed'), ...wantedOf(50, 'done'), ...wantedOf(100, 'claimed')];
    expect(await claimsOf().claim(LEDGER, batch)).toEqual(wanted);
    expect(await claimsOf().claim(LEDGER, [])).toEqual([]);
  });

  it('keeps a mark when the visit is claimed again', async () => {
    const [id = ''] = ids(1);
    await claimsOf().markDone(LEDGER, [id]);
    await claimsOf().claim(LEDGER, [id]);
    expect(await claimsOf().claim(LEDGER, [id])).toEqual(['done']);
  });

  it('believes no mark of another ledger incarnation', async () => {
    const claims = claimsOf();
    const batch = ids(20);
    await claims.markDone(LEDGER, batch);
    expect(new Set(await claims.claim(LEDGER, batch))).toEqual(new Set(['done']));
    expect(new Set(await claims.claim(randomUUID(), batch))).toEqual(new Set(['claimed']));
  });

  it('leaves nothing in Redis for ever', async () => {
    const claims = claimsOf();
    await claims.claim(LEDGER, ids(40));
    await claims.markDone(LEDGER, ids(40));
    const keys = await server.client.keys('*');
    expect(keys).toHaveLength(80);
    for (const key of keys) {
      const ttlMs = await server.client.pttl(key);
      expect(ttlMs).toBeGreaterThan(0);
      expect(ttlMs).toBeLessThanOrEqual(CLAIM_TTL_MS);
    }
  });

  it('takes at most 256 MB at 10,000 visits/s for as long as a mark lives', async () => {
    // An eighth of those 1.2 million: a power of two, so Redis's hash tables are filled in the same proportion.
    const eighth = (10_000 * (CLAIM_TTL_MS / 1_000)) / 8;
    const claims = claimsOf();
    const used = async () => Number(/used_memory:(\d+)/.exec(await server.client.info('memory'))?.[1]);
    const before = await used();
    for (let made = 0; made < eighth; made += 5_000) {
      const batch = ids(5_000);
      // On a busy machine Redis may answer a script too late to be believed: what is measured must be there.
      const isClaimed = async () => !(await claims.claim(LEDGER, batch)).includes('unknown');
      await waitUntil(isClaimed, { describe: 'all of a batch claimed' });
      await claims.markDone(LEDGER, batch);
    }
    expect(await server.client.dbsize()).toBe(eighth);
    const bytes = 8 * ((await used()) - before);
    // Redis lets up to a tenth of its keys outlive their time before it looks for them harder.
    expect(1.1 * bytes).toBeLessThan(256 * 1024 * 1024);
  });

  it('goes on without a stopped Redis at once, and with it again after', async () => {
    const claims = claimsOf();
    const batch = ids(10);
    await server.stop();
    expect(new Set(await claims.claim(LEDGER, batch))).toEqual(new Set(['unknown']));
    await claims.markDone(LEDGER, batch);
    expect(await registry.metrics()).not.toContain('reason="timeout"');
    expect(isRedisAvailable(redis)).toBe(false);
    await server.start();
    await waitUntil(() => isRedisAvailable(redis), { describe: 'the client to come back' });
    expect(new Set(await claims.claim(LEDGER, batch))).toEqual(new Set(['claimed']));
  });

  it('waits one command timeout for a hanging Redis, not one per batch', async () => {
    const claims = claimsOf();
    server.freeze();
    try {
      for (let batch = 0; batch < 20; batch += 1) {
        expect(new Set(await claims.claim(LEDGER, ids(10)))).toEqual(new Set(['unknown']));
      }
    } finally {
      server.thaw();
    }
    await waitUntil(async () => (await claims.claim(LEDGER, ids(1)))[0] === 'claimed', {
      describe: 'claims to work again',
    });
    const metrics = await registry.metrics();
    // Only the scripts of the first batch, at most one a visit, waited for an answer.
    const [, timeouts] =
      /hopcount_redis_failures_total\{operation="claim",reason="timeout"\} (\d+)/.exec(metrics) ?? [];
    expect(Number(timeouts)).toBeLessThanOrEqual(10);
    expect(metrics).toMatch(/hopcount_redis_skipped_total\{operation="claim"\} [1-9]/);
    expect(metrics).toMatch(/hopcount_redis_visit_claims_total\{outcome="unknown"\} [1-9]/);
  });

  it('loads its scripts again after SCRIPT FLUSH', async () => {
    const claims = claimsOf();
    const batch = ids(10);
    await claims.claim(LEDGER, batch);
    await server.client.script('FLUSH');
    expect(new Set(await claims.claim(LEDGER, batch))).toEqual(new Set(['claimed']));
  });

  it('takes an error reply for "unknown" and stays connected', async () => {
    const claims = claimsOf();
    const [id = ''] = ids(1);
    await claims.claim(LEDGER, [id]);
    await server.client.config('SET', 'maxmemory', '1');
    try {
      expect(await claims.claim(LEDGER, ids(1))).toEqual(['unknown']);
      expect(isRedisAvailable(redis)).toBe(true);
    } finally {
      await server.client.config('SET', 'maxmemory', '0');
    }
    expect(await claims.claim(LEDGER, [id])).toEqual(['claimed']);
  });
});
