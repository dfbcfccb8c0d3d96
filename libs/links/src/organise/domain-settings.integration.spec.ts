import { Database, type Queryable } from '@hopcount/postgres';
import { createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkOutbox } from '../outbox/link-outbox.js';
import { TestGateway } from '../resolution/test-gateway.spec-helpers.js';
import { LinkStore } from '../store/link-store.js';
import { DomainSettings } from './domain-settings.js';

const DOMAIN = 'short.test';
/** Longer than the test: gateways know what they are told. */
const OPTIONS = { defaultDomain: DOMAIN, checkMs: 3_600_000 };
const logger = createLogger({ name: 'test', level: 'silent' });

describe('redirects of domains', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let outbox: LinkOutbox;
  let store: LinkStore;
  let gateways: TestGateway[];
  const nobody = { announce: () => Promise.resolve() };

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    outbox = new LinkOutbox(database, redis, logger);
    store = new LinkStore(database, new Snowflakes({ current: () => 1 }), nobody, {
      ...{ defaultDomain: DOMAIN, codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
    });
    await store.ensureDefaultDomain();
    const link = { customSlug: 'one', longUrl: 'https://example.com/1', title: null, tags: [], groupId: null };
    await store.create(Reach.everything, { ...link, domain: null });
    gateways = await Promise.all([1, 2].map(() => TestGateway.start(database, server.url, OPTIONS)));
  });
  afterAll(async () => {
    gateways?.forEach((gateway) => gateway.close());
    await outbox?.close();
    redis?.disconnect();
    await database?.close();
    await server?.close();
    await given?.drop();
  });

  const baseUrlOf = (gateway: TestGateway, host: string) => gateway.resolver.hosts.redirectsOf(host)?.baseUrlRedirect;
  const untilAll = (host: string, url: string | null | undefined) =>
    waitUntil(() => Promise.resolve(gateways.every((gateway) => baseUrlOf(gateway, host) === url)), {
      ...{ describe: `${host} leading to ${url}`, timeoutMs: 3_000 },
    });

  it('are followed by every gateway, told by the api or by a worker; a host that is no domain has the default one’s', async () => {
    const living = new DomainSettings(database, store, outbox);
    await living.redirect(Reach.everything, 'go.test', { baseUrlRedirect: 'https://example.com/a' });
    await untilAll('go.test', 'https://example.com/a');
    await untilAll('unknown.test', undefined);
    // Many at once: no look at the domains may have begun too early.
    for (let n = 0; n < 10; n += 1)
      await living.redirect(Reach.everything, 'go.test', { baseUrlRedirect: `https://example.com/${n}` });
    await untilAll('go.test', 'https://example.com/9');

    const dying = new DomainSettings(database, store, nobody);
    await dying.redirect(Reach.everything, 'DEFAULT', { baseUrlRedirect: 'https://example.com/default' });
    outbox.start();
    await untilAll('unknown.test', 'https://example.com/default');
    await dying.redirect(Reach.everything, 'go.test', { baseUrlRedirect: null });
    await untilAll('go.test', 'https://example.com/default');
    expect(await given.query('SELECT FROM link_outbox')).toEqual([]);
  });

  it('take no links from a host: these are the default domain’s until it has one of its own', async () => {
    await new DomainSettings(database, store, outbox).redirect(Reach.everything, 'new.test', {
      baseUrlRedirect: 'https://example.com/b',
    });
    await untilAll('new.test', 'https://example.com/b');
    expect(await gateways[0]!.answer('new.test', 'one')).toContain('https://example.com/1');
  });

  it('are known to a gateway that starts while PostgreSQL is away', async () => {
    await waitUntil(async () => (await server.client.get(`hc:domains2:${DOMAIN}`))?.includes('new.test') === true, {
      describe: 'the note in Redis',
    });
    const away: Queryable = {
      query: () => Promise.reject(new Error('away')),
      execute: () => Promise.reject(new Error('away')),
    };
    const late = await TestGateway.start(away, server.url, OPTIONS);
    gateways.push(late);
    expect(baseUrlOf(late, 'new.test')).toBe('https://example.com/b');
    expect(baseUrlOf(late, 'unknown.test')).toBe('https://example.com/default');
  });
});
