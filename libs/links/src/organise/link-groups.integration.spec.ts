import { Database, type Queryable, type Transaction } from '@hopcount/postgres';
import { isAppError, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkEditor } from '../store/link-editor.js';
import { LinkStore } from '../store/link-store.js';
import { LinkGroups, type LinkGroupsSettings } from './link-groups.js';

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const SMALL = { linksPerMove: 3 };

describe('groups', () => {
  let given: TestDatabase;
  let database: Database;
  let store: LinkStore;
  let editor: LinkEditor;
  /** Links of each write lock that was taken. */
  let locked: string[][] = [];
  /** Moves until the process ends. */
  let movesLeft = Infinity;
  const nobody = { announce: () => Promise.resolve() };
  const locks = {
    aroundWrite: async <T>(ids: readonly string[], work: (signal: AbortSignal) => Promise<T>) => {
      if ((movesLeft -= 1) < 0) throw new Error('the process ends');
      locked.push([...ids]);
      return work(new AbortController().signal);
    },
  };
  const groupsWith = (settings: LinkGroupsSettings) => new LinkGroups(database, store, nobody, locks, settings);
  let groups: LinkGroups;

  beforeAll(async () => {
    given = await testDatabase();
    database = await Database.connect({ url: given.url, applicationName: 'test', poolSize: 12 });
    store = new LinkStore(database, new Snowflakes({ current: () => 1 }), nobody, {
      ...{ defaultDomain: 's.test', codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
    });
    await store.ensureDefaultDomain();
    editor = new LinkEditor(database, store, nobody, locks);
    groups = groupsWith(SMALL);
  });
  afterEach(async () => {
    [locked, movesLeft] = [[], Infinity];
    await given.query('TRUNCATE links, groups, link_outbox CASCADE');
  });
  afterAll(async () => {
    await database?.close();
    await given?.drop();
  });

  const create = (groupId: string | null, customSlug: string | null = null) =>
    store.create(Reach.everything, {
      ...{ customSlug, longUrl: 'https://example.com', domain: null, title: null, tags: [] },
      groupId,
    });
  const createMany = async (groupId: string, number: number) => {
    for (let n = 0; n < number; n += 1) await create(groupId, `${groupId}-${n}`);
  };
  const listed = async () =>
    (await groups.list(Reach.everything, { offset: 0, limit: 100 })).groups.map(({ id, links, deletedLinks }) => {
      return `${id} ${links}${deletedLinks === 0 ? '' : `+${deletedLinks}`}`;
    });
  const groupsOfLinks = async () =>
    (
      await given.query<{ group_id: string | null; number: number }>(
        'SELECT group_id, count(*)::integer AS number FROM links GROUP BY 1 ORDER BY 1',
      )
    ).map((row) => `${row.group_id} ${row.number}`);
  const announced = async () =>
    (await given.query<{ number: number }>('SELECT count(DISTINCT link_id)::integer AS number FROM link_outbox'))[0]
      ?.number;

  it('are created, renamed, ordered and listed with their links', async () => {
    await createMany('b', 2);
    expect(await groups.create(Reach.everything, ' a ', ' First ')).toEqual({
      id: 'a',
      name: 'First',
      links: 0,
      deletedLinks: 0,
    });
    await groups.create(Reach.everything, 'c', null);
    await editor.delete(Reach.everything, { code: 'b-1', domain: null });
    expect(await listed()).toEqual(['b 1+1', 'a 0', 'c 0']);
    await groups.order(Reach.everything, ['c', 'a']);
    await create('new');
    expect(await listed()).toEqual(['c 0', 'a 0', 'b 1+1', 'new 1']);
    await groups.order(Reach.everything, ['new', 'c', 'new']);
    expect(await listed()).toEqual(['new 1', 'c 0', 'a 0', 'b 1+1']);
    expect(await groups.list(Reach.everything, { offset: 2, limit: 1 })).toMatchObject({
      groups: [{ id: 'a' }],
      totalItems: 4,
    });
    expect(await groups.rename(Reach.everything, 'a', 'Renamed')).toMatchObject({ id: 'a', name: 'Renamed' });

    await expect(groups.create(Reach.everything, 'a', 'x')).rejects.toMatchObject({
      code: 'group-conflict',
      details: { groupId: 'a' },
    });
    await expect(groups.create(Reach.everything, ' ', 'x')).rejects.toMatchObject({
      details: { invalidElements: ['groupId'] },
    });
    await expect(groups.create(Reach.everything, 'd', ' ')).rejects.toMatchObject({
      details: { invalidElements: ['name'] },
    });
    await expect(groups.rename(Reach.everything, 'a', 'x'.repeat(300))).rejects.toMatchObject({
      details: { invalidElements: ['name'] },
    });
    for (const id of ['nobody', 'a\u0000']) {
      for (const work of [
        () => groups.rename(Reach.everything, id, 'x'),
        () => groups.order(Reach.everything, ['a', id]),
        () => groups.delete(Reach.everything, id, { into: null, administers: false }),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'group-not-found', details: { groupId: id } });
      }
    }
  });

  it('are ordered without a look at their links, however often one is named', async () => {
    await createMany('a', 1);
    await groups.create(Reach.everything, 'b', null);
    const statements: string[] = [];
    const noting = (on: Queryable) => ({
      query: (text: string, values?: unknown[]) => (statements.push(text), on.query(text, values)),
    });
    const noted = {
      ...noting(database),
      transaction: (work: (tx: Transaction) => Promise<unknown>) =>
        database.transaction((tx) => work(noting(tx) as Transaction)),
    } as unknown as Database;
    await new LinkGroups(noted, store, nobody, locks).order(
      Reach.everything,
      Array.from({ length: 1_000 }, (_, n) => 'ba'[n % 2]!),
    );
    expect(await listed()).toEqual(['b 0', 'a 1']);
    expect(statements).toHaveLength(2);
    expect(statements.filter((text) => /\blinks\b/.test(text))).toEqual([]);
  });

  it('get links of other groups, many at once and under their write locks, or lose them', async () => {
    await createMany('a', 7);
    await groups.create(Reach.everything, 'b', null);
    await given.query('DELETE FROM link_outbox');
    const named = Array.from({ length: 7 }, (_, n) => ({ code: `a-${n}`, domain: n % 2 === 0 ? null : 'S.test' }));
    expect(await groups.move(Reach.everything, [...named, named[0]!], 'b')).toBe(7);
    expect(locked.map((ids) => ids.length)).toEqual([3, 3, 1]);
    expect([await groupsOfLinks(), await announced()]).toEqual([['b 7'], 7]);
    expect(await groups.move(Reach.everything, named.slice(0, 4), 'b')).toBe(0);
    expect(await groups.move(Reach.everything, named.slice(0, 2), null)).toBe(2);
    expect(await groupsOfLinks()).toEqual(['b 5', 'null 2']);
    expect((await store.get(Reach.everything, 'a-0', null)).version).toBe('3');

    const missing = [...named, { code: 'nothing', domain: null }];
    await expect(groups.move(Reach.everything, missing, 'a')).rejects.toMatchObject({
      details: { shortCode: 'nothing' },
    });
    await expect(groups.move(Reach.everything, named, 'nobody')).rejects.toMatchObject({ code: 'group-not-found' });
    await expect(groups.move(Reach.everything, [{ code: '\u0000', domain: null }], 'a')).rejects.toMatchObject({
      code: 'short-url-not-found',
    });
    expect(await groupsOfLinks()).toEqual(['b 5', 'null 2']);
  });

  it('go when they have no links, deleted ones included, or when another group gets them', async () => {
    await createMany('a', 4);
    await groups.create(Reach.everything, 'b', null);
    for (let n = 0; n < 4; n += 1) await editor.delete(Reach.everything, { code: `a-${n}`, domain: null });
    await expect(groups.delete(Reach.everything, 'a', { into: null, administers: false })).rejects.toMatchObject({
      ...{ code: 'group-not-empty', details: { groupId: 'a', shortUrlsCount: 0, deletedShortUrlsCount: 4 } },
    });
    await expect(groups.delete(Reach.everything, 'a', { into: 'a', administers: false })).rejects.toMatchObject({
      details: { invalidElements: ['moveTo'] },
    });
    await expect(groups.delete(Reach.everything, 'a', { into: 'nobody', administers: false })).rejects.toMatchObject({
      details: { groupId: 'nobody' },
    });
    await groups.delete(Reach.everything, 'a', { into: 'b', administers: false });
    expect([await listed(), await groupsOfLinks()]).toEqual([['b 0+4'], ['b 4']]);
    await groups.create(Reach.everything, 'empty', null);
    await groups.delete(Reach.everything, 'empty', { into: null, administers: false });
    expect(await listed()).toEqual(['b 0+4']);
  });

  it('in which users have roles go with these for those who administer only', async () => {
    await createMany('a', 1);
    await groups.create(Reach.everything, 'b', null);
    const [user] = await given.query<{ id: number }>(
      `INSERT INTO users (email, name, password_hash) VALUES ('a@x.test', 'A', '') RETURNING id`,
    );
    const give = `INSERT INTO group_roles VALUES ($1, 'a', 'viewer')`;
    await given.query(give, [user?.id]);
    const refused = { code: 'group-has-roles', details: { groupId: 'a', usersCount: 1 } };
    await expect(groups.delete(Reach.everything, 'a', { into: 'b', administers: false })).rejects.toMatchObject(
      refused,
    );
    expect(await groupsOfLinks()).toEqual(['a 1']);
    await groups.delete(Reach.everything, 'a', { into: 'b', administers: true });
    expect([await listed(), await given.query('SELECT FROM group_roles')]).toEqual([['b 1'], []]);

    // Also a role that is given while it is deleted.
    await groups.create(Reach.everything, 'a', null);
    let deleting: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(give, [user?.id]);
      deleting = groups
        .delete(Reach.everything, 'a', { into: null, administers: false })
        .catch((error: unknown) => error);
      await waitUntil(async () => (await given.query(WAITING)).length > 0, { describe: 'the deletion waiting' });
    });
    expect(await deleting).toMatchObject(refused);
    expect(await given.query('SELECT FROM group_roles')).toHaveLength(1);
  });

  it('get no link that left the reach of who moves it, nor lose one', async () => {
    await createMany('a', 2);
    for (const id of ['b', 'c']) await groups.create(Reach.everything, id, null);
    const reach = Reach.ofGroups(['a', 'b']);
    let moving: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      await tx.query(`UPDATE links SET group_id = 'c', version = version + 1 WHERE code = 'a-1'`);
      const named = ['a-0', 'a-1'].map((code) => ({ code, domain: null }));
      moving = groups.move(reach, named, 'b').catch((error: unknown) => error);
      await waitUntil(async () => (await given.query(WAITING)).length > 0, {
        describe: 'the move waiting for the row',
      });
    });
    expect(await moving).toMatchObject({ code: 'short-url-not-found', details: { shortCode: 'a-1' } });
    expect(await groupsOfLinks()).toEqual(['a 1', 'c 1']);
  });

  it('whose deletion was killed in the middle are whole, and go with the next request', async () => {
    await createMany('a', 10);
    await groups.create(Reach.everything, 'b', null);
    await given.query('DELETE FROM link_outbox');
    movesLeft = 2;
    await expect(groups.delete(Reach.everything, 'a', { into: 'b', administers: false })).rejects.toThrow(
      'the process ends',
    );
    expect(await groupsOfLinks()).toEqual(['a 4', 'b 6']);
    movesLeft = Infinity;
    await groups.delete(Reach.everything, 'a', { into: 'b', administers: false });
    expect([await listed(), await groupsOfLinks(), await announced()]).toEqual([['b 10'], ['b 10'], 10]);
  });

  it('with more links than one request may move say so, and go on', async () => {
    await createMany('a', 10);
    await groups.create(Reach.everything, 'b', null);
    const impatient = groupsWith({ ...SMALL, budgetMs: 0 });
    await expect(impatient.delete(Reach.everything, 'a', { into: 'b', administers: false })).rejects.toMatchObject({
      ...{ code: 'group-move-unfinished', details: { shortUrlsCount: 7 } },
    });
    await expect(impatient.delete(Reach.everything, 'a', { into: 'b', administers: false })).rejects.toMatchObject({
      details: { shortUrlsCount: 4 },
    });
    await groups.delete(Reach.everything, 'a', { into: 'b', administers: false });
    expect(await groupsOfLinks()).toEqual(['b 10']);
  });

  it('that are deleted while links are created in them and moved into them lose none', async () => {
    await createMany('a', 3);
    await groups.create(Reach.everything, 'b', null);
    const many = groupsWith({});
    let isOver = false;
    let outside = 0;
    const creating = Promise.all(
      Array.from({ length: 6 }, async (_, actor) => {
        for (let n = 0; n < 20; n += 1) {
          const { code } = await create('a');
          if (actor !== 0) continue;
          await editor.edit(Reach.everything, { code, domain: null }, { groupId: null });
          // The group may be gone: then the edit says so, and changes nothing.
          await editor.edit(Reach.everything, { code, domain: null }, { groupId: 'a' }).catch((error: unknown) => {
            if (!isAppError(error, 'invalid-data')) throw error;
            outside += 1;
          });
        }
      }),
    ).finally(() => (isOver = true));
    let deletions = 0;
    while (!isOver) {
      await many.delete(Reach.everything, 'a', { into: 'b', administers: false }).then(
        () => (deletions += 1),
        (error: unknown) => {
          if (!isAppError(error, 'group-not-found')) throw error;
        },
      );
    }
    await creating;
    expect(deletions).toBeGreaterThan(1);
    await groups.delete(Reach.everything, 'a', { into: 'b', administers: false }).catch(() => undefined);
    expect(await groupsOfLinks()).toEqual([`b ${123 - outside}`, ...(outside === 0 ? [] : [`null ${outside}`])]);
  });
});
