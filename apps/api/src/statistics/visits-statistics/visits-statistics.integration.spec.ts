import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { visitedLinksSchema, visitsDimensionSchema, visitsSeriesSchema, visitsTotalsSchema } from '@hopcount/contracts';
import type { EnrichedVisit } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';

import { TestApi } from '../../api.spec-helpers.js';

const MAY = 'startDate=2026-05-01&endDate=2026-05-31';
let api: TestApi;
let commit: (visits: EnrichedVisit[]) => Promise<unknown>;
const visit = (linkId: string, day: string, more: Parameters<typeof enrichedVisit>[0] = {}) =>
  enrichedVisit({ linkId, atMs: Date.parse(`2026-${day}Z`), ...more });

beforeAll(async () => {
  api = await TestApi.start();
  await api.request('POST', '/rest/v3/groups', { body: { id: 'team', name: 'Team' } });
  const red = await create('red', { tags: ['warm'], groupId: 'team' });
  const blue = await create('blue', { domain: 'two.test' });
  commit = await openLedger(api.resources.database);
  await commit([
    visit(red, '05-10T10:00', {
      visitor: '1',
      country: 'DE',
      city: 'Paris, Texas',
      referrer: 'https://a.test/x?y=1,2',
    }),
    visit(red, '05-10T11:00', { visitor: '1', country: 'FR', city: 'Paris' }),
    visit(red, '05-11T23:30', { visitor: '2', country: 'FR', city: 'Paris', class: 'bot' }),
    visit(blue, '05-12T10:00', { visitor: '2', country: 'US', city: 'Paris', browser: 'Chrome' }),
    visit(blue, '04-12T10:00', { visitor: '3', country: 'DE' }),
  ]);
});
afterAll(() => api.stop());

async function create(customSlug: string, more: object): Promise<string> {
  return (await api.create({ longUrl: 'https://example.com', customSlug, ...more })).body['id'] as string;
}

async function ask(path: string, schema: { safeParse: (body: unknown) => { error?: unknown } }) {
  const { status, body } = await api.get(`statistics/${path}`);
  expect([path, status, schema.safeParse(body).error]).toEqual([path, 200, undefined]);
  return body as Record<string, never>;
}
const totals = async (query: string) => (await ask(`totals?${query}`, visitsTotalsSchema))['totals'];

describe('statistics of any scope', () => {
  it.each([
    ['', { visits: 4, visitors: 2, ips: 1 }],
    ['&domain=two.test', { visits: 1, visitors: 1 }],
    ['&domain=DEFAULT', { visits: 3, visitors: 2 }],
    ['&tag=warm', { visits: 3 }],
    ['&tag=warm&domain=two.test', { visits: 0, visitors: 0 }],
    ['&group=team', { visits: 3 }],
    ['&shortCode=blue&domain=two.test', { visits: 1 }],
    ['&filter[]=class=human', { visits: 3, byClass: { human: 3, bot: 0 } }],
    ['&filter[]=country=FR&filter[]=country=US', { visits: 3 }],
    ['&filter[]=country!=FR&filter[]=class=human', { visits: 2 }],
    ['&filter[]=city=Paris, FR', { visits: 2 }],
    ['&filter[]=city=Paris, Texas, DE', { visits: 1 }],
    ['&filter[]=referrerUrl^=https://a.test/', { visits: 1 }],
    ['&filter[]=referrerUrl=https://a.test/x?y=1,2', { visits: 1 }],
    ['&filter[]=referrerUrl=', { visits: 3 }],
    ['&filter[]=referrerUrl=&filter[]=referrerUrl^=https://a.test/', { visits: 4 }],
    ['&filter[]=referrerUrl!=&filter[]=referrerUrl!^=https://a.test/', { visits: 0 }],
    ['&filter[]=referrerUrl^=https://&filter[]=referrerUrl!=https://a.test/x?y=1,2', { visits: 0 }],
    ["&filter[]=browser=' OR true --", { visits: 0 }],
  ])('counts %s', async (query, expected) => {
    const escaped = query.replaceAll(
      /(=)([^&]*)/g,
      (_, sign: string, value: string) => sign + encodeURIComponent(value),
    );
    expect(await totals(MAY + escaped)).toMatchObject(expected);
  });

  it('counts without visitors where they are not asked for, from sums that are kept', async () => {
    const answer = await ask(`totals?${MAY}&uniques=none`, visitsTotalsSchema);
    expect(answer).toMatchObject({
      totals: { visits: 4, byClass: { human: 3, bot: 1 } },
      readFrom: { days: 0, files: 0, ledgerHours: 0 },
      exact: true,
    });
    expect(answer['totals']).not.toHaveProperty('visitors');
  });

  it('counts visitors without IPs where those are not asked for', async () => {
    const answer = await totals(`${MAY}&uniques=visitors`);
    expect(answer).toMatchObject({ visits: 4, visitors: 2 });
    expect(answer).not.toHaveProperty('ips');
  });

  it('cuts points in the zone that is named, and compares', async () => {
    const range = 'startDate=2026-05-10&endDate=2026-05-12&timeZone=Asia/Kolkata&interval=day';
    const { series } = await ask(`series?${range}`, visitsSeriesSchema);
    expect(series).toEqual([
      { start: '2026-05-10T00:00:00+05:30', visits: 2, visitors: 1, ips: 1 },
      { start: '2026-05-11T00:00:00+05:30', visits: 0, visitors: 0, ips: 0 },
      { start: '2026-05-12T00:00:00+05:30', visits: 2, visitors: 1, ips: 1 },
    ]);
    const { compared } = await ask(
      `totals?startDate=2026-05-01&endDate=2026-05-30&compare=previous`,
      visitsTotalsSchema,
    );
    expect(compared).toMatchObject({ startDate: '2026-04-01T00:00:00+00:00', totals: { visits: 1, visitors: 1 } });
    const years = await ask(
      `series?startDate=2027-05-10&endDate=2027-05-10&compare=year&uniques=none`,
      visitsSeriesSchema,
    );
    expect(years).toMatchObject({
      series: [{ visits: 0 }],
      compared: { series: [{ start: '2026-05-10T00:00:00+00:00', visits: 2 }] },
    });
  });

  it('pages values, and sums all others', async () => {
    const answer = await ask(`dimensions/country?${MAY}&itemsPerPage=1&uniques=all`, visitsDimensionSchema);
    expect(answer).toMatchObject({
      visits: 4,
      values: { data: [{ value: 'FR', visits: 2, visitors: 2 }], pagination: { totalItems: 3, pagesCount: 3 } },
      other: { values: 2, visits: 2 },
    });
    const last = await ask(`dimensions/country?${MAY}&itemsPerPage=2&page=2&orderBy=value`, visitsDimensionSchema);
    expect(last).toMatchObject({ values: { data: [{ value: 'US', visits: 1 }] }, other: { values: 2, visits: 3 } });
  });

  it('lists links by their visits in the range', async () => {
    const { links } = await ask(`links?${MAY}&uniques=all`, visitedLinksSchema);
    expect(links).toMatchObject({
      data: [
        { shortCode: 'red', domain: 's.test', shortUrl: 'http://s.test/red', visits: 3, visitors: 2 },
        { shortCode: 'blue', domain: 'two.test', visits: 1 },
      ],
    });
  });

  it('answers 304 until a number changes', async () => {
    const green = await create('green', {});
    const path = `statistics/totals?startDate=2026-07-01&endDate=2026-07-31&shortCode=green`;
    let etag = '';
    const read = async () => {
      const { status, headers, body } = await api.get(path, { 'if-none-match': etag });
      etag = headers.get('etag')!;
      return [status, (body['totals'] as { visits: number } | undefined)?.visits];
    };
    expect(await read()).toEqual([200, 0]);
    expect(await read()).toEqual([304, undefined]);
    await commit([visit(green, '07-10T10:00')]);
    expect(await read()).toEqual([200, 1]);
    expect(await read()).toEqual([304, undefined]);
    await api.request('DELETE', '/rest/v3/short-urls/green/visits');
    expect(await read()).toEqual([200, 0]);
  });

  it.each([
    ['totals?filter[]=planet=Mars', 'filter', /country, region/],
    ['totals?filter[]=class=robot', 'filter', /human, bot/],
    ['totals?filter[]=browser^=Fire', 'filter', /referrerUrl/],
    ['totals?range=someday', 'range', /last7days/],
    ['totals?range=today&startDate=2026-01-01', 'range', /leave either out/],
    ['totals?group=team&tag=warm', 'group', /stands alone/],
    ['totals?shortCode=red&tag=warm', 'tag', /do not go together/],
    ['totals?compare=never', 'compare', /previous/],
    ['series?interval=decade', 'interval', /15min, hour/],
    ['dimensions/planet', 'name', /country, region/],
    ['dimensions/country?orderBy=colour', 'orderBy', /visits or value/],
    ['links?orderBy=value', 'orderBy', /visits/],
    ['totals?colour=red', 'colour', /Unknown/],
  ])('refuses %s', async (path, element, reason) => {
    const { status, body } = await api.get(`statistics/${path}`);
    expect([status, body['invalidElements']]).toEqual([400, [element]]);
    expect(JSON.stringify(body['reasons'])).toMatch(reason);
  });

  it.each([
    ['domain=nobody.test', 'domain-not-found'],
    ['tag=nobody', 'tag-not-found'],
    ['group=nobody', 'group-not-found'],
    ['shortCode=nobody', 'short-url-not-found'],
  ])('knows no %s', async (query, code) => {
    const { status, body } = await api.get(`statistics/totals?${query}`);
    expect([status, body['type']]).toEqual([404, expect.stringMatching(new RegExp(`[/:]${code}$`))]);
  });
});
