import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { LinkEditor } from '../store/link-editor.js';
import { LinkStore } from '../store/link-store.js';
import { type TitleRequest, TitleRequests } from './title-requests.js';

let given: TestDatabase;
let database: Database;
let requests: TitleRequests;
let id = 1n;

const store = (autoResolveTitles: boolean) =>
  new LinkStore(
    database,
    { next: () => id++ } as never,
    { announce: () => Promise.resolve() },
    {
      ...{ defaultDomain: 'sho.rt', codeStrategy: 'random', secret: 'x'.repeat(40), allowPrivateTargets: false },
      autoResolveTitles,
    },
  );
const editor = () =>
  new LinkEditor(database, store(true), { announce: () => Promise.resolve() }, {
    aroundWrite: (_: unknown, work: () => Promise<unknown>) => work(),
  } as never);

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
  requests = new TitleRequests(database);
  await store(true).ensureDefaultDomain();
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

function create(fields: { title?: string; longUrl?: string } = {}, on = true) {
  const link = {
    longUrl: 'https://example.com/1',
    customSlug: null,
    domain: null,
    title: null,
    tags: [],
    groupId: null,
  };
  return store(on).create(Reach.everything, { ...link, ...fields });
}

/** Whatever waits, once. */
async function waiting(): Promise<TitleRequest[]> {
  return requests.take(100);
}

const titleOf = async (code: string) => (await store(true).get(Reach.everything, code, null)).title;
const edit = (code: string, change: { title?: string | null; longUrl?: string; tags?: string[] }) =>
  editor().edit(Reach.everything, { code, domain: null }, change);

describe('a title is looked for', () => {
  it('when a link has none, the setting is on and nobody else looks', async () => {
    const link = await create();
    await create({ title: 'Mine' });
    await create({}, false);
    const [first, second] = await Promise.all([waiting(), waiting()]);
    expect([...first, ...second]).toEqual([
      { linkId: link.id, longUrl: 'https://example.com/1', dueAt: expect.any(String) },
    ]);
  });

  it('again when the target changes, and the one found at the old target goes at once', async () => {
    const { code, version } = await create();
    const [request] = await waiting();
    expect(await requests.write(request!, ' Found ')).toBe(true);
    expect(await titleOf(code)).toBe('Found');
    expect((await store(true).get(Reach.everything, code, null)).version).toBe(String(Number(version) + 1));
    expect(await waiting()).toEqual([]);
    await edit(code, { tags: ['a'] });
    expect([await waiting(), await titleOf(code)]).toEqual([[], 'Found']);
    await edit(code, { longUrl: 'https://example.com/2' });
    expect([await titleOf(code), await waiting()]).toEqual([
      null,
      [{ linkId: request!.linkId, longUrl: 'https://example.com/2', dueAt: expect.any(String) }],
    ]);
  });

  it('no more once its owner has said what it is, also that it has none', async () => {
    for (const title of ['Mine', null]) {
      const { code } = await create();
      const [request] = await waiting();
      await edit(code, { title });
      expect([await requests.write(request!, 'Found'), await titleOf(code)]).toEqual([false, title]);
      expect(await waiting()).toEqual([]);
    }
    const mine = await create({ title: 'Mine' });
    await edit(mine.code, { longUrl: 'https://example.com/2' });
    expect([await waiting(), await titleOf(mine.code)]).toEqual([[], 'Mine']);
  });

  it('for the target there is: an answer about an older one is not taken', async () => {
    const { code } = await create();
    const [old] = await waiting();
    await edit(code, { longUrl: 'https://example.com/2' });
    expect(await requests.write(old!, 'Old')).toBe(false);
    await requests.drop(old!);
    const [current] = await waiting();
    expect(current?.longUrl).toBe('https://example.com/2');
    expect(await requests.write(current!, 'New')).toBe(true);
    expect(await titleOf(code)).toBe('New');
  });

  it('for no deleted link', async () => {
    const { code } = await create();
    await editor().delete(Reach.everything, { code, domain: null });
    expect(await waiting()).toEqual([]);
    const rows = await given.query('SELECT 1 FROM link_titles JOIN links ON id = link_id WHERE deleted_at IS NOT NULL');
    expect(rows).toEqual([]);
  });
});
