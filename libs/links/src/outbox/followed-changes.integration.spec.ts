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

const NEW = 'https://example.com/new';
const RULES = [{ longUrl: NEW, conditions: [{ type: 'device' as const, matchKey: null, matchValue: 'ios' }] }];

interface Change {
  /** A deletion or a restoration when absent. */
  edit?: LinkEdit;
  /** What gateways answer before it; {@link OLD} when absent. */
  before?: string;
  after: string;
}

interface Editors {
  links: LinkEditor;
  bin: LinkBin;
}

/** Each of a link of its own, so that one fault is enough for all of them. */
const CHANGES: Record<string, Change> = {
  edited: { edit: { longUrl: NEW, forwardQuery: false }, after: `${NEW} a {"forwardQuery":false}` },
  moved: { edit: { groupId: 'b' }, after: 'https://example.com/old b' },
  disabled: { edit: { disabled: true }, after: `${OLD} {"disabled":true}` },
  ruled: {
    edit: { redirectRules: RULES },
    after: `${OLD} {"rules":[{"longUrl":"${NEW}","conditions":[{"type":"device","matchValue":"ios"}]}]}`,
  },
  deleted: { after: 'unknown' },
  restored: { before: 'unknown', after: OLD },
};

describe('gateways that hold a link, in memory or in Redis', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let outbox: LinkOutbox;
  let store: LinkStore;
  let tellingStore: LinkStore;
  /** Of an api process that is killed after each COMMIT. */
  let dying: Editors;
  let living: Editors;
  let gateways: TestGateway[];
  let tests = 0;
  /** Before each code. */
  let prefix: string;

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    outbox = new LinkOutbox(database, redis, logger);
    const nobody = { announce: () => Promise.resolve() };
    const locks = new LinkLocks(redis, { owner: 'test' });
    const editorsOf = (announcer: Pick<LinkOutbox, 'announce'>): Editors => ({
      links: new LinkEditor(database, store, announcer, locks),
      bin: new LinkBin(database, store, announcer),
    });
    const storeOf = (announcer: Pick<LinkOutbox, 'announce'>) =>
      new LinkStore(database, new Snowflakes({ current: () => 1 }), announcer, {
        ...{ defaultDomain: DOMAIN, codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
      });
    store = storeOf(nobody);
    tellingStore = storeOf(outbox);
    await store.ensureDefaultDomain();
    await given.query(`INSERT INTO groups (id, name) VALUES ('a', 'a'), ('b', 'b')`);
    [dying, living] = [editorsOf(nobody), editorsOf(outbox)];
  });
  beforeEach(async () => {
    prefix = `c${(tests += 1)}-`;
    const start = () => TestGateway.start(database, server.url, { defaultDomain: DOMAIN, checkMs: CHECK_MS });
    gateways = await Promise.all([start(), start()]);
    for (const [name, { before = OLD }] of Object.entries(CHANGES)) {
      await create({ longUrl: 'https://example.com/old', customSlug: codeOf(name), groupId: 'a' });
      if (before === 'unknown') await dying.links.delete(Reach.everything, named(name));
    }
    await outbox.announce();
    await untilBefore();
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

  const codeOf = (name: string) => `${prefix}${name}`;
  const named = (name: string) => ({ code: codeOf(name), domain: null });
  const create = (link: { longUrl: string; customSlug: string; groupId: string }, by = store) =>
    by.create(Reach.everything, { title: null, domain: null, tags: [], ...link });
  const change = (by: Editors, name: string) => {
    const { edit } = CHANGES[name] ?? {};
    if (edit !== undefined) return by.links.edit(Reach.everything, named(name), edit);
    if (name === 'restored') return by.bin.restore(Reach.everything, codeOf(name), null);
    return by.links.delete(Reach.everything, named(name));
  };
  const changeAll = (by: Editors) => Promise.all(Object.keys(CHANGES).map((name) => change(by, name)));
  const untilEach = async (expected: Record<string, string>, timeoutMs = 3 * CHECK_MS) => {
    const names = Object.keys(expected);
    const differing = async () => {
      const answersOf = (gateway: TestGateway) =>
        Promise.all(names.map((name) => gateway.answer(DOMAIN, codeOf(name))));
      const answers = await Promise.all(gateways.map(answersOf));
      return names.flatMap((name, at) => answers.map((one) => one[at]).filter((one) => one !== expected[name]));
    };
    const haveFollowed = async () => (await differing()).length === 0;
    const settled = waitUntil(haveFollowed, { timeoutMs, everyMs: 20, describe: 'every gateway following' });
    await settled.catch(async (error: unknown) => {
      throw new Error(`gateways answer ${String(await differing())}`, { cause: error });
    });
  };
  const states = (of: (change: Change) => string) =>
    Object.fromEntries(Object.entries(CHANGES).map(([name, one]) => [name, of(one)]));
  const untilBefore = () => untilEach(states(({ before = OLD }) => before));
  const untilAfter = (timeoutMs?: number) =>
    untilEach(
      states(({ after }) => after),
      timeoutMs,
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

  describe('follow whatever is done to links', () => {
    it('at once', async () => {
      for (const [name, { after }] of Object.entries(CHANGES)) {
        await change(living, name);
        await untilEach({ [name]: after }, 1_000);
      }
      expect(await waiting()).toBe(0);
    });

    it('by an api that died after COMMIT, told by a worker', async () => {
      await changeAll(dying);
      expect(await waiting()).toBe(Object.keys(CHANGES).length);
      outbox.start();
      await untilAfter();
      await untilEmpty();
    });

    it('by an api that died after COMMIT, without anybody who tells them', async () => {
      await changeAll(dying);
      await untilAfter();
      await addGateway();
      await untilAfter();
    });

    it('while Redis is frozen, and after it', async () => {
      server.freeze();
      try {
        await changeAll(living);
        await untilAfter();
        expect(await waiting()).toBe(Object.keys(CHANGES).length);
      } finally {
        server.thaw();
      }
      outbox.start();
      await untilEmpty();
      await addGateway();
      await untilAfter();
    });

    it('while Redis refuses, and after it, with the old copies in it again', async () => {
      const putBack = await keepCopies();
      await server.kill();
      try {
        await changeAll(dying);
        await untilAfter();
      } finally {
        await server.start();
      }
      await putBack();
      await addGateway();
      outbox.start();
      await untilEmpty();
      await untilAfter();
    });

    it('when Redis is flushed before it is announced', async () => {
      await changeAll(dying);
      await server.client.flushall();
      outbox.start();
      await untilEmpty();
      await untilAfter();
    });

    it.each([
      ['noticed', `UPDATE ledger_incarnation SET incarnation = gen_random_uuid()`],
      ['not noticed', 'SELECT'],
    ])(
      'that a restored PostgreSQL takes back (%s), and the next edit, whose version was there before',
      async (_, notice) => {
        await given.query('CREATE TABLE backup AS SELECT * FROM links WHERE code LIKE $1', [`${prefix}%`]);
        await changeAll(living);
        await untilAfter();
        await given.query(
          `UPDATE links SET long_url = backup.long_url, group_id = backup.group_id, version = backup.version,
           forward_query = backup.forward_query, disabled = backup.disabled, redirect_rules = backup.redirect_rules,
           deleted_at = backup.deleted_at
         FROM backup WHERE links.id = backup.id`,
        );
        await given.query('DROP TABLE backup');
        await given.query(notice);
        await untilBefore();
        const edited = Object.keys(CHANGES).filter((name) => CHANGES[name]?.before !== 'unknown');
        for (const name of edited) {
          await living.links.edit(Reach.everything, named(name), { longUrl: 'https://example.com/other' });
        }
        const others = Object.fromEntries(edited.map((name) => [name, 'https://example.com/other a']));
        await untilEach(others);
        await addGateway();
        await untilEach(others);
      },
    );

    it('whose announcement they missed while they were not subscribed', async () => {
      await server.client.client('KILL', 'TYPE', 'pubsub');
      await changeAll(living);
      await untilAfter();
    });
  });

  it('follow a creation after a 404, also on a new domain and without an announcement', async () => {
    const answer = () => Promise.all(gateways.map((gateway) => gateway.answer('new.test', codeOf('new'))));
    expect(await answer()).toEqual(['unknown', 'unknown']);
    const none = { title: null, tags: [], groupId: 'a' };
    await store.create(Reach.everything, {
      ...none,
      longUrl: 'https://example.com/1',
      customSlug: codeOf('new'),
      domain: 'new.test',
    });
    await waitUntil(async () => (await answer()).every((one) => one === 'https://example.com/1 a'), {
      describe: 'the new link',
    });
  });

  it('follow a creation after a 404 at once, of which nothing is left to announce', async () => {
    await untilEach({ new: 'unknown' });
    await create({ longUrl: 'https://example.com/1', customSlug: codeOf('new'), groupId: 'a' }, tellingStore);
    await untilEach({ new: 'https://example.com/1 a' }, 1_000);
    await untilEmpty();
  });

  it('know no link that a restored PostgreSQL does not have', async () => {
    await given.query('DELETE FROM links WHERE code LIKE $1', [`${prefix}%`]);
    await untilEach(states(() => 'unknown'));
    await addGateway();
    await untilEach(states(() => 'unknown'));
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
    await untilBefore();
    isAway = true;
    const late = await start();
    gateways.push(late);
    // Longer than a copy is believed: these answers are old, and the only ones there are.
    await waitUntil(async () => (await untilBefore(), gateways[2]!.resolver.answers.stale > 2), {
      describe: 'old answers',
    });
    await changeAll(dying);
    isAway = false;
    await untilAfter();
    await pool.close();
  });
});
