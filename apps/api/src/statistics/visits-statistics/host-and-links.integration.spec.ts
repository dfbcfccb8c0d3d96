import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { liveVisitsSchema, visitsDimensionSchema, visitsTotalsSchema } from '@hopcount/contracts';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';

import { TestApi } from '../../api.spec-helpers.js';

const MAY = 'startDate=2026-05-01&endDate=2026-05-31';
let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
  const { body } = await api.create({ longUrl: 'https://example.com', customSlug: 'sale', tags: ['warm'] });
  const { body: made } = await api.create({ longUrl: 'https://example.com/other', customSlug: 'other' });
  await api.create({ longUrl: 'https://example.com', customSlug: 'sale', domain: 'go.example' });
  const other = made['id'] as string;
  const [sale, atMs] = [body['id'] as string, Date.parse('2026-05-10T10:00Z')];
  const commit = await openLedger(api.resources.database);
  const visit = (targetHost: string, more = {}) => enrichedVisit({ linkId: sale, atMs, targetHost, ...more });
  await commit([
    visit('shop.example', { referrerHost: 'm.news.test', shortHost: 's.test', country: 'DE' }),
    visit('www.shop.example', { referrerHost: 'news.test', shortHost: 's.test', country: 'FR', class: 'bot' }),
    visit('a.www.shop.example', { referrerHost: 'direct', shortHost: 'go.s.test', country: 'FR' }),
    visit('my-shop.example', { referrerHost: 'mynews.test', shortHost: 's.test', linkId: '7' }),
    visit('192.0.2.7', { linkId: '7' }),
    visit('elsewhere.test', { linkId: other }),
    enrichedVisit({ linkId: sale, targetHost: 'www.shop.example' }),
  ]);
});
afterAll(() => api.stop());

const get = async (path: string) => (await api.get(`statistics/${path}`)).body as Record<string, never>;

describe('statistics of some short URLs', () => {
  it.each([
    ['filter[]=shortCode=sale', 3],
    ['filter[]=shortCode=sale&filter[]=shortCode=other', 4],
    ['filter[]=shortCode!=sale', 3],
    ['filter[]=shortCode!=sale&filter[]=shortCode!=other', 2],
    ['filter[]=shortCode=go.example/sale', 0],
    ['filter[]=shortCode=sale&domain=go.example', 0],
    ['filter[]=shortCode=sale&filter[]=country=FR', 2],
    ['filter[]=shortCode=sale&tag=warm', 3],
    ['filter[]=shortCode!=sale&tag=warm', 0],
  ])('counts %s', async (query, visits) => {
    const body = await get(`totals?${MAY}&uniques=none&${query}`);
    expect([query, visitsTotalsSchema.safeParse(body).error]).toEqual([query, undefined]);
    expect(body).toMatchObject({ exact: true, totals: { visits } });
  });

  it('go with other questions, and live', async () => {
    const { visits } = await get(`explain?${MAY}&filter[]=shortCode=other`);
    expect(visits).toHaveLength(1);
    const countries = await get(`dimensions/country?${MAY}&filter[]=shortCode!=other&filter[]=country=FR`);
    expect(countries).toMatchObject({ values: { data: [{ value: 'FR', visits: 2 }] } });
    const live = await get('live?filter[]=shortCode=sale');
    expect(live).toMatchObject({ minutes30: { visits: 1 } });
  });

  it.each([
    ['filter[]=shortCode=nobody', 404, undefined],
    ['filter[]=shortCode^=sa', 400, ['filter']],
    ['filter[]=shortCode=sale&orphans=true', 400, ['filter']],
  ])('refuse %s', async (query, status, elements) => {
    const answer = await api.get(`statistics/totals?${query}`);
    expect([answer.status, answer.body['invalidElements']]).toEqual([status, elements]);
  });
});

describe('statistics of a host', () => {
  it.each([
    ['host=shop.example', 3],
    ['host=Shop.Example.&hostKind=target', 3],
    ['host=*.shop.example', 2],
    ['host=example', 4],
    ['host=hop.example', 0],
    ['host=192.0.2.7', 1],
    ['host=news.test&hostKind=referrer', 2],
    ['host=*.news.test&hostKind=referrer', 1],
    ['host=s.test&hostKind=short', 6],
    ['host=*.s.test&hostKind=short', 1],
    ['host=shop.example&filter[]=country=FR', 2],
    ['host=shop.example&filter[]=class!=bot', 2],
    ['host=example&tag=warm', 3],
    ['host=example&shortCode=sale&filter[]=country=DE', 1],
  ])('counts %s', async (query, visits) => {
    const body = await get(`totals?${MAY}&uniques=none&${query}`);
    expect([query, visitsTotalsSchema.safeParse(body).error]).toEqual([query, undefined]);
    expect(body).toMatchObject({ exact: true, totals: { visits } });
  });

  it('is asked for by dimension, with its visits behind it, and live, too', async () => {
    const countries = await get(`dimensions/country?${MAY}&host=*.shop.example`);
    expect(visitsDimensionSchema.safeParse(countries).error).toBeUndefined();
    expect(countries).toMatchObject({ values: { data: [{ value: 'FR', visits: 2 }] } });
    const { visits } = await get(`explain?${MAY}&host=my-shop.example`);
    expect(visits).toHaveLength(1);
    const live = await Promise.all(['www.shop.example', 'shop.example', 'my-shop.example'].map(liveOf));
    expect(live).toEqual([1, 1, 0]);
  });

  it.each([
    ['host=a..b', 'host'],
    ['host=*.', 'host'],
    ['host=shop.example&hostKind=fed', 'hostKind'],
    ['hostKind=short', 'hostKind'],
    ['host=shop.example&orphans=true', 'host'],
  ])('refuses %s', async (query, element) => {
    const { status, body } = await api.get(`statistics/totals?${query}`);
    expect([status, body['invalidElements']]).toEqual([400, [element]]);
  });
});

async function liveOf(host: string): Promise<number> {
  const body = await get(`live?host=${host}`);
  expect(liveVisitsSchema.safeParse(body).error).toBeUndefined();
  return liveVisitsSchema.parse(body).minutes30.visits;
}
