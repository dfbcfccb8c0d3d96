import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tagListSchema, tagStatsListSchema } from '@hopcount/contracts';
import { LinkTotals } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';

import { TestApi } from '../api.spec-helpers.js';

describe('tags over HTTP', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
    const longUrl = 'https://example.com';
    const { body } = await api.create({ longUrl, customSlug: 'one', tags: ['Spring', 'docs'] });
    await api.create({ longUrl, customSlug: 'two', tags: ['docs'] });
    const commit = await openLedger(api.resources.database);
    const linkId = body['id'] as string;
    await commit([enrichedVisit({ linkId }), enrichedVisit({ linkId }), enrichedVisit({ linkId, class: 'bot' })]);
    await new LinkTotals(api.resources.database).refresh();
  });
  afterAll(() => api.stop());

  const send = async (method: string, body?: unknown, path = 'tags') => {
    const answer = await api.request(method, `/rest/v3/${path}`, { body });
    return [answer.status, answer.body['type'], answer.body] as const;
  };
  const shlink = (slug: string) => `https://shlink.io/api/error/${slug}`;
  const names = async (query = '') => tagListSchema.parse((await api.get(`tags${query}`)).body).tags.data;
  const tagsOf = async (code: string) => (await api.get(`short-urls/${code}`)).body['tags'];

  it('are listed, all at once or in pages, with short URLs and visits', async () => {
    const page = { currentPage: 1, pagesCount: 1, itemsPerPage: 2, itemsInCurrentPage: 2, totalItems: 2 };
    expect((await api.get('tags')).body).toEqual({ tags: { data: ['docs', 'spring'], pagination: page } });
    const visitsSummary = { total: 3, nonBots: 2, bots: 1 };
    const stats = [
      { tag: 'docs', shortUrlsCount: 2, visitsSummary },
      { tag: 'spring', shortUrlsCount: 1, visitsSummary },
    ];
    const { body } = await api.get('tags/stats?orderBy=shortUrlsCount-DESC');
    expect(tagStatsListSchema.parse(body)).toEqual({ tags: { data: stats, pagination: page } });
    expect(await names('?searchTerm=PRI&orderBy=visits-DESC')).toEqual(['spring']);
    expect((await api.get('tags/stats?page=3&itemsPerPage=1')).body).toMatchObject({
      tags: { data: [], pagination: { currentPage: 3, pagesCount: 2, itemsPerPage: 1, totalItems: 2 } },
    });
    expect((await api.get('tags?orderBy=name')).body).toMatchObject({ status: 400, invalidElements: ['orderBy'] });
  });

  it('are renamed, merged and deleted', async () => {
    expect(await send('PUT', { oldName: 'spring', newName: 'spring' })).toEqual([204, undefined, { text: '' }]);
    expect((await send('PUT', { oldName: 'spring', newName: 'Summer sale' }))[0]).toBe(204);
    expect(await tagsOf('one')).toEqual(['summer-sale', 'docs']);
    const conflict = { status: 409, oldName: 'summer-sale', newName: 'docs' };
    expect(await send('PUT', { oldName: 'summer-sale', newName: 'docs' })).toMatchObject([
      ...[409, shlink('tag-conflict'), conflict],
    ]);
    expect(await send('PUT', { oldName: 'nope', newName: 'x' })).toMatchObject([
      404,
      shlink('tag-not-found'),
      { tag: 'nope' },
    ]);
    for (const body of [{ oldName: 'docs' }, { newName: 'docs' }, { oldName: 'docs', newName: ' ' }, {}]) {
      expect(await send('PUT', body)).toMatchObject([400, shlink('invalid-data'), {}]);
    }
    expect((await send('POST', { tags: ['docs'], into: 'summer-sale' }, 'tags/merge'))[0]).toBe(204);
    expect([await tagsOf('one'), await tagsOf('two')]).toEqual([['summer-sale'], ['summer-sale']]);
    expect((await send('POST', { tags: ['docs'], into: 'summer-sale' }, 'tags/merge'))[1]).toBe(
      shlink('tag-not-found'),
    );
    expect((await send('POST', { tags: [], into: 'summer-sale' }, 'tags/merge'))[0]).toBe(400);

    expect((await send('DELETE', undefined, 'tags'))[0]).toBe(400);
    expect((await send('DELETE', undefined, 'tags?tags[]=summer-sale&tags[]=unknown'))[0]).toBe(204);
    expect([await names(), await tagsOf('two')]).toEqual([[], []]);
  });
});
