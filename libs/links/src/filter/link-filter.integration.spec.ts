import { setTimeout as sleep } from 'node:timers/promises';

import { Database, type Queryable } from '@hopcount/postgres';
import { BloomFilters, createRedis, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Reach } from '@hopcount/runtime';
import {
  FreezingProxy,
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  waitUntil,
} from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { randomCode } from '../codes/random-code.js';
import { Snowflakes } from '../ids/snowflake.js';
import { LinkOutbox } from '../outbox/link-outbox.js';
import { TestGateway } from '../resolution/test-gateway.spec-helpers.js';
import { LinkStore } from '../store/link-store.js';
import type { NewLink } from '../store/new-link.js';
import { FilterBuilder } from './build-filter.js';
import { urlEntry } from './filter-entries.js';
import { LinkFilter } from './link-filter.js';

const DOMAIN = 'short.test';
const nothing = () => undefined;
const logger = createLogger({ name: 'test', level: 'silent' });

describe('the filter of codes and long URLs', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let outbox: LinkOutbox;
  let store: LinkStore;
  let builder: FilterBuilder;
  let gateway: TestGateway;
  let nextId = 7_400_000_000_000_000_000n;

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test', poolSize: 10 });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    outbox = new LinkOutbox(database, redis, logger);
    store = storeWith(new LinkFilter(redis));
    builder = new FilterBuilder(database, redis);
    await store.ensureDefaultDomain();
  });
  beforeEach(async () => {
    await server.client.flushall();
    await given.query('UPDATE link_filter SET current = NULL, building = NULL');
    gateway = await TestGateway.start(database, server.url, { defaultDomain: DOMAIN });
    expect(await build()).toBe('built');
  });
  afterEach(() => gateway.close());
  afterAll(async () => {
    await outbox.close();
    redis.disconnect();
    await database.close();
    await server.close();
    await given.drop();
  });

  function storeWith(filter: LinkFilter): LinkStore {
    return new LinkStore(database, new Snowflakes({ current: () => 1 }), outbox, {
      ...{ defaultDomain: DOMAIN, codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false, filter },
    });
  }
  /** At once: for when nobody believes in the filter before. */
  const build = () => new FilterBuilder(database, redis, 0).run();
  const isFound = async (code: string) => (await gateway.resolver.resolve(DOMAIN, code)).outcome === 'found';
  const link = (more: Partial<NewLink> = {}): NewLink => ({
    ...{ longUrl: 'https://example.com/', customSlug: null, domain: null, title: null, tags: [], groupId: null },
    ...more,
  });
  const create = async (from = store) => (await from.create(Reach.everything, link())).code;
  const filtered = () => gateway.resolver.answers.filtered;
  /** The gateway has just been told that the filter is whole: from now on it says of codes that there is no link. */
  async function untilBelieved(): Promise<void> {
    const before = filtered();
    await waitUntil(async () => (await isFound(randomCode()), filtered() > before), {
      everyMs: 1,
      describe: 'the filter to be believed',
    });
  }
  const insert = async (code: string, from: Queryable = database) => {
    const values = [String((nextId += 1n)), DOMAIN, code];
    await from.query(
      `INSERT INTO links (id, domain_id, code, long_url)
       SELECT $1, id, $3, 'https://example.com/' FROM domains WHERE authority = $2`,
      values,
    );
  };
  const shards = () => server.client.keys('hc:filter:*');

  it('keeps codes that are no links away from PostgreSQL, and no link', async () => {
    const codes = await Promise.all(Array.from({ length: 50 }, () => create()));
    const askedOfFiveThousand = async () => {
      await untilBelieved();
      const before = gateway.resolver.askedDatabase;
      for (let round = 0; round < 100; round += 1) {
        const answers = await Promise.all(Array.from({ length: 50 }, () => isFound(randomCode())));
        expect(answers).not.toContain(true);
      }
      return gateway.resolver.askedDatabase - before;
    };
    // A process that stood still for a moment rightly believes nothing, and asks.
    await waitUntil(async () => (await askedOfFiveThousand()) < 0.01 * 5_000, {
      timeoutMs: 60_000,
      describe: 'PostgreSQL to be asked for less than a hundredth',
    });
    expect(await Promise.all(codes.map(isFound))).toEqual(codes.map(() => true));
    expect(await builder.run()).toBe('whole');
  });

  it('has a link by the time its creator is told, while a scan keeps it believed', async () => {
    for (let n = 0; n < 20; n += 1) {
      await untilBelieved();
      expect(await isFound(await create())).toBe(true);
    }
    expect(await builder.run()).toBe('whole');
  });

  it.each<[string, (codes: string[]) => Promise<unknown>, () => unknown]>([
    ['missing', async () => server.client.del(await shards()), nothing],
    ['flushed', () => server.client.flushall(), nothing],
    ['empty, as after it was evicted and added to', () => emptied(), nothing],
    ['full', () => fillUp(), () => given.query('UPDATE link_filter SET current = NULL')],
    ['of a Redis that was killed and has an older copy of it', (codes) => restartWithOlderCopy(codes), nothing],
    ['not to be had: Redis is gone', () => server.kill(), () => server.start()],
    ['not to be had: Redis is frozen', () => Promise.resolve(server.freeze()), () => server.thaw()],
  ])('stops no link while it is %s', async (_, fault, repair) => {
    const codes = [await create()];
    await untilBelieved();
    await fault(codes);
    for (const code of codes) expect(await isFound(code)).toBe(true);
    codes.push(await create());
    expect(await isFound(codes.at(-1)!)).toBe(true);
    await repair();
    await waitUntil(async () => (await redis.ping().catch(() => '')) === 'PONG', { describe: 'Redis' });
    await waitUntil(async () => ['built', 'whole'].includes(await build()), { describe: 'a new filter' });
    await waitForRedis(gateway.redis, 5_000);
    await untilBelieved();
    for (const code of codes) expect(await isFound(code)).toBe(true);
  });

  async function emptied(): Promise<void> {
    const [shard] = await shards();
    await server.client.del(shard!);
    await server.client.setbit(shard!, 9, 1);
  }
  /** All bits of it. */
  async function fillUp(): Promise<void> {
    const [shard] = await shards();
    await server.client.set(shard!, Buffer.alloc(await server.client.strlen(shard!), 255));
    expect(await isFound('nothing')).toBe(false);
  }
  async function restartWithOlderCopy(codes: string[]): Promise<void> {
    const [shard] = await shards();
    const dump = await server.client.dumpBuffer(shard!);
    codes.push(await create());
    await server.kill();
    await server.start();
    await server.client.restore(shard!, 0, dump);
    await waitUntil(async () => (await redis.ping().catch(() => '')) === 'PONG', { describe: 'Redis' });
  }

  it('stops no link of an api that cannot reach the Redis which its gateways can', async () => {
    const proxy = await FreezingProxy.listen(new URL(server.url));
    const cut = createRedis({ url: proxy.through(new URL(server.url)), name: 'cut', logger, commandTimeoutMs: 100 });
    await waitForRedis(cut, 5_000);
    const partitioned = storeWith(new LinkFilter(cut));
    await create(partitioned);
    await untilBelieved();
    proxy.freeze();
    let isOver = false;
    const creating = Promise.all([1, 2].map(() => create(partitioned))).finally(() => (isOver = true));
    // Not even who reads PostgreSQL, as lists do, sees one that gateways would deny.
    while (!isOver) {
      const [last] = await given.query<{ code: string }>('SELECT code FROM links ORDER BY created_at DESC LIMIT 1');
      expect([last!.code, await isFound(last!.code)]).toEqual([last!.code, true]);
    }
    for (const code of [...(await creating), await create(partitioned)]) expect(await isFound(code)).toBe(true);
    // The database is restored to a time before it was told that the filter lacks something.
    await given.query('DELETE FROM link_filter_gaps');
    await untilBelieved();
    expect(await isFound(await create(partitioned))).toBe(true);
    cut.disconnect();
    await proxy.close();
    expect(await build()).toBe('built');
  });

  it('stops no link that was inserted behind it for longer than a second', async () => {
    await untilBelieved();
    await insert('behind');
    await waitUntil(() => isFound('behind'), { timeoutMs: 1_500, everyMs: 10, describe: 'the link' });
    await given.query("UPDATE links SET code = 'renamed' WHERE code = 'behind'");
    await waitUntil(() => isFound('renamed'), { timeoutMs: 2_000, everyMs: 10, describe: 'the link' });
    expect(await build()).toBe('built');
    await untilBelieved();
    expect(await isFound('renamed')).toBe(true);
  });

  it('made anew has what was being written meanwhile, or is not believed', async () => {
    await builder.stop();
    let isOver = false;
    const codes: string[] = [];
    const creating = (async () => {
      while (!isOver) codes.push(await create());
    })();
    // A transaction that began before: the filter waits for it. One that knows nothing of the filter comes while it is made.
    let made: Promise<string> | undefined;
    await database.transaction(async (tx) => {
      await insert('before', tx);
      made = build();
      await waitUntil(
        async () =>
          (
            await given.query(
              "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%link_filter%'",
            )
          ).length > 0,
        { describe: 'the worker waiting for the writer' },
      );
    });
    expect(await made).toBe('built');
    await untilBelieved();
    isOver = true;
    await creating;
    expect(codes.length).toBeGreaterThan(0);
    for (const code of ['before', ...codes]) expect([code, await isFound(code)]).toEqual([code, true]);
  });

  it('is made while there is always somebody who writes a link', async () => {
    await given.query('UPDATE link_filter SET current = NULL');
    const filter = new LinkFilter(redis);
    let isOver = false;
    const writing = [0, 1, 2, 3, 4, 5].map(async (n) => {
      await sleep(n * 15);
      while (!isOver) await database.transaction(async (tx) => (await filter.addUrls(tx, []), sleep(90)));
    });
    expect(await build().finally(() => (isOver = true))).toBe('built');
    await Promise.all(writing);
  });

  it('goes, or is replaced, when nobody believes in it any more: until then writers add to it', async () => {
    await untilBelieved();
    await insert('behind-it');
    await builder.stop();
    expect(await isFound(await create())).toBe(true);
    expect(await builder.run()).toBe('built');
    await untilBelieved();
    await given.query(`UPDATE link_filter SET current = current || '{"activeSinceMs": 0}'`);
    let isOver = false;
    const creating = (async () => {
      while (!isOver) expect(await isFound(await create())).toBe(true);
    })();
    expect(await builder.run()).toBe('built');
    isOver = true;
    await creating;
  });

  it('is not used when something was written behind it while it was made', async () => {
    const filter = (await new BloomFilters(redis).make(1_000))!;
    await database.query('UPDATE link_filter SET building = $1', [JSON.stringify({ ...filter, room: 500 })]);
    await insert('unseen');
    await database.query('UPDATE link_filter SET current = building, building = NULL');
    for (let n = 0; n < 20; n += 1) expect(await isFound(randomCode())).toBe(false);
    expect([filtered(), await isFound('unseen')]).toEqual([0, true]);
  });

  it('lets a search for a long URL skip PostgreSQL only when no link can lead there', async () => {
    const find = (longUrl: string) => store.create(Reach.everything, link({ longUrl, findIfExists: true }));
    const lacks = (hash: string) =>
      database.transaction((tx) => new LinkFilter(redis).lacks(tx, [urlEntry(hash)])).then(([one]) => one);
    const first = await find('https://example.com/a');
    expect(await lacks('\\xabcd')).toBe(true);
    expect((await find('https://EXAMPLE.com:443/a')).id).toBe(first.id);
    await given.query("UPDATE links SET long_url = 'https://example.com/b', url_hash = NULL WHERE id = $1", [first.id]);
    expect(await lacks('\\xabcd')).toBe(false); // stale: nothing is said
    expect((await find('https://example.com/b')).id).toBe(first.id);
    await build();
    expect((await find('https://example.com/b')).id).toBe(first.id);
    await server.client.flushall();
    expect((await find('https://example.com/b')).id).toBe(first.id);
    await build();
    await fillUp();
    expect((await find('https://example.com/b')).id).toBe(first.id);
    expect((await find('https://example.com/c')).id).not.toBe(first.id);
  });
});
