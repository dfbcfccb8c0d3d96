import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Page, type ShortUrl, shortUrlListSchema } from '@hopcount/contracts';

import { TestApi } from '../../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.stop());

async function listed(query: string): Promise<Page<ShortUrl>> {
  const { status, body } = await api.get(`short-urls?${query}`);
  expect([status, shortUrlListSchema.safeParse(body).error]).toEqual([200, undefined]);
  return body['shortUrls'] as Page<ShortUrl>;
}

describe('the list of short URLs', () => {
  it('pages, newest first, ten at a time, each item as its own answer', async () => {
    const created: unknown[] = [];
    for (let index = 0; index < 12; index++) {
      const { body } = await api.create({ longUrl: `https://list.example/${index}`, tags: ['list', `n${index % 2}`] });
      await api.database.query('UPDATE links SET created_at = $1 WHERE id = $2', [
        new Date(1e12 + index * 1e3),
        body['id'],
      ]);
      created.push((await api.get(`short-urls/${String(body['shortCode'])}`)).body);
    }
    const first = await listed('tags[]=list');
    expect(first.data).toEqual(created.toReversed().slice(0, 10));
    expect(first.pagination).toEqual({
      ...{ currentPage: 1, pagesCount: 2, itemsPerPage: 10, itemsInCurrentPage: 10, totalItems: 12 },
    });
    const second = await listed('tags%5B%5D=list&page=2');
    expect(second.data).toEqual(created.toReversed().slice(10));
    expect(second.pagination).toMatchObject({ currentPage: 2, itemsInCurrentPage: 2 });
    expect((await listed('tags[]=list&itemsPerPage=-1')).pagination).toMatchObject({ itemsPerPage: 12, pagesCount: 1 });
    expect((await listed('tags[]=list&page=99')).data).toEqual([]);
    expect((await listed('tags[]=list&tags[]=n1&tagsMode=all')).pagination.totalItems).toBe(6);
    expect((await listed('tags[]=none')).pagination).toEqual({
      ...{ currentPage: 1, pagesCount: 1, itemsPerPage: 10, itemsInCurrentPage: 0, totalItems: 0 },
    });
    const range = 'startDate=2001-09-09T01:46:41%2B00:00&endDate=2001-09-09T01:46:43+00:00';
    expect((await listed(`tags[]=list&${range}`)).data).toHaveLength(3);
  });

  it('is ordered by the ordered totals and shows the slots', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      ids.push(
        (await api.create({ longUrl: 'https://example.com', tags: ['ordered'], customSlug: `o${index}` })).body[
          'id'
        ] as string,
      );
    }
    await api.database.query(
      'UPDATE link_totals SET visits = CASE link_id WHEN $1 THEN 3 ELSE 9 END, non_bot_visits = CASE link_id WHEN $1 THEN 1 ELSE 0 END WHERE link_id IN ($1, $2)',
      [ids[0], ids[1]],
    );
    await api.database.query(
      `INSERT INTO link_visit_slots VALUES ($1, false, 0, 1), ($1, true, 3, 2), ($2, true, 0, 4), ($2, true, 7, 5)`,
      [ids[0], ids[1]],
    );
    const codes = async (order: string) =>
      (await listed(`tags[]=ordered&orderBy=${order}`)).data.map((shortUrl) => shortUrl.shortCode);
    expect(await codes('visits-DESC')).toEqual(['o1', 'o0', 'o2']);
    expect(await codes('visits-ASC')).toEqual(['o2', 'o0', 'o1']);
    expect(await codes('nonBotVisits-DESC')).toEqual(['o0', 'o2', 'o1']);
    expect((await listed('tags[]=ordered&orderBy=visits-DESC')).data.map((shortUrl) => shortUrl.visitsSummary)).toEqual(
      [
        { total: 9, nonBots: 0, bots: 9 },
        { total: 3, nonBots: 1, bots: 2 },
        { total: 0, nonBots: 0, bots: 0 },
      ],
    );
  });

  it('leaves out what is not wanted, and counts the rest', async () => {
    const links = {
      one: { tags: ['x', 'red'] },
      two: { tags: ['x', 'red', 'blue'] },
      ended: { tags: ['x'] },
      full: { tags: ['x'] },
    };
    for (const [customSlug, { tags }] of Object.entries(links)) {
      await api.create({ longUrl: 'https://out.example', customSlug, tags });
    }
    await api.database.query("UPDATE links SET valid_until = now() - interval '1 s' WHERE code = 'ended'");
    await api.database.query(
      "UPDATE links SET max_visits = 3, valid_until = now() + interval '1 day' WHERE code = 'full'",
    );
    await api.database.query("UPDATE links SET max_visits = 4 WHERE code = 'two'");
    await api.database.query(
      "UPDATE link_limits SET used = 3 FROM links WHERE link_id = id AND code IN ('two', 'full')",
    );
    const left = async (query: string) => {
      const { data, pagination } = await listed(`tags[]=x&orderBy=shortCode&${query}`);
      expect(pagination.totalItems).toBe(data.length);
      return data.map(({ shortCode }) => shortCode);
    };
    expect(await left('')).toEqual(['ended', 'full', 'one', 'two']);
    expect(await left('excludeTags[]=blue')).toEqual(['ended', 'full', 'one']);
    expect(await left('excludeTags[]=blue&excludeTags[]=red')).toEqual(['ended', 'full']);
    expect(await left('excludeTags[]=blue&excludeTags[]=red&excludeTagsMode=all')).toEqual(['ended', 'full', 'one']);
    expect(await left('excludeTags[]=nobody')).toEqual(['ended', 'full', 'one', 'two']);
    expect(await left('excludeTags[]=red&excludeTags[]=nobody&excludeTagsMode=all')).toHaveLength(4);
    expect(await left('excludePastValidUntil=true')).toEqual(['full', 'one', 'two']);
    expect(await left('excludeMaxVisitsReached=true')).toEqual(['ended', 'one', 'two']);
    const all = 'excludePastValidUntil=true&excludeMaxVisitsReached=true&excludeTags[]=blue&searchTerm=out.example';
    expect(await left(all)).toEqual(['one']);
    expect(await left('excludePastValidUntil=false&excludeMaxVisitsReached=false')).toHaveLength(4);
  });

  it('is of a group, and of a state: each link is in one', async () => {
    await api.request('POST', '/rest/v3/groups', { body: { groupId: 'shop', name: 'Shop' } });
    const states = {
      'st-active': 'max_visits = 4',
      'st-off': "disabled = true, valid_until = now() - interval '1 s'",
      'st-later': "valid_since = now() + interval '1 day', max_visits = 3",
      'st-ended': "valid_until = now() - interval '1 s', max_visits = 3",
      'st-full': 'max_visits = 3',
    };
    for (const [customSlug, change] of Object.entries(states)) {
      const more = customSlug === 'st-off' || customSlug === 'st-full' ? { groupId: 'shop' } : {};
      await api.create({ longUrl: 'https://state.example', customSlug, tags: ['state'], ...more });
      await api.database.query(`UPDATE links SET ${change} WHERE code = $1`, [customSlug]);
    }
    await api.database.query(`UPDATE link_limits SET used = 3 FROM links WHERE link_id = id AND code LIKE 'st-%'`);
    const left = async (query: string) => {
      const { data, pagination } = await listed(`${query}&orderBy=shortCode`);
      expect(pagination.totalItems).toBe(data.length);
      return data.map(({ shortCode }) => shortCode);
    };
    expect(await left('group=shop')).toEqual(['st-full', 'st-off']);
    expect(await left('group=shop&state=disabled')).toEqual(['st-off']);
    expect(await left('group=nobody')).toEqual([]);
    const named = ['active', 'disabled', 'not-yet-valid', 'expired', 'limit-reached'];
    for (const [nth, state] of named.entries()) {
      expect(await left(`tags[]=state&searchTerm=state.example&state=${state}`)).toEqual([Object.keys(states)[nth]]);
    }
  });

  it.each([
    ['page=x', 'page'],
    ['state=deleted', 'state'],
    ['itemsPerPage=1.5', 'itemsPerPage'],
    ['orderBy=clicks', 'orderBy'],
    ['orderBy=visits-DOWN', 'orderBy'],
    ['tagsMode=some', 'tagsMode'],
    ['startDate=yesterday', 'startDate'],
    ['excludePastValidUntil=yes', 'excludePastValidUntil'],
    ['excludeTagsMode=some', 'excludeTagsMode'],
    ['apiKeyName=%00', 'apiKeyName'],
  ])('refuses %s', async (query, element) => {
    const { status, body } = await api.get(`short-urls?${query}`);
    expect([status, body['invalidElements']]).toEqual([400, [element]]);
  });
});
