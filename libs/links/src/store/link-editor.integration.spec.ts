import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { createRedis, LinkLocks, type RedisClient, waitForRedis } from '@hopcount/redis';
import { createLogger, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkOutbox } from '../outbox/link-outbox.js';
import { TestGateway } from '../resolution/test-gateway.spec-helpers.js';
import { LinkBin } from './link-bin.js';
import { LinkEditor } from './link-editor.js';
import { LinkStore } from './link-store.js';

const DOMAIN = 'short.test';
const logger = createLogger({ name: 'test', level: 'silent' });

describe('changing links', () => {
  let server: TestRedis;
  let given: TestDatabase;
  let database: Database;
  let redis: RedisClient;
  let store: LinkStore;
  let editor: LinkEditor;
  let bin: LinkBin;
  let gateway: TestGateway;

  beforeAll(async () => {
    [given, server] = await Promise.all([testDatabase(), testRedis()]);
    database = await Database.connect({ url: given.url, applicationName: 'test' });
    redis = createRedis({ url: server.url, name: 'test', logger });
    await waitForRedis(redis, 5_000);
    const outbox = new LinkOutbox(database, redis, logger);
    store = new LinkStore(database, new Snowflakes({ current: () => 1 }), outbox, {
      ...{ defaultDomain: DOMAIN, codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
    });
    await store.ensureDefaultDomain();
    editor = new LinkEditor(database, store, outbox, new LinkLocks(redis, { owner: 'test' }));
    bin = new LinkBin(database, store, outbox);
    gateway = await TestGateway.start(database, server.url, { defaultDomain: DOMAIN });
    await given.query(`INSERT INTO groups (id, name) VALUES ('a', 'a'), ('b', 'b')`);
  });
  afterAll(async () => {
    gateway.close();
    redis.disconnect();
    await database.close();
    await server.close();
    await given.drop();
  });

  const create = (customSlug: string, more = {}) =>
    store.create(Reach.everything, {
      ...{ longUrl: 'https://example.com/1', customSlug, domain: null, title: 'One', tags: ['x', 'y'], groupId: 'a' },
      ...more,
    });
  const targetOf = async (code: string) => {
    const resolution = await gateway.resolver.resolve(DOMAIN, code);
    return resolution.outcome === 'found' ? resolution.link.longUrl : resolution.outcome;
  };

  it('changes what is given and keeps the rest; null clears', async () => {
    const link = await create('parts');
    expect(link.version).toBe('1');
    expect(await editor.edit(Reach.everything, { code: 'parts', domain: null }, { title: ' Two ' })).toEqual({
      ...link,
      title: 'Two',
      version: '2',
    });
    const cleared = await editor.edit(
      Reach.everything,
      { code: 'parts', domain: DOMAIN },
      { title: null, groupId: null, tags: ['Z z', 'x'] },
    );
    expect(cleared).toEqual({ ...link, title: null, groupId: null, tags: ['z-z', 'x'], version: '3' });
    const target = await editor.edit(
      Reach.everything,
      { code: 'parts', domain: null, version: '3' },
      { longUrl: 'https://example.com/2' },
    );
    expect(target).toEqual({ ...cleared, longUrl: 'https://example.com/2', version: '4' });
  });

  it('changes settings one by one, beside another edit that commits meanwhile', async () => {
    const link = await create('set-one', { validUntil: new Date('2036-01-01T00:00:00Z'), forwardQuery: false });
    const edit = (edit: Parameters<LinkEditor['edit']>[2]) =>
      editor.edit(Reach.everything, { code: 'set-one', domain: null }, edit);
    expect(await edit({ maxVisits: 3, validUntil: null })).toEqual({
      ...link,
      ...{ maxVisits: 3, validUntil: null, version: '2' },
    });
    let edited: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(`UPDATE links SET title = 'Meanwhile', version = version + 1 WHERE id = $1`, [link.id]);
      edited = edit({ disabled: true });
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitUntil(async () => (await given.query(waiting)).length > 0, {
        describe: 'the edit waiting for the row',
      });
    });
    expect(await edited).toEqual({
      ...link,
      ...{ maxVisits: 3, validUntil: null, title: 'Meanwhile', disabled: true, version: '4' },
    });
  });

  it('refuses what a creation refuses, an unknown group and an old version; nothing of such an edit stays', async () => {
    const link = await create('kept');
    const edit = (edit: object, version?: string) =>
      editor.edit(Reach.everything, { code: 'kept', domain: null, version }, edit);
    await expect(edit({ longUrl: 'http://10.0.0.1/', title: 'x' })).rejects.toMatchObject({ code: 'unsafe-target' });
    await expect(edit({ longUrl: `https://${DOMAIN}/x` })).rejects.toMatchObject({ code: 'unsafe-target' });
    await expect(edit({ tags: ['n'], groupId: 'nobody' })).rejects.toMatchObject({
      code: 'invalid-data',
      details: { invalidElements: ['groupId'] },
    });
    await expect(edit({ tags: ['n'], groupId: 'b' }, '7')).rejects.toMatchObject({
      code: 'version-conflict',
      details: { version: '1' },
    });
    expect(await store.get(Reach.everything, 'kept', null)).toEqual(link);
    await expect(editor.edit(Reach.everything, { code: 'nope', domain: null }, { title: 'x' })).rejects.toMatchObject({
      code: 'short-url-not-found',
    });
  });

  it.each([
    [
      'edits',
      (reach: Reach, code: string): Promise<unknown> =>
        editor.edit(reach, { code, domain: null }, { title: 'x', tags: ['n'] }),
    ],
    ['deletes', (reach: Reach, code: string): Promise<unknown> => editor.delete(reach, { code, domain: null })],
  ])('%s nothing that left the reach since it was found', async (what, change) => {
    const link = await create(`left-${what}`);
    let changing: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(`UPDATE links SET group_id = 'b', version = version + 1 WHERE id = $1`, [link.id]);
      changing = change(Reach.ofGroups(['a']), link.code).catch((error: unknown) => error);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitUntil(async () => (await given.query(waiting)).length > 0, {
        describe: 'the change waiting for the row',
      });
    });
    expect(await changing).toMatchObject({ code: 'short-url-not-found', details: { shortCode: link.code } });
    expect(await store.get(Reach.everything, link.code, null)).toEqual({ ...link, groupId: 'b', version: '2' });
  });

  it('shows an edit on a gateway that holds the old copy within a second', async () => {
    await create('seen');
    expect(await targetOf('seen')).toBe('https://example.com/1');
    for (let n = 2; n < 20; n += 1) {
      const longUrl = `https://example.com/${n}`;
      await editor.edit(Reach.everything, { code: 'seen', domain: null }, { longUrl });
      await waitUntil(async () => (await targetOf('seen')) === longUrl, { timeoutMs: 1_000, describe: longUrl });
      expect(await targetOf('seen')).toBe(longUrl);
    }
  });

  it('deletes: 404 on a gateway within a second, the code stays taken, its visits stay', async () => {
    const link = await create('gone');
    await given.query(
      `INSERT INTO visits (occurred_at, event_id, link_id, class, enrichment_version, country, region, city, os, browser,
         device, network, referrer_host, language, source)
       VALUES (now(), gen_random_uuid(), $1, 0, 1, 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'x', 'gw')`,
      [link.id],
    );
    expect(await targetOf('gone')).toBe('https://example.com/1');
    await expect(editor.delete(Reach.everything, { code: 'gone', domain: null, version: '2' })).rejects.toMatchObject({
      code: 'version-conflict',
    });
    await editor.delete(Reach.everything, { code: 'gone', domain: null, version: '1' });
    await waitUntil(async () => (await targetOf('gone')) !== 'https://example.com/1', {
      timeoutMs: 1_000,
      describe: 'the deletion to be seen',
    });
    expect(await targetOf('gone')).not.toMatch(/^http/);
    await expect(editor.delete(Reach.everything, { code: 'gone', domain: null })).rejects.toMatchObject({
      code: 'short-url-not-found',
    });
    await expect(editor.edit(Reach.everything, { code: 'gone', domain: null }, { title: 'x' })).rejects.toMatchObject({
      code: 'short-url-not-found',
    });
    await expect(create('gone')).rejects.toMatchObject({ code: 'non-unique-slug' });
    expect(await given.query('SELECT FROM visits WHERE link_id = $1', [link.id])).toHaveLength(1);
  });

  it('restores: gateways redirect again within a second; purged, nothing of it is left in Redis', async () => {
    const link = await create('back');
    const seenWithinASecond = (expected: string) =>
      waitUntil(async () => (await targetOf('back')) === expected, { timeoutMs: 1_000, describe: expected });
    const copy = async () => {
      const [key] = await server.client.keys('hc:link*/back}');
      return key === undefined ? undefined : server.client.hgetall(key);
    };
    await targetOf('back');
    await waitUntil(async () => (await copy())?.['url'] === link.longUrl, { describe: 'the copy in Redis' });
    await editor.delete(Reach.everything, { code: 'back', domain: null });
    await seenWithinASecond('unknown');
    expect(await bin.restore(Reach.everything, 'back', null)).toEqual({ ...link, version: '3' });
    await seenWithinASecond(link.longUrl);
    await expect(
      editor.edit(Reach.everything, { code: 'back', domain: null, version: '1' }, { title: 'x' }),
    ).rejects.toMatchObject({
      code: 'version-conflict',
    });
    await editor.delete(Reach.everything, { code: 'back', domain: null });
    expect(await bin.purge(Reach.everything, 'back', null, (_, id) => Promise.resolve(id))).toBe(link.id);
    expect(await copy()).toMatchObject({ url: '', version: '5' });
    expect(await targetOf('back')).toBe('unknown');
  });

  it('purges a link only together with the mark of its visits', async () => {
    const link = await create('unmarked');
    await editor.delete(Reach.everything, { code: 'unmarked', domain: null });
    const refused = bin.purge(Reach.everything, 'unmarked', null, () => Promise.reject(new Error('no mark')));
    await expect(refused).rejects.toThrow('no mark');
    expect(await bin.restore(Reach.everything, 'unmarked', null)).toEqual({ ...link, version: '3' });
  });

  it('of parallel deletions one succeeds', async () => {
    await create('once');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => editor.delete(Reach.everything, { code: 'once', domain: null })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});
