import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  visitedLinksSchema,
  visitsDimensionSchema,
  visitsExplainedSchema,
  visitsMatrixSchema,
  visitsProofSchema,
  visitsSeriesSchema,
  visitsTotalsSchema,
} from '@hopcount/contracts';
import type { EnrichedVisit } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { testApiKey } from '@hopcount/testing';

import { TestApi } from '../../api.spec-helpers.js';
import { askReadmeQuestions } from '../readme-questions.spec-helpers.js';
import { expectVisitsOfHours } from '../visits-evidence/visits-of-hours.spec-helpers.js';

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
    visit(red, '05-11T23:30', { visitor: '2', country: 'FR', city: 'Paris', class: 'bot', classReason: 'known-bot' }),
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
    ['&filter[]=classReason=known-bot&filter[]=channel=direct', { visits: 1 }],
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
    const first = await ask(`dimensions/firstSeen?${MAY}&filter[]=class=human`, visitsDimensionSchema);
    expect(first).toMatchObject({
      visits: 3,
      values: {
        data: [
          { value: 'new', visits: 2 },
          { value: 'returning', visits: 1 },
        ],
      },
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

  it('gives rows as CSV and JSON Lines, in which no spreadsheet finds a formula', async () => {
    await commit([visit(await create('odd', {}), '03-10T10:00', { browser: '=1+1, "x"', visitor: '7' })]);
    const march = 'startDate=2026-03-10&endDate=2026-03-11';
    const csv = await api.get(`statistics/dimensions/browser?${march}&format=csv`);
    expect([csv.status, csv.body['text'], csv.headers.get('content-type')]).toEqual([
      ...[200, `value,visits\n"'=1+1, ""x""",1\n`, 'text/csv; charset=utf-8'],
    ]);
    expect(JSON.parse(csv.headers.get('x-statistics')!)).toMatchObject({ exact: true, uncounted: 0, timeZone: 'UTC' });
    const series = await api.get(`statistics/series?${march}`, { accept: 'text/csv' });
    expect(series.body['text']).toBe(
      'start,visits,visitors,ips\n2026-03-10T00:00:00+00:00,1,1,1\n2026-03-11T00:00:00+00:00,0,0,0\n',
    );
    const links = await api.get(`statistics/links?${march}&format=jsonl`);
    // One line, so one that JSON can read.
    expect(links.body).toEqual({ shortCode: 'odd', domain: 's.test', shortUrl: 'http://s.test/odd', visits: 1 });
    expect(links.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const etag = links.headers.get('etag')!;
    expect((await api.get(`statistics/links?${march}&format=jsonl`, { 'if-none-match': etag })).status).toBe(304);
    expect((await api.get(`statistics/links?${march}`, { 'if-none-match': etag })).status).toBe(200);
  });

  it('crosses two dimensions, hours and days of the week in the zone that is named', async () => {
    const named = await ask(`matrix?${MAY}&rows=country&columns=class&rowLimit=1`, visitsMatrixSchema);
    expect(named).toMatchObject({
      visits: 4,
      rows: { values: [{ value: 'FR', visits: 2 }], other: { values: 2, visits: 2 } },
      columns: {
        values: [
          { value: 'human', visits: 3 },
          { value: 'bot', visits: 1 },
        ],
        other: { values: 0, visits: 0 },
      },
      cells: [
        [1, 1, 0],
        [2, 0, 0],
      ],
    });
    const timed = await ask(`matrix?${MAY}&rows=weekday&columns=hour&timeZone=Asia/Kolkata`, visitsMatrixSchema);
    const cells = (timed['cells'] as unknown as number[][]).flatMap((row, weekday) =>
      row.flatMap((visits, hour) => (visits === 0 ? [] : [`${weekday + 1} ${hour}:00 ${visits}`])),
    );
    // Sundays 15:30 and 16:30, Tuesdays 05:00 and 15:30.
    expect(cells).toEqual(['2 5:00 1', '2 15:00 1', '7 15:00 1', '7 16:00 1']);
    expect(timed['readFrom']).toEqual({ days: 0, files: 0, ledgerHours: 0 });
  });

  it('leads from a number to its visits, page by page, with what is stored of them', async () => {
    const question = `explain?${MAY}&timeZone=Asia/Kolkata&filter[]=country=FR&filter[]=country=US&itemsPerPage=2`;
    const first = await ask(question, visitsExplainedSchema);
    expect(first).toMatchObject({
      exact: true,
      visits: [
        { domain: 'two.test', country: 'US', browser: 'Chrome', class: 'human', group: null },
        {
          ...{
            shortCode: 'red',
            domain: 's.test',
            shortUrl: 'http://s.test/red',
            date: '2026-05-12T05:00:00.000+05:30',
          },
          ...{
            class: 'bot',
            classReason: 'known-bot',
            channel: 'direct',
            group: 'team',
            route: null,
            destination: 'https://example.com/',
            visitor: '2',
          },
        },
      ],
    });
    // Who the visitor was is for administrators alone, see docs/privacy.md.
    const { key } = await testApiKey(api.database, { scopes: ['statistics:read'] });
    const { body } = await api.get(`statistics/${question}`, { 'x-api-key': key });
    const nobody = (name: string, value: unknown) => (name === 'visitor' ? undefined : value);
    expect(body['visits']).toEqual(JSON.parse(JSON.stringify(first['visits'], nobody)));
    const last = await ask(`${question}&before=${String(first['next'])}`, visitsExplainedSchema);
    expect(last).toMatchObject({ visits: [{ country: 'FR', class: 'human' }], next: null });
  });

  it('leads from hours and days of the week of a zone to their visits', () => expectVisitsOfHours(api, ask, MAY));

  it('proves that the visits of a number are all there', async () => {
    const { visits } = await ask(`explain?${MAY}&group=team`, visitsExplainedSchema);
    const ids = (visits as unknown as { eventId: string }[]).map(({ eventId }) => eventId);
    const sumOf = (of: string[]) => ({
      visits: of.length,
      // The 62 random bits of a UUID, as anybody would do it.
      checksum: String(of.reduce((bits, id) => bits ^ BigInt.asUintN(62, BigInt(`0x${id.replaceAll('-', '')}`)), 0n)),
    });
    const from = 'startDate=2026-05-10T10:00:00Z&endDate=2026-05-11T23:31:00Z';
    expect(await ask(`proof?${from}&group=team&filter[]=class=human`, visitsProofSchema)).toMatchObject({
      used: sumOf(ids.slice(1)),
      quarterHours: { startDate: '2026-05-10T10:00:00+00:00', endDate: '2026-05-11T23:45:00+00:00' },
      ...{ comparedOf: 'scope', rows: sumOf(ids), buckets: sumOf(ids), agree: true, exact: true },
    });
    await api.database.query('DELETE FROM visits WHERE event_id = $1', [ids[0]]);
    expect(await ask(`proof?${from}&group=team`, visitsProofSchema)).toMatchObject({
      ...{ used: sumOf(ids.slice(1)), rows: sumOf(ids.slice(1)), buckets: sumOf(ids), agree: false },
      // What does not agree is never exact.
      exact: false,
      inexact: [{ startDate: '2026-05-10T10:00:00+00:00', endDate: '2026-05-11T23:45:00+00:00' }],
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

  it('answers the questions of the README as that says', () => askReadmeQuestions(api, commit));

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
    ['links?orderBy=value', 'orderBy', /visits/],
    ['explain?before=1', 'before', /id of a visit/],
    ['dimensions/ip', 'name', /VISITOR_IP=full/],
    ['dimensions/firstSeen?uniques=all', 'uniques', /visits only/],
    ['totals?filter[]=firstSeen=new', 'filter', /country, region/],
    ['live?filter[]=ip=81.2.69.0', 'filter', /VISITOR_IP=full/],
    ['matrix?rows=os&columns=ip', 'columns', /VISITOR_IP=full/],
    ['matrix?rows=hour', 'columns', /weekday/],
    ['matrix?rows=os&columns=country&rowLimit=101', 'rowLimit', /1 to 100/],
    ['series?format=csv&compare=year', 'compare', /JSON/],
    ['dimensions/os?format=xlsx', 'format', /csv/],
    ['totals?format=csv&compare=year', 'compare', /JSON/],
    ['live?timeZone=UTC', 'timeZone', /Unknown/],
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
