import { Database, type Transaction, type TransactionOptions } from '@hopcount/postgres';
import { isAppError, Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { Snowflakes } from '../ids/snowflake.js';
import { LinkBin } from '../store/link-bin.js';
import { LinkEditor } from '../store/link-editor.js';
import { LinkStore } from '../store/link-store.js';
import { TagEditor } from './tag-editor.js';
import { TagList, type TagListQuery } from './tag-list.js';
import { foldTagChanges } from './tag-totals.js';

const ANY = Reach.everything;
const missing = (tag: string) => ({ code: 'tag-not-found', details: { tag } });

/** What the sums of a tag are sums of. */
const TRUTH = `SELECT name AS tag, count(link_id) FILTER (WHERE listed)::integer AS links,
    coalesce(sum(visits), 0)::integer AS visits, coalesce(sum(non_bot_visits), 0)::integer AS "nonBotVisits"
  FROM tags LEFT JOIN link_tags ON tag_id = tags.id LEFT JOIN link_totals USING (link_id)
  GROUP BY name ORDER BY name`;

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Who comes to it first waits until it is open. */
function gate() {
  let [open, reach] = [() => {}, () => {}];
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  return { open: () => open(), reached, passed: () => (reach(), opened) };
}

describe('tags', () => {
  let given: TestDatabase;
  let database: Database;
  let store: LinkStore;
  let editor: LinkEditor;
  let bin: LinkBin;
  let tags: TagEditor;
  let list: TagList;

  beforeAll(async () => {
    given = await testDatabase();
    database = await Database.connect({ url: given.url, applicationName: 'test', poolSize: 12 });
    const nobody = { announce: () => Promise.resolve() };
    store = new LinkStore(database, new Snowflakes({ current: () => 1 }), nobody, {
      ...{ defaultDomain: 's.test', codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
    });
    await store.ensureDefaultDomain();
    editor = new LinkEditor(database, store, nobody, { aroundWrite: (_, work) => work(new AbortController().signal) });
    bin = new LinkBin(database, store, nobody);
    tags = new TagEditor(database);
    list = new TagList(database);
  });
  afterEach(async () => {
    await expectExactSums();
    await given.query('TRUNCATE links, tags, link_totals, link_counts, tag_totals, tag_changes CASCADE');
  });
  afterAll(async () => {
    await database?.close();
    await given?.drop();
  });

  const byName = { field: 'tag', direction: 'ASC' } as const;
  const all: TagListQuery = { reach: ANY, searchTerm: null, orderBy: byName, offset: 0, limit: 100 };
  const listed = async (query: Partial<TagListQuery> = {}) => (await list.list({ ...all, ...query })).tags;
  async function expectExactSums(): Promise<void> {
    expect(await listed()).toEqual(await given.query(TRUTH));
    await foldTagChanges(database);
    expect(await given.query('SELECT FROM tag_changes')).toEqual([]);
    expect(await listed()).toEqual(await given.query(TRUTH));
  }

  const named = (code: string) => ({ code, domain: null });
  const create = (customSlug: string | null, names: string[]) =>
    store.create(ANY, {
      ...{ customSlug, longUrl: 'https://example.com', domain: null, title: null, groupId: null, tags: names },
    });
  const tagsOf = async (code: string) => (await store.get(ANY, code, null)).tags;
  const visit = (code: string, visits: number, bots = 0) =>
    given.query(
      `UPDATE link_totals SET visits = visits + $2, non_bot_visits = non_bot_visits + $3
       FROM links WHERE id = link_id AND code = $1`,
      [code, visits, visits - bots],
    );
  const row = (tag: string, links: number, visits: number, nonBotVisits = visits) => {
    return { tag, links, visits, nonBotVisits };
  };
  /** While `until` is pending, again and again. */
  const meanwhile = async (until: Promise<unknown>, work: (round: number) => Promise<unknown>): Promise<number> => {
    let isOver = false;
    void until.finally(() => (isOver = true)).catch(() => undefined);
    let rounds = 0;
    while (!isOver) await work((rounds += 1));
    await until;
    return rounds;
  };
  const createMany = (number: number, names: string[]) =>
    Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let n = 0; n < number; n += 1) await create(null, names);
      }),
    );
  /** Of every link, in the order of their creation. */
  const allTags = async () =>
    (
      await given.query<{ tags: string[] }>(
        `SELECT ARRAY(SELECT name::text FROM tags JOIN link_tags ON tag_id = tags.id WHERE link_id = links.id ORDER BY 1)
         AS tags FROM links ORDER BY id`,
      )
    ).map((link) => link.tags);

  it('say how many links have them and how often these were visited, through a link’s whole life', async () => {
    await create('one', ['a', 'b']);
    await visit('one', 3, 1);
    await create('two', ['b']);
    await visit('two', 10);
    expect(await listed()).toEqual([row('a', 1, 3, 2), row('b', 2, 13, 12)]);
    await expectExactSums();
    await editor.edit(ANY, named('one'), { tags: ['c', 'b'] });
    expect(await listed()).toEqual([row('a', 0, 0), row('b', 2, 13, 12), row('c', 1, 3, 2)]);
    await editor.delete(ANY, named('one'));
    expect(await listed()).toEqual([row('a', 0, 0), row('b', 1, 13, 12), row('c', 0, 3, 2)]);
    await expectExactSums();
    await bin.restore(ANY, 'one', null);
    await visit('one', 1);
    expect(await listed()).toEqual([row('a', 0, 0), row('b', 2, 14, 13), row('c', 1, 4, 3)]);
    await editor.delete(ANY, named('one'));
    await bin.purge(ANY, 'one', null, () => Promise.resolve('marked'));
    expect(await listed()).toEqual([row('a', 0, 0), row('b', 1, 10), row('c', 0, 0)]);
  });

  it('are listed in any order, searched and paged', async () => {
    for (const [code, names] of [
      ['1', ['alpha', 'spring']],
      ['2', ['beta', 'spring']],
      ['3', ['spring-2']],
    ] as const) {
      await create(`code-${code}`, [...names]);
      await visit(`code-${code}`, Number(code) * 2, 1);
    }
    const names = async (query: Partial<TagListQuery>) => (await listed(query)).map(({ tag }) => tag).join();
    const by = (field: TagListQuery['orderBy']['field'], direction: 'ASC' | 'DESC' = 'DESC') => ({ field, direction });
    expect(await names({})).toBe('alpha,beta,spring,spring-2');
    expect(await names({ orderBy: by('tag') })).toBe('spring-2,spring,beta,alpha');
    expect(await names({ orderBy: by('shortUrlsCount') })).toBe('spring,alpha,beta,spring-2');
    expect(await names({ orderBy: by('visits') })).toBe('spring,spring-2,beta,alpha');
    expect(await names({ orderBy: by('nonBotVisits', 'ASC') })).toBe('alpha,beta,spring,spring-2');
    expect(await names({ searchTerm: 'SPRING' })).toBe('spring,spring-2');
    expect(await names({ searchTerm: '%' })).toBe('');
    expect(await list.list({ ...all, offset: 3, limit: 3 })).toMatchObject({
      tags: [{ tag: 'spring-2' }],
      totalItems: 4,
    });
    expect(await list.list({ ...all, offset: 9, limit: 3 })).toEqual({ tags: [], totalItems: 4 });
  });

  it('keep their links under a new name, which no other tag may have', async () => {
    await create('one', ['old', 'x']);
    await visit('one', 2);
    await tags.rename(ANY, ' OLD ', 'New One');
    expect(await tagsOf('one')).toEqual(['new-one', 'x']);
    await tags.rename(ANY, 'new-one', 'NEW one');
    await expect(tags.rename(ANY, 'old', 'y')).rejects.toMatchObject(missing('old'));
    await expect(tags.rename(ANY, 'x', 'new one')).rejects.toMatchObject({
      ...{ code: 'tag-conflict', details: { oldName: 'x', newName: 'new one' } },
    });
    for (const name of ['', '  ', 'a\u0000', 'x'.repeat(300)]) {
      await expect(tags.rename(ANY, 'x', name)).rejects.toMatchObject({ details: { invalidElements: ['newName'] } });
    }
  });

  it('that are merged are one tag, once on each link, also after a crash in the middle', async () => {
    for (let n = 0; n < 8; n += 1) {
      await create(`link-${n}`, [...(n % 2 === 0 ? ['a'] : ['first', 'b']), ...(n % 3 === 0 ? ['into'] : []), 'last']);
      await visit(`link-${n}`, n);
    }
    let left = 2;
    const dying = {
      query: database.query.bind(database),
      transaction: (...given: Parameters<Database['transaction']>) => {
        if ((left -= 1) < 0) throw new Error('the process ends');
        return database.transaction(...given);
      },
    } as unknown as Database;
    await expect(new TagEditor(dying, 3).merge(ANY, ['a', 'b'], 'into')).rejects.toThrow('the process ends');
    expect((await listed()).map(({ tag }) => tag)).toEqual(['a', 'b', 'first', 'into', 'last']);
    await expectExactSums();
    await new TagEditor(database, 3).merge(ANY, ['a', 'b', 'into'], 'into');
    expect(await listed()).toEqual([row('first', 4, 16), row('into', 8, 28), row('last', 8, 28)]);
    expect(await tagsOf('link-5')).toEqual(['first', 'into', 'last']);
    await create('typo', ['b']);
    await tags.merge(ANY, ['a', 'b'], 'into');
    expect(await tagsOf('typo')).toEqual(['into']);
    await expect(tags.merge(ANY, ['a'], 'into')).rejects.toMatchObject(missing('a'));
    await expect(tags.merge(ANY, ['into'], 'b')).rejects.toMatchObject(missing('b'));
  });

  it('that are merged while another merge gives them to a link are on it in the end', async () => {
    await create('one', ['z']);
    for (const name of ['x', 'y']) await create(name, [name]);
    const first = gate();
    const slow = {
      query: database.query.bind(database),
      transaction: (work: (tx: Transaction) => Promise<unknown>, ...rest: [TransactionOptions]) =>
        database.transaction(
          async (tx) => {
            const result = await work(tx);
            await first.passed();
            return result;
          },
          ...rest,
        ),
    } as unknown as Database;
    const intoX = new TagEditor(slow).merge(ANY, ['z'], 'x').catch((error: unknown) => error);
    await first.reached;
    const intoY = tags.merge(ANY, ['x'], 'y');
    await waitUntil(async () => (await given.query(WAITING)).length > 0, {
      describe: 'the merge to wait for the other',
    });
    first.open();
    expect(await intoX).toMatchObject(missing('x'));
    await intoY;
    expect([await tagsOf('one'), await tagsOf('x')]).toEqual([['y'], ['y']]);
  });

  it('that are merged into each other at the same time are one of them on every link', async () => {
    for (let round = 0; round < 10; round += 1) {
      for (const name of ['a', 'b']) await Promise.all([create(null, [name]), create(null, [name])]);
      const merges = await Promise.allSettled([tags.merge(ANY, ['a'], 'b'), tags.merge(ANY, ['b'], 'a')]);
      for (const merge of merges) {
        if (merge.status === 'rejected') expect(merge.reason).toMatchObject({ code: 'tag-not-found' });
      }
      expect((await allTags()).filter((names) => names.length !== 1)).toEqual([]);
    }
  });

  it('that are deleted leave their links', async () => {
    for (let n = 0; n < 7; n += 1) await create(`link-${n}`, ['a', 'b', 'c']);
    await new TagEditor(database, 3).delete(ANY, ['A', 'b', 'unknown']);
    expect(await listed()).toEqual([row('c', 7, 0)]);
  });

  it('are on every link that is created while they are renamed', async () => {
    await create(null, ['a']);
    const names = ['a', 'b'];
    const renames = await meanwhile(createMany(15, ['a']), async (round) => {
      // Whoever creates a link makes an "a" anew: then the two are one again.
      const [from, to] = [names[(round + 1) % 2]!, names[round % 2]!];
      await tags.rename(ANY, from, to).catch(async (error: unknown) => {
        if (!isAppError(error, 'tag-conflict') && !isAppError(error, 'tag-not-found')) throw error;
        if (isAppError(error, 'tag-conflict')) await tags.merge(ANY, [from], to);
      });
    });
    expect(renames).toBeGreaterThan(1);
    const links = await allTags();
    expect(links).toHaveLength(91);
    expect(links.filter((names) => names.length !== 1)).toEqual([]);
  });

  it('are on every link that is created while they are merged, and gone after the last merge', async () => {
    await create(null, ['a', 'b']);
    await meanwhile(createMany(15, ['a', 'b']), () =>
      tags.merge(ANY, ['a'], 'b').catch((error: unknown) => {
        if (!isAppError(error, 'tag-not-found')) throw error;
      }),
    );
    await create(null, ['a']);
    await tags.merge(ANY, ['a'], 'b');
    expect(new Set((await allTags()).map(String))).toEqual(new Set(['b']));
    expect(await listed()).toEqual([row('b', 92, 0)]);
  });

  it('that are deleted while links are created with them are on none or on all of the later ones', async () => {
    await create(null, ['stays', 'goes']);
    const deletions = await meanwhile(createMany(20, ['stays', 'goes']), () => tags.delete(ANY, ['goes']));
    expect(deletions).toBeGreaterThan(1);
    expect((await allTags()).filter((names) => !names.includes('stays'))).toEqual([]);
    await tags.delete(ANY, ['goes']);
    expect(new Set((await allTags()).map(String))).toEqual(new Set(['stays']));
  });

  it('are those that an edit says, whether they are merged before it or after', async () => {
    for (let round = 0; round < 15; round += 1) {
      await create(`edited-${round}`, ['a', 'b']);
      await Promise.all([tags.merge(ANY, ['a'], 'b'), editor.edit(ANY, named(`edited-${round}`), { tags: ['c'] })]);
      expect(await tagsOf(`edited-${round}`)).toEqual(['c']);
    }
  });

  it('take 20,000 totals at once as they take one, whatever the connection did before', async () => {
    const one = await Database.connect({ url: given.url, applicationName: 'test-one', poolSize: 1 });
    try {
      await one.query(`INSERT INTO tags (name) VALUES ('a')`);
      await one.query(`INSERT INTO links (id, domain_id, code, long_url)
        SELECT n, (SELECT id FROM domains), n, 'https://example.com' FROM generate_series(1, 20000) AS n`);
      await given.query('VACUUM ANALYZE link_tags');
      const add = 'UPDATE link_totals SET visits = visits + 1 WHERE link_id <= $1';
      await one.query(add, [1]);
      await one.query('INSERT INTO link_tags SELECT id, (SELECT id FROM tags) FROM links');
      // A plan for one row and no tags, kept and taken for all, would not end before the statement's time does.
      await one.query(add, [20_000]);
    } finally {
      await one.close();
    }
    expect(await listed()).toEqual([row('a', 20_000, 20_001, 0)]);
  });

  it('have exact sums while visits are added up, links tagged and changes folded at the same time', async () => {
    for (let n = 0; n < 10; n += 1) await create(`hot-${n}`, ['a']);
    const edits = Promise.all(
      Array.from({ length: 4 }, async (_, actor) => {
        for (let n = 0; n < 25; n += 1) {
          await editor.edit(ANY, named(`hot-${(actor + n) % 10}`), { tags: [['a', 'b', 'c'][n % 3]!] });
        }
      }),
    );
    await Promise.all([
      meanwhile(edits, () =>
        given.query(`UPDATE link_totals SET visits = visits + 1, non_bot_visits = non_bot_visits + 1
        FROM (SELECT link_id AS id FROM link_totals ORDER BY link_id FOR UPDATE) AS held WHERE id = link_id`),
      ),
      meanwhile(edits, () => foldTagChanges(database)),
      meanwhile(edits, async () => expect(await listed()).toEqual(expect.any(Array))),
    ]);
    expect((await listed()).reduce((sum, { visits }) => sum + visits, 0)).toBeGreaterThan(10);
  });
});
