import { Database, type Queryable } from '@hopcount/postgres';
import { createRedis, LinkLocks, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkOutbox } from '../outbox/link-outbox.js';
import { LinkBin } from '../store/link-bin.js';
import { LinkEditor } from '../store/link-editor.js';
import { LinkStore } from '../store/link-store.js';
import { TestGateway } from './test-gateway.spec-helpers.js';

const DOMAIN = 'short.test';
const logger = createLogger({ name: 'test', level: 'silent' });

describe('loose codes', () => {
  let given: TestDatabase;
  let server: TestRedis;
  let database: Database;
  let redis: RedisClient;
  let outbox: LinkOutbox;
  let loose: LinkStore;
  /** As they were before LOOSE_CODES was set. */
  let exact: LinkStore;
  let editor: LinkEditor;
  let bin: LinkBin;
  let gateway: TestGateway;
  let isAway = false;
  let later = 0;
  let statements = 0;

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    outbox = new LinkOutbox(database, redis, logger);
    const ids = new Snowflakes({ current: () => 1 });
    const options = { defaultDomain: DOMAIN, secret: 'x'.repeat(40), allowPrivateTargets: false } as const;
    loose = new LinkStore(database, ids, outbox, { ...options, codeStrategy: 'random', looseCodes: true });
    exact = new LinkStore(database, ids, outbox, { ...options, codeStrategy: 'random' });
    await exact.ensureDefaultDomain();
    editor = new LinkEditor(database, exact, outbox, new LinkLocks(redis, { owner: 'test' }));
    bin = new LinkBin(database, exact, outbox);
  });
  beforeEach(async () => {
    const counted: Queryable = {
      query: (text, values) => {
        statements += 1;
        return isAway ? Promise.reject(new Error('PostgreSQL is away')) : database.query(text, values);
      },
      execute: (text, values) => database.execute(text, values),
    };
    gateway = await TestGateway.start(counted, server.url, {
      ...{ defaultDomain: DOMAIN, looseCodes: true },
      nowMs: () => performance.now() + later,
    });
  });
  afterEach(() => {
    gateway.close();
    isAway = false;
    later = 0;
  });
  afterAll(async () => {
    await outbox.close();
    redis.disconnect();
    await database.close();
    await server.close();
    await given.drop();
  });

  const create = (store: LinkStore, code: string | null, domain: string | null = null) =>
    store.create(Reach.everything, {
      ...{ customSlug: code, domain, title: null, tags: [], groupId: null },
      longUrl: `https://example.com/${encodeURIComponent(code ?? '')}`,
    });
  const named = (code: string) => ({ code, domain: null });
  const targetOf = async (code: string, host = DOMAIN) => {
    const resolution = await gateway.resolver.resolve(host, code);
    return resolution.outcome === 'found' ? [resolution.link.code, resolution.link.longUrl] : undefined;
  };
  const until = (code: string, expected: string[] | undefined) =>
    waitUntil(async () => JSON.stringify(await targetOf(code)) === JSON.stringify(expected), {
      timeoutMs: 1_000,
      everyMs: 10,
      describe: `${code} leading to ${expected?.[1]}`,
    });
  const refusal = (made: Promise<unknown>) =>
    made.then(
      () => 'created',
      (error: { code: string }) => error.code,
    );

  it('lead to the link in every case of letters, and cost nothing once they are known', async () => {
    await create(loose, 'Sale-É');
    for (const spelling of ['Sale-É', 'sale-É', 'SALE-É']) {
      expect(await targetOf(spelling)).toEqual(['Sale-É', 'https://example.com/Sale-%C3%89']);
    }
    statements = 0;
    for (let n = 0; n < 20; n += 1) expect(gateway.resolver.peek(DOMAIN, 'sALE-É')).toMatchObject({ outcome: 'found' });
    expect(statements).toBe(0);
    expect(await targetOf('sale-é')).toBeUndefined(); // A to Z only
    expect(await targetOf('sale')).toBeUndefined();
  });

  it('never take an exact link away, and lead to neither of two', async () => {
    for (const code of ['aBc', 'AbC']) await create(exact, code);
    await create(exact, 'abc', 'other.test');
    await create(exact, 'xY', 'other.test');
    for (let round = 0; round < 2; round += 1) {
      expect(await targetOf('abc')).toBeUndefined();
      expect(await targetOf('aBc')).toEqual(['aBc', 'https://example.com/aBc']);
      expect(await targetOf('AbC')).toEqual(['AbC', 'https://example.com/AbC']);
      expect(await targetOf('ABC', 'other.test')).toEqual(['abc', 'https://example.com/abc']);
      expect(await targetOf('XY')).toBeUndefined();
    }
    await editor.delete(Reach.everything, named('aBc'));
    await until('abc', ['AbC', 'https://example.com/AbC']);
    await until('aBc', ['AbC', 'https://example.com/AbC']);
    await bin.restore(Reach.everything, 'aBc', null);
    await until('aBc', ['aBc', 'https://example.com/aBc']);
    await until('abc', undefined);
  });

  it('follow creations, edits, deletions and restorations within a second, in another spelling', async () => {
    expect(await targetOf('NEWS')).toBeUndefined();
    await create(loose, 'News');
    await until('NEWS', ['News', 'https://example.com/News']);
    await editor.edit(Reach.everything, named('News'), { longUrl: 'https://example.com/2' });
    await until('NEWS', ['News', 'https://example.com/2']);
    await editor.delete(Reach.everything, named('News'));
    await until('NEWS', undefined);
    await bin.restore(Reach.everything, 'News', null);
    await until('NEWS', ['News', 'https://example.com/2']);
  });

  it('are answered, and not kept, when the link changes while it is looked up', async () => {
    await create(loose, 'Race');
    await until('Race', ['Race', 'https://example.com/Race']);
    gateway.resolver.onChange({ domain: DOMAIN, code: 'Race' });
    const under = targetOf('RACE');
    gateway.resolver.onChange({ domain: DOMAIN, code: 'Race' });
    expect(await under).toEqual(['Race', 'https://example.com/Race']);
    expect(gateway.resolver.peek(DOMAIN, 'RACE')).toBeUndefined();
  });

  it('known to a gateway are answered while PostgreSQL is away', async () => {
    await create(loose, 'Known');
    await until('KNOWN', ['Known', 'https://example.com/Known']);
    await editor.edit(Reach.everything, named('Known'), { longUrl: 'https://example.com/3' });
    await until('KNOWN', ['Known', 'https://example.com/3']);
    isAway = true;
    later = 120_000; // nothing in memory is fresh any more
    expect(await targetOf('KNOWN')).toEqual(['Known', 'https://example.com/3']);
    const { failed } = gateway.resolver.answers;
    expect(await targetOf('KNOWN')).toEqual(['Known', 'https://example.com/3']);
    expect(gateway.resolver.answers.failed).toBe(failed); // nor do they wait for it again
    await expect(targetOf('UNHEARD')).rejects.toMatchObject({ code: 'link-lookup-failed' });
  });

  it('are refused to a link that differs in case from another one, deleted ones too', async () => {
    await create(loose, 'Taken');
    expect(await refusal(create(loose, 'TAKEN'))).toBe('non-unique-slug');
    await editor.delete(Reach.everything, named('Taken'));
    expect(await refusal(create(loose, 'taken'))).toBe('non-unique-slug');
    expect((await create(loose, 'taken', 'third.test')).code).toBe('taken');
    const { code } = await create(loose, null);
    expect(code).toBe(code.toLowerCase());
  });

  it('are given to one of those who ask at the same time, or in one request', async () => {
    for (let round = 0; round < 5; round += 1) {
      const spellings = ['Rival', 'rival', 'RIVAL', 'rIVAL'].map((code) => `${code}${round}`);
      const outcomes = await Promise.all(spellings.map((code) => refusal(create(loose, code))));
      expect(outcomes.sort()).toEqual(['created', ...Array<string>(3).fill('non-unique-slug')]);
    }
    const none = { domain: null, title: null, tags: [], groupId: null, longUrl: 'https://example.com' };
    const both = await loose.createAll(
      Reach.everything,
      ['One', 'ONE'].map((customSlug) => ({ ...none, customSlug })),
      (created) => Promise.resolve(created.map((one) => ('error' in one ? one.error.code : one.link.code))),
    );
    expect(both).toEqual(['One', 'non-unique-slug']);
  });
});
