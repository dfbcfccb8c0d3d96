import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';

import { publishLinkChanges } from './link-changes.js';
import { LinkRedis } from './link-redis.js';
import { LinkResolver } from './link-resolver.js';
import { TestGateway } from './test-gateway.spec-helpers.js';

const DOMAIN = 'short.test';
const logger = createLogger({ name: 'test', level: 'silent' });

describe('LinkResolver', () => {
  let testDb: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let resolver: LinkResolver;
  let gateway: TestGateway;
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
    gateway = await TestGateway.start(database, server.url, { defaultDomain: DOMAIN, databaseTimeoutMs: 500 });
    ({ resolver } = gateway);
  });

  afterEach(async () => {
    gateway.close();
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
    await waitUntil(async () => (await server.client.keys('hc:link2:*')).length === 1, { describe: 'the Redis copy' });
    expect(await server.client.ttl((await server.client.keys('hc:link2:*'))[0]!)).toBeGreaterThan(6 * 24 * 3_600);
    const other = await startResolver();
    expect(await urlOf('once', DOMAIN, other)).toBe('https://example.com/1');
    expect(other.answers).toMatchObject({ redis: 1, database: 0 });
    other.stop();
  });

  it('redirects a fresh link at once, though its code was missed a moment ago', async () => {
    expect(await urlOf('fresh')).toBeUndefined();
    await insert('fresh');
    await publishLinkChanges(redis, [{ domain: DOMAIN, code: 'fresh' }]);
    await waitUntil(async () => (await urlOf('fresh')) !== undefined, { timeoutMs: 1_000, describe: 'the new link' });
  });

  it('learns of a new domain from its first link', async () => {
    await insert('new', 'https://example.com/new', 'new.test');
    expect(await urlOf('new', 'new.test')).toBeUndefined();
    await publishLinkChanges(redis, [{ domain: 'new.test', code: 'new' }]);
    await waitUntil(async () => (await urlOf('new', 'new.test')) !== undefined, {
      timeoutMs: 1_000,
      describe: 'the link on its own domain',
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

  it('never lets an older version replace a newer one in Redis, unless that has stood for a minute', async () => {
    const copies = new LinkRedis(redis);
    const key = { domain: DOMAIN, code: 'v' };
    const state = (version: string, longUrl: string | null = `https://example.com/${version}`) => ({
      ...{
        id: '9007199254740993',
        ...key,
        longUrl,
        groupId: null,
        policy: version === '9' ? null : `{"n":${version}}`,
        version,
      },
    });
    const found = async (incarnation = 'i1') => (await copies.find(incarnation, key))?.state;
    await copies.put('i1', state('10'));
    await copies.put('i1', state('9')); // read before the change, written after it
    expect(await found()).toEqual(state('10'));
    await copies.put('i1', state('11', null)); // deleted
    await copies.put('i1', state('10'));
    expect(await found()).toEqual(state('11', null));
    expect(await found('i2')).toBeUndefined();
    const copy = `hc:link2:i1:{${DOMAIN}/v}`;
    await server.client.pexpire(copy, (await server.client.pttl(copy)) - 61_000);
    expect((await copies.find('i1', key))?.ageMs).toBeGreaterThanOrEqual(61_000);
    await copies.put('i1', state('3')); // a restored database
    expect(await found()).toEqual(state('3'));
    await copies.drop('i1', key);
    expect(await found()).toBeUndefined();
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

  it('asks PostgreSQL about a copy in Redis that is older than the check period', async () => {
    await insert('aged');
    await urlOf('aged');
    await waitUntil(async () => (await server.client.keys('hc:link2:*')).length === 1, { describe: 'the Redis copy' });
    const copy = (await server.client.keys('hc:link2:*'))[0]!;
    await edit('aged', 'https://example.com/2');
    await server.client.pexpire(copy, (await server.client.pttl(copy)) - 60_000);
    const other = await startResolver();
    expect(await urlOf('aged', DOMAIN, other)).toBe('https://example.com/2');
    other.stop();
  });

  it('gathers look-ups, so that a thousand links cost PostgreSQL a few statements', async () => {
    await testDb.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT 7500000000000000000 + n, (SELECT id FROM domains WHERE authority = $1), 'many' || n, 'https://example.com/' || n
       FROM generate_series(1, 1000) AS n`,
      [DOMAIN],
    );
    let statements = 0;
    const counted = {
      query: <Row>(text: string, values?: unknown[]) => {
        statements += 1;
        return database.query<Row>(text, values);
      },
      execute: <Row>(text: string, values?: unknown[]) => database.execute<Row>(text, values),
    };
    const other = new LinkResolver(counted, redis, logger, { defaultDomain: DOMAIN });
    const urls = await Promise.all(Array.from({ length: 1_000 }, (_, n) => urlOf(`many${n + 1}`, DOMAIN, other)));
    expect(urls).toEqual(Array.from({ length: 1_000 }, (_, n) => `https://example.com/${n + 1}`));
    expect(statements).toBeLessThan(10);
    other.stop();
  });

  it('serves known links while PostgreSQL is away, and says so for others', async () => {
    let now = 1_000;
    const old = await startResolver({ nowMs: () => now, checkMs: 100 });
    await insert('known');
    expect(await urlOf('known', DOMAIN, old)).toBe('https://example.com/1');
    await waitUntil(async () => (await server.client.keys('hc:link2:*')).length > 0, { describe: 'the Redis copy' });
    await server.client.flushall();
    await database.close();
    now += 200;
    expect(await urlOf('known', DOMAIN, old)).toBe('https://example.com/1');
    expect(old.answers.stale).toBe(1);
    expect(old.peek(DOMAIN, 'known')).toBeDefined(); // for a moment nobody waits again
    await expect(old.resolve(DOMAIN, 'unheard')).rejects.toMatchObject({ code: 'link-lookup-failed', retryable: true });
    old.stop();
  });

  it('keeps domains apart in a process that starts while PostgreSQL is away', async () => {
    await insert('sale', 'https://example.com/default');
    await insert('sale', 'https://example.com/brand', 'brand.test');
    const copies = async () =>
      [await server.client.keys('hc:link2:*'), await server.client.keys('hc:domains2:*')].map(({ length }) => length);
    // A copy that Redis did not take in time is not written again by whoever has the link in memory.
    const noteAll = async () => {
      const noted = await startResolver();
      for (const domain of [DOMAIN, 'brand.test']) await noted.resolve(domain, 'sale');
      noted.stop();
      return (await copies()).join() === '2,1';
    };
    await waitUntil(noteAll, { describe: 'copies of links and domains in Redis', everyMs: 200 });
    await database.close();
    const late = await startResolver();
    expect(await urlOf('sale', DOMAIN, late)).toBe('https://example.com/default');
    expect(await urlOf('sale', 'brand.test', late)).toBe('https://example.com/brand');
    late.stop();
    await server.client.del(await server.client.keys('hc:domains2:*'));
    const blind = await startResolver();
    expect(await urlOf('sale', DOMAIN, blind)).toBe('https://example.com/default');
    expect(await urlOf('sale', 'brand.test', blind)).toBe('https://example.com/brand');
    await expect(blind.resolve('unheard.test', 'sale')).rejects.toMatchObject({ code: 'link-lookup-failed' });
    blind.stop();
  });
});
