import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deletedShortUrlListSchema, shortUrlSchema } from '@hopcount/contracts';

import { TestApi } from '../../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.stop());

const remove = async (path: string) =>
  expect((await api.request('DELETE', `/rest/v3/short-urls/${path}`)).status).toBe(204);
const restore = (path: string) =>
  api.request('POST', `/rest/v3/deleted-short-urls/${path.replace(/(\?|$)/, '/restore$1')}`);
const purge = (path: string) => api.request('DELETE', `/rest/v3/deleted-short-urls/${path}`);
async function bin(query = '') {
  const { status, body } = await api.get(`deleted-short-urls?${query}`);
  expect([status, deletedShortUrlListSchema.safeParse(body).error]).toEqual([200, undefined]);
  const { data, pagination } = deletedShortUrlListSchema.parse(body).shortUrls;
  return { codes: data.map(({ shortCode }) => shortCode), data, pagination };
}

describe('the recycle bin', () => {
  it('lists deleted links, the last one first, until they are restored or purged', async () => {
    const created: Record<string, unknown>[] = [];
    for (const customSlug of ['a', 'b', 'c']) {
      const domain = customSlug === 'c' ? 'bin.example' : undefined;
      created.push((await api.create({ longUrl: `https://example.com/${customSlug}`, customSlug, domain })).body);
    }
    expect((await bin()).codes).toEqual([]);
    for (const path of ['b', 'c?domain=bin.example', 'a']) await remove(path);
    const { codes, data, pagination } = await bin();
    expect([codes, pagination.totalItems]).toEqual([['a', 'c', 'b'], 3]);
    expect(data[0]).toEqual({ ...created[0], dateDeleted: expect.stringMatching(/^20\d\d-.*\+00:00$/) });
    expect((await bin('itemsPerPage=2&page=2')).codes).toEqual(['b']);
    expect((await bin('domain=DEFAULT')).codes).toEqual(['a', 'b']);
    expect((await bin('domain=bin.example')).codes).toEqual(['c']);
    expect((await bin('domain=none.example')).codes).toEqual([]);
    expect((await api.get('short-urls')).body).toMatchObject({ shortUrls: { data: [] } });

    const restored = await restore('c?domain=bin.example');
    expect([restored.status, restored.headers.get('etag')]).toEqual([200, '"3"']);
    expect(shortUrlSchema.parse(restored.body)).toEqual(created[2]);
    expect((await api.get('short-urls/c?domain=bin.example')).body).toEqual(created[2]);
    expect((await api.get('short-urls')).body).toMatchObject({ shortUrls: { data: [created[2]] } });
    expect((await purge('a')).body).toEqual({ deletedVisits: 0 });
    expect((await bin()).codes).toEqual(['b']);
  });

  it('keeps nothing of a purged link but its code, which nobody gets again', async () => {
    const body = {
      longUrl: 'https://secret.example/',
      title: 'Secret',
      tags: ['secret'],
      groupId: 'g',
      note: 'secret',
    };
    await api.create({ ...body, customSlug: 'gone' });
    await api.database.query(
      "INSERT INTO link_titles (link_id, found_title) SELECT id, 'Secret' FROM links WHERE code = 'gone'",
    );
    await remove('gone');
    await purge('gone');
    const [row] = await api.database.query<{ text: string }>(
      `SELECT concat(to_jsonb(links), (SELECT count(*) FROM link_tags WHERE link_id = links.id),
         (SELECT count(*) FROM link_titles WHERE link_id = links.id)) AS text FROM links WHERE code = 'gone'`,
    );
    expect(row?.text).toContain('gone');
    expect(row?.text).not.toMatch(/secret|"g"/i);
    expect(row?.text).toMatch(/\}00$/);
    expect((await api.create({ longUrl: 'https://example.com', customSlug: 'gone' })).body).toMatchObject({
      status: 400,
      customSlug: 'gone',
    });
    expect((await restore('gone')).status).toBe(404);
    expect((await purge('gone')).status).toBe(404);
    expect((await api.get('short-urls/gone')).status).toBe(404);
  });

  it('of parallel restorations and purges of one link one happens', async () => {
    await api.create({ longUrl: 'https://example.com', customSlug: 'raced' });
    await remove('raced');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? restore('raced') : purge('raced'))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(9);
  });

  it('holds no link that is there, was never there, or is on another domain', async () => {
    await api.create({ longUrl: 'https://example.com', customSlug: 'there' });
    await api.create({ longUrl: 'https://example.com', customSlug: 'there', domain: 'two.example' });
    await remove('there?domain=two.example');
    for (const path of ['there', 'never', '%00', 'there?domain=three.example']) {
      for (const answer of [await restore(path), await purge(path)]) {
        expect(answer.body).toMatchObject({ status: 404, type: 'https://shlink.io/api/error/short-url-not-found' });
      }
    }
    expect((await restore('there?domain=TWO.example')).status).toBe(200);
  });
});
