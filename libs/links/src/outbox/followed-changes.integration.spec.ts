import { Database, type Queryable } from '@hopcount/postgres';
import { createRedis, LinkLocks, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { TestGateway } from '../resolution/test-gateway.spec-helpers.js';
import { LinkBin } from '../store/link-bin.js';
import { type LinkEdit, LinkEditor } from '../store/link-editor.js';
import { LinkStore } from '../store/link-store.js';
import { LinkOutbox } from './link-outbox.js';

const DOMAIN = 'short.test';
const CHECK_MS = 1_500;
const OLD = 'https://example.com/old a';
const logger = createLogger({ name: 'test', level: 'silent' });

const CHANGES = [
  [
    'an edit',
    { longUrl: 'https://example.com/new', forwardQuery: false },
    'https://example.com/new a {"forwardQuery":false}',
  ],
  ['a move', { groupId: 'b' }, 'https://example.com/old b'],
  ['a deletion', undefined, 'unknown'],
] as const;

describe('gateways that hold a link, in memory or in Redis', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let outbox: LinkOutbox;
  let store: LinkStore;
  let tellingStore: LinkStore;
  /** Of an api process that is killed after each COMMIT. */
  let dying: LinkEditor;
  let living: LinkEditor;
  let gateways: TestGateway[];
  let codes = 0;
  let code: string;

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    outbox = new LinkOutbox(database, redis, logger);
    const nobody = { announce: () => Promise.resolve() };
    const storeOf = (announcer: Pick<LinkOutbox, 'announce'>) =>
      new LinkStore(database, new Snowflakes({ current: () => 1 }), announcer, {
        ...{ defaultDomain: DOMAIN, codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
      });
    store = storeOf(nobody);
    tellingStore = storeOf(outbox);
    await store.ensureDefaultDomain();
    await given.query(`INSERT INTO groups (id, name) VALUES ('a', 'a'), ('b', 'b')`);
    const locks = new LinkLocks(redis, { owner: 'test' });
    dying = new LinkEditor(database, store, nobody, locks);
    living = new LinkEditor(database, store, outbox, locks);
  });
  beforeEach(async () => {
    code = `c${(codes += 1)}`;
    const start = () => TestGateway.start(database, server.url, { defaultDomain: DOMAIN, checkMs: CHECK_MS });
    gateways = await Promise.all([start(), start()]);
    const none = { title: null, domain: null, tags: [] };
    await store.create(Reach.everything, {
      ...none,
      longUrl: 'https://example.com/old',
      customSlug: code,
      groupId: 'a',
    });
    await outbox.announce();
    await untilAll(OLD);
    await waitUntil(async () => (await server.client.keys('hc:link2:*')).length > 0, { describe: 'a copy in Redis' });
  });
  afterEach(async () => {
    gateways.forEach((gateway) => gateway.close());
    await outbox.close();
    await server.client.flushall();
  });
  afterAll(async () => {
    redis?.disconnect();
    await database?.close();
    await server?.close();
    await given?.drop();
  });

  const change = (editor: LinkEditor, edit: LinkEdit | undefined) =>
    edit === undefined
      ? editor.delete(Reach.everything, { code, domain: null })
      : editor.edit(Reach.everything, { code, domain: null }, edit);
  const untilAll = (expected: string, timeoutMs = 3 * CHECK_MS) =>
    waitUntil(
      async () => {
        const answers = await Promise.all(gateways.map((gateway) => gateway.answer(DOMAIN, code)));
        return answers.every((answer) => answer === expected);
      },
      { timeoutMs, everyMs: 20, describe: `every gateway answering ${expected}` },
    );
  const waiting = async () => (await given.query('SELECT FROM link_outbox')).length;
  const untilEmpty = () => waitUntil(async () => (await waiting()) === 0, { describe: 'no announcement left' });
  /** A gateway that starts now holds nothing: what it answers is Redis's copy, or PostgreSQL's row. */
  const addGateway = async () =>
    gateways.push(await TestGateway.start(database, server.url, { defaultDomain: DOMAIN, checkMs: CHECK_MS }));
  const keepCopies = async () => {
    const keys = await server.client.keys('hc:*');
    const kept = await Promise.all(
      keys.map(async (key) => ({
        key,
        leftMs: await server.client.pttl(key),
        dump: await server.client.dumpBuffer(key),
      })),
    );
    return () =>
      Promise.all(
        kept.map(({ key, leftMs, dump }) => server.client.restore(key, Math.max(leftMs, 0), dump, 'REPLACE')),
      );
  };

  describe.each(CHANGES)('follow %s', (_, edit, expected) => {
    it('at once', async () => {
      await change(living, edit);
      await untilAll(expected, 1_000);
      expect(await waiting()).toBe(0);
    });

    it('of an api that died after COMMIT, told by a worker', async () => {
      await change(dying, edit);
      expect(await waiting()).toBe(1);
      outbox.start();
      await untilAll(expected);
      await untilEmpty();
    });

    it('of an api that died after COMMIT, without anybody who tells them', async () => {
      await change(dying, edit);
      await untilAll(expected);
      await addGateway();
      await untilAll(expected);
    });

    it('while Redis is frozen, and after it', async () => {
      server.freeze();
      try {
        await change(living, edit);
        await untilAll(expected);
        expect(await waiting()).toBe(1);
      } finally {
        server.thaw();
      }
      outbox.start();
      await untilEmpty();
      await addGateway();
      await untilAll(expected);
    });

    it('while Redis refuses, and after it, with the old copy in it again', async () => {
      const putBack = await keepCopies();
      await server.kill();
      try {
        await change(dying, edit);
        await untilAll(expected);
      } finally {
        await server.start();
      }
      await putBack();
      await addGateway();
      outbox.start();
      await untilEmpty();
      await untilAll(expected);
    });

    it('when Redis is flushed before it is announced', async () => {
      await change(dying, edit);
      await server.client.flushall();
      outbox.start();
      await untilEmpty();
      await untilAll(expected);
    });

    it.each([
      ['noticed', `UPDATE ledger_incarnation SET incarnation = gen_random_uuid()`],
      ['not noticed', 'SELECT'],
    ])(
      'that a restored PostgreSQL takes back (%s), and the next one, whose version was there before',
      async (_, notice) => {
        await given.query('CREATE TABLE backup AS SELECT * FROM links WHERE code = $1', [code]);
        await change(living, edit);
        await untilAll(expected);
        await given.query(
          `UPDATE links SET long_url = backup.long_url, group_id = backup.group_id, version = backup.version,
           forward_query = backup.forward_query, deleted_at = backup.deleted_at
         FROM backup WHERE links.id = backup.id`,
        );
        await given.query('DROP TABLE backup');
        await given.query(notice);
        await untilAll(OLD);
        await living.edit(Reach.everything, { code, domain: null }, { longUrl: 'https://example.com/other' });
        await untilAll('https://example.com/other a');
        await addGateway();
        await untilAll('https://example.com/other a');
      },
    );

    it('whose announcement they missed while they were not subscribed', async () => {
      await server.client.client('KILL', 'TYPE', 'pubsub');
      await change(living, edit);
      await untilAll(expected);
    });
  });

  it.each([
    ['told by a worker', true],
    ['without anybody who tells them', false],
  ])('follow a restoration by an api that died after COMMIT, %s', async (_, isTold) => {
    await change(living, undefined);
    await untilAll('unknown');
    await new LinkBin(database, store, { announce: () => Promise.resolve() }).restore(Reach.everything, code, null);
    expect(await waiting()).toBe(1);
    if (isTold) outbox.start();
    await untilAll(OLD);
    await addGateway();
    await untilAll(OLD);
  });

  it('follow a creation after a 404, also on a new domain and without an announcement', async () => {
    code = `new${code}`;
    const answer = () => Promise.all(gateways.map((gateway) => gateway.answer('new.test', code)));
    expect(await answer()).toEqual(['unknown', 'unknown']);
    const none = { title: null, tags: [], groupId: 'a' };
    await store.create(Reach.everything, {
      ...none,
      longUrl: 'https://example.com/1',
      customSlug: code,
      domain: 'new.test',
    });
    await waitUntil(async () => (await answer()).every((one) => one === 'https://example.com/1 a'), {
      describe: 'the new link',
    });
  });

  it('follow a creation after a 404 at once, of which nothing is left to announce', async () => {
    code = `new${code}`;
    await untilAll('unknown');
    const none = { title: null, domain: null, tags: [] };
    await tellingStore.create(Reach.everything, {
      ...none,
      longUrl: 'https://example.com/1',
      customSlug: code,
      groupId: 'a',
    });
    await untilAll('https://example.com/1 a', 1_000);
    await untilEmpty();
  });

  it('know no link that a restored PostgreSQL does not have', async () => {
    await given.query('DELETE FROM links WHERE code = $1', [code]);
    await untilAll('unknown');
    await addGateway();
    await untilAll('unknown');
  });

  it('keep serving while PostgreSQL is away, also those that start then, and follow when it is back', async () => {
    const pool = await Database.connect({ url: given.url, applicationName: 'test-away' });
    let isAway = false;
    const failing: Queryable = {
      query: (text, values) => (isAway ? Promise.reject(new Error('PostgreSQL is away')) : pool.query(text, values)),
      execute: (text, values) => pool.execute(text, values),
    };
    const start = () => TestGateway.start(failing, server.url, { defaultDomain: DOMAIN, checkMs: CHECK_MS });
    gateways.push(await start());
    await untilAll(OLD);
    isAway = true;
    const late = await start();
    gateways.push(late);
    // Longer than a copy is believed: these answers are old, and the only ones there are.
    await waitUntil(async () => (await untilAll(OLD), gateways[2]!.resolver.answers.stale > 2), {
      describe: 'old answers',
    });
    await change(dying, { longUrl: 'https://example.com/new' });
    isAway = false;
    await untilAll('https://example.com/new a');
    await pool.close();
  });
});
