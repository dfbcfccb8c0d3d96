import { setImmediate as turn } from 'node:timers/promises';

import { Database, type Queryable } from '@hopcount/postgres';
import { createRedis, LinkLocks, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkOutbox } from '../outbox/link-outbox.js';
import { LinkEditor } from '../store/link-editor.js';
import { LinkStore } from '../store/link-store.js';
import type { LinkResolverOptions } from './link-resolver.js';
import { TestGateway } from './test-gateway.spec-helpers.js';

const DOMAIN = 'short.test';
const CODES = Array.from({ length: 30 }, (_, n) => `hot${n}`);
const logger = createLogger({ name: 'test', level: 'silent' });

describe('hot links', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let outbox: LinkOutbox;
  let editor: LinkEditor;
  const gateways: TestGateway[] = [];

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    outbox = new LinkOutbox(database, redis, logger);
    const store = new LinkStore(database, new Snowflakes({ current: () => 1 }), outbox, {
      ...{ defaultDomain: DOMAIN, codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
    });
    await store.ensureDefaultDomain();
    const none = { domain: null, title: null, tags: [], groupId: null };
    for (const customSlug of CODES)
      await store.create(Reach.everything, { ...none, customSlug, longUrl: 'https://example.com/0' });
    editor = new LinkEditor(database, store, outbox, new LinkLocks(redis, { owner: 'test' }));
  });
  afterEach(() => gateways.splice(0).forEach((gateway) => gateway.close()));
  afterAll(async () => {
    await outbox.close();
    redis.disconnect();
    await database.close();
    await server.close();
    await given.drop();
  });

  async function start(more: Partial<LinkResolverOptions> = {}, from: Queryable = database): Promise<TestGateway> {
    const gateway = await TestGateway.start(from, server.url, { defaultDomain: DOMAIN, ...more });
    gateways.push(gateway);
    return gateway;
  }
  const inMemory = ({ resolver }: TestGateway) =>
    CODES.filter((code) => resolver.peek(DOMAIN, code)?.outcome === 'found');
  const edit = (code: string, longUrl: string) => editor.edit(Reach.everything, { code, domain: null }, { longUrl });
  const urlIn = ({ resolver }: TestGateway, code: string) => {
    const known = resolver.peek(DOMAIN, code);
    return known?.outcome === 'found' ? known.link.longUrl : undefined;
  };
  /** What gateways note after half a minute. */
  async function noteAll(): Promise<void> {
    let now = 0;
    const asked = await start({ nowMs: () => now, checkMs: 600 });
    for (const code of CODES) await asked.resolver.resolve(DOMAIN, code);
    now = 31_000;
    await waitUntil(async () => (await server.client.keys('hc:hot-links:*')).length === 1, { describe: 'the note' });
  }

  it('are in memory of a gateway that starts, as PostgreSQL has them, at most a thousand', async () => {
    await noteAll();
    await given.query(
      "UPDATE links SET long_url = 'https://example.com/now', version = version + 1 WHERE code = 'hot3'",
    );
    const gateway = await start();
    expect(inMemory(gateway)).toEqual(CODES);
    expect(urlIn(gateway, 'hot3')).toBe('https://example.com/now');
    expect(gateway.resolver.answers).toMatchObject({ redis: 0, database: 0 });
    const [key] = await server.client.keys('hc:hot-links:*');
    const others = Array.from({ length: 1_500 }, (_, n) => [Date.now() - 60_000, `${DOMAIN}/other${n}`]).flat();
    await server.client.zadd(key!, ...others);
    // Each in its slot, were this a cluster.
    for (const copy of await server.client.keys('hc:link2:*')) await server.client.del(copy);
    await noteAll();
    await waitUntil(async () => (await server.client.zcard(key!)) === 1_000, { describe: 'a thousand' });
    expect(inMemory(await start())).toEqual(CODES);
  });

  it('that change while they are loaded are looked up again', async () => {
    await noteAll();
    let change: Promise<unknown> | undefined;
    const late: Queryable = {
      query: async <Row>(text: string, values?: unknown[]) => {
        const rows = await database.query<Row>(text, values);
        // Read, and not yet said, while the link is changed and its change announced.
        if (text.includes('link_policy')) await (change ??= edit('hot5', 'https://example.com/5').then(() => heard()));
        return rows;
      },
      execute: (text, values) => database.execute(text, values),
    };
    const changes: string[] = [];
    const spy = createRedis({ url: server.url, name: 'spy', logger });
    await waitForRedis(spy, 5_000);
    await spy.subscribe('hc:link-changes');
    spy.on('message', (_, message: string) => changes.push(message));
    const heard = () => waitUntil(() => changes.length > 0, { describe: 'the announcement' });
    const gateway = await start({}, late);
    spy.disconnect();
    expect(inMemory(gateway).length).toBeGreaterThanOrEqual(CODES.length - 1);
    expect(urlIn(gateway, 'hot5')).not.toBe('https://example.com/0');
    await waitUntil(async () => (await gateway.answer(DOMAIN, 'hot5')).startsWith('https://example.com/5'), {
      timeoutMs: 1_000,
      describe: 'the new target',
    });
  });

  it.each(['Redis', 'PostgreSQL'])('are no reason to wait while %s is away', async (what) => {
    await noteAll();
    const away: Queryable = {
      query: () => Promise.reject(new Error('PostgreSQL is away')),
      execute: () => Promise.reject(new Error('PostgreSQL is away')),
    };
    if (what === 'Redis') server.freeze();
    const { LinkResolver } = await import('./link-resolver.js');
    const resolver = new LinkResolver(what === 'Redis' ? database : away, redis, logger, { defaultDomain: DOMAIN });
    await resolver.start();
    expect(resolver.cachedLinks).toBe(0);
    resolver.stop();
    server.thaw();
    await waitUntil(async () => (await redis.ping().catch(() => '')) === 'PONG', { describe: 'Redis' });
  });

  it('that are edited again and again under load cost each gateway at most one look-up an edit', async () => {
    const EDITS = 30;
    const both = [await start(), await start()];
    for (const gateway of both) await gateway.resolver.resolve(DOMAIN, 'hot1');
    const before = both.map(({ resolver }) => ({ ...resolver.answers }));
    let isOver = false;
    let visits = 0;
    const load = async ({ resolver }: TestGateway) => {
      while (!isOver) {
        await Promise.all(Array.from({ length: 100 }, () => resolver.resolve(DOMAIN, 'hot1')));
        visits += 100;
        await turn();
      }
    };
    const loads = both.map(load);
    for (let n = 1; n <= EDITS; n += 1) await edit('hot1', `https://example.com/${n}`);
    const isLast = () => both.every((gateway) => urlIn(gateway, 'hot1') === `https://example.com/${EDITS}`);
    await waitUntil(isLast, { timeoutMs: 1_000, describe: 'the last edit everywhere' });
    isOver = true;
    await Promise.all(loads);
    expect(visits).toBeGreaterThan(EDITS * 100);
    both.forEach(({ resolver: { answers } }, place) => {
      const lookUps = answers.redis + answers.database - before[place]!.redis - before[place]!.database;
      expect(lookUps).toBeGreaterThan(0);
      expect(lookUps).toBeLessThanOrEqual(EDITS);
    });
  });
});
