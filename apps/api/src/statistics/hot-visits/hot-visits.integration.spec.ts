import { type HotVisitsAnswer, hotVisitsSchema } from '@hopcount/contracts';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../../api.spec-helpers.js';

describe('the hottest short URLs', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
    const ids: string[] = [];
    for (const [customSlug, domain] of [['hot'], ['warm', 'other.test'], ['gone'], ['cold']]) {
      const { body } = await api.create({ longUrl: 'https://example.com/', customSlug, domain });
      ids.push(String(body['id']));
    }
    const [hot = '', warm = '', gone = '', cold = ''] = ids;
    const visits = (linkId: string, count: number, atMs = Date.now()) =>
      Array.from({ length: count }, () => enrichedVisit({ linkId, atMs }));
    const commit = await openLedger(api.resources.database);
    await commit([...visits(hot, 5), ...visits(warm, 2), ...visits(gone, 1)]);
    await commit(visits(cold, 9, Date.now() - 3_600_000));
    await api.request('DELETE', '/rest/v3/short-urls/gone');
  });
  afterAll(() => api.stop());

  const read = async (query = '') => {
    const { status, body } = await api.get(`statistics/hot${query}`);
    expect([status, hotVisitsSchema.safeParse(body).error]).toEqual([200, undefined]);
    return (body as HotVisitsAnswer).hot;
  };

  it('are those with the most visits of the last quarters of an hour, with their share of all', async () => {
    const { visits, links, hosts, since, until } = await read();
    expect(visits).toBe(8);
    expect(links).toMatchObject([
      { domain: 's.test', shortCode: 'hot', shortUrl: 'http://s.test/hot', visits: 5, weight: 0.625 },
      { domain: 'other.test', shortCode: 'warm', visits: 2, weight: 0.25 },
    ]);
    // Its own domain was visited at a link that is deleted, too.
    expect(hosts).toMatchObject([
      { host: 's.test', visits: 6, weight: 0.75 },
      { host: 'other.test', visits: 2, weight: 0.25 },
    ]);
    const seconds = (Date.parse(until) - Date.parse(since)) / 1_000;
    expect(seconds).toBeGreaterThanOrEqual(900);
    expect(seconds).toBeLessThan(1_800);
    expect(links[0]?.perSecond).toBeCloseTo(5 / seconds, 3);
  });

  it('are as many as are asked for', async () => {
    const { links, hosts } = await read('?limit=1');
    expect([links.length, hosts.length]).toEqual([1, 1]);
    expect((await api.get('statistics/hot?limit=1001')).status).toBe(400);
  });
});
