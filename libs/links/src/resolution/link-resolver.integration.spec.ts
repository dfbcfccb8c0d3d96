import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';

import { LinkChangeSubscription, LinkInvalidations } from './link-invalidations.js';
import { LinkRedis } from './link-redis.js';
import { LinkResolver } from './link-resolver.js';

const DOMAIN = 'short.test';
const logger = createLogger({ name: 'test', level: 'silent' });

describe('LinkResolver', () => {
  let testDb: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let resolver: LinkResolver;
  let subscription: LinkChangeSubscription;
  let invalidations: LinkInvalidations;
  let nextId = 7_400_000_000_000_000_000n;

  beforeAll(async () => {
    [testDb, server] = await Promise.all([testDatabase(), testRedis()]);
    await testDb.query('INSERT INTO domains (authority, is_default) VALUES ($1, true)', [DOMAIN]);
  });

  beforeEach(async () => {
    await server.client.flushall();
    database = await Database.connect({ url: testDb.url, applicationName: 'resolver-test', poolSize: 4 });
    redis = createRedis({ url: server.url, name: 'test', logger, commandTimeoutMs: 200 });
    await waitForRedis(redis, 5_000);
    resolver = await startResolver();
    let subscribed = false;
    subscription = new LinkChangeSubscription(
      { url: server.url, name: 'changes', logger },
      {
        onChange: (change) => resolver.onChange(change),
        onSubscribed: () => {
          subscribed = true;
          resolver.onSubscribed();
        },
      },
    );
    await waitUntil(() => subscribed, { describe: 'the subscription' });
    invalidations = new LinkInvalidations(redis, logger);
  });

  afterEach(async () => {
    resolver.stop();
    subscription.close();
    invalidations.close();
    redis.disconnect();
    await database.close();
  });

  afterAll(async () => {
    await server?.close();
    await testDb?.drop();
  });

  async function startResolver(more: object = {}): Promise<LinkResolver> {
    const started = new LinkResolver(database, redis, logger, {
      defaultDomain: DOMAIN,
      databaseTimeoutMs: 500,
      ...more,
    });
    await started.start();
    return started;
  }
  const insert = async (code: string, longUrl = 'https://example.com/1', domain = DOMAIN) => {
    const id = String((nextId += 1n));
    await testDb.query('INSERT INTO domains (authority) VALUES ($1) ON CONFLICT DO NOTHING', [domain]);
    await testDb.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT $1, id, $3, $4 FROM domains WHERE authority = $2`,
      [id, domain, code, longUrl],
    );
    return id;
  };
  const edit = (code: string, longUrl: string) =>
    testDb.query('UPDATE links SET long_url = $2, version = version + 1 WHERE code = $1', [code, longUrl]);
  const urlOf = async (code: string, host = DOMAIN, from = resolver) => {
    const resolution = await from.resolve(host, code);
    return resolution.outcome === 'found' ? resolution.link.longUrl : undefined;
  };

  it('asks PostgreSQL once, then Redis, then nobody', async () => {
    await insert('once');
    await Promise.all(Array.from({ length: 20 }, () => urlOf('once')));
    expect(resolver.answers.database).toBe(1);
    expect(await urlOf('once')).toBe('https://example.com/1');
    expect(resolver.answers.memory).toBe(1);
    await waitUntil(async () => (await server.client.keys('hc:link:*')).length === 1, { describe: 'the Redis copy' });
    expect(await server.client.ttl((await server.client.keys('hc:link:*'))[0]!)).toBeGreaterThan(6 * 24 * 3_600);
    const other = await startResolver();
    expect(await urlOf('once', DOMAIN, other)).toBe('https://example.com/1');
    expect(other.answers).toMatchObject({ redis: 1, database: 0 });
    other.stop();
  });

  it('redirects a fresh link at once, though its code was missed a moment ago', async () => {
    expect(await urlOf('fresh')).toBeUndefined();
    await insert('fresh');
    await invalidations.publish({ domain: DOMAIN, code: 'fresh', version: '1' });
    await waitUntil(async () => (await urlOf('fresh')) !== undefined, { timeoutMs: 1_000, describe: 'the new link' });
  });

  it('learns of a new domain from its first link', async () => {
    await insert('new', 'https://example.com/new', 'new.test');
    expect(await urlOf('new', 'new.test')).toBeUndefined();
    await invalidations.publish({ domain: 'new.test', code: 'new', version: '1' });
    await waitUntil(async () => (await urlOf('new', 'new.test')) !== undefined, {
      timeoutMs: 1_000,
      describe: 'the link on its own domain',
    });
  });

  it('drops an edited link everywhere within a second', async () => {
    await insert('edited');
    expect(await urlOf('edited')).toBe('https://example.com/1');
    await edit('edited', 'https://example.com/2');
    await invalidations.publish({ domain: DOMAIN, code: 'edited', version: '2' });
    await waitUntil(async () => (await urlOf('edited')) === 'https://example.com/2', {
      timeoutMs: 1_000,
      describe: 'the edit',
    });
  });

  it('falls back to the default domain for unknown hosts only', async () => {
    await insert('fallback');
    await insert('other', 'https://example.com/other', 'other.test');
    await resolver.start();
    expect(await urlOf('fallback', 'never-heard.test')).toBe('https://example.com/1');
    expect(await urlOf('fallback', 'other.test')).toBeUndefined();
    expect(await urlOf('other', 'other.test')).toBe('https://example.com/other');
  });

  it('never lets an older version replace a newer one in Redis', async () => {
    const cache = new LinkRedis(redis);
    const link = (version: string, id = '9007199254740993') => ({
      ...{ id, domain: DOMAIN, code: 'v', longUrl: `https://example.com/${version}`, groupId: null, version },
    });
    await cache.store(link('10'));
    await cache.store(link('9'));
    expect((await cache.find(DOMAIN, 'v'))?.version).toBe('10');
    await cache.store(link('1', '9007199254740992')); // an older link of that code
    expect((await cache.find(DOMAIN, 'v'))?.version).toBe('10');
    await cache.invalidate(DOMAIN, 'v', '11');
    await cache.store(link('10')); // read before the change, written after it
    expect(await cache.find(DOMAIN, 'v')).toBeUndefined();
    await cache.store(link('11'));
    expect(await cache.find(DOMAIN, 'v')).toEqual(link('11'));
    await cache.invalidate(DOMAIN, 'v', '11'); // a late message about what is there already
    expect(await cache.find(DOMAIN, 'v')).toEqual(link('11'));
    await cache.invalidate(DOMAIN, 'v', undefined);
    expect(await cache.find(DOMAIN, 'v')).toBeUndefined();
  });

  it('does not keep what a lookup read before the link changed', async () => {
    await insert('race');
    const under = resolver.resolve(DOMAIN, 'race');
    resolver.onChange({ domain: DOMAIN, code: 'race' });
    await under;
    expect(resolver.peek(DOMAIN, 'race')).toBeUndefined();
  });

  it('goes on without Redis, frozen or gone', async () => {
    await insert('noredis');
    server.freeze();
    expect(await urlOf('noredis')).toBe('https://example.com/1');
    server.thaw();
    await server.kill();
    await insert('noredis2');
    expect(await urlOf('noredis2')).toBe('https://example.com/1');
    await server.start();
  });

  it('announces a change made while Redis was away', async () => {
    await insert('away');
    await urlOf('away');
    await server.kill();
    await edit('away', 'https://example.com/2');
    await invalidations.publish({ domain: DOMAIN, code: 'away', version: '2' });
    await server.start();
    await server.client.hset(`hc:link:{${DOMAIN}/away}`, {
      id: '1',
      domain: DOMAIN,
      code: 'away',
      url: 'x',
      version: '1',
    });
    await waitUntil(async () => (await urlOf('away')) === 'https://example.com/2', { describe: 'the late change' });
  });

  it('serves known links while PostgreSQL is away, and says so for others', async () => {
    let now = 1_000;
    const old = await startResolver({ nowMs: () => now, ttlMs: 100 });
    await insert('known');
    expect(await urlOf('known', DOMAIN, old)).toBe('https://example.com/1');
    await server.client.flushall();
    await database.close();
    now += 200;
    expect(await urlOf('known', DOMAIN, old)).toBe('https://example.com/1');
    expect(old.answers.stale).toBe(1);
    expect(old.peek(DOMAIN, 'known')).toBeDefined(); // for a moment nobody waits again
    await expect(old.resolve(DOMAIN, 'unheard')).rejects.toMatchObject({ code: 'link-lookup-failed', retryable: true });
    old.stop();
  });
});
