import { createReadStream, readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { ChunkReport } from '../imports/chunk-report.js';
import { readRecords } from '../imports/read-records.js';
import { readRow } from '../imports/read-row.js';
import type { ImportSource } from './sources.js';

async function linksIn(bytes: AsyncIterable<Buffer>, source: ImportSource) {
  const report = new ChunkReport();
  const [links, visits] = [[], []] as [ReturnType<typeof readRow>['links'], ReturnType<typeof readRow>['visits']];
  for await (const record of readRecords(bytes, { charset: 'utf-8', source })) {
    const read = readRow({ source, domain: null }, record, report);
    links.push(...read.links);
    visits.push(...read.visits);
  }
  const told = report.remarks.map(({ row, reason, detail }) => ({ row, reason, detail }));
  return { links, visits: visits.map(({ visit }) => visit), told };
}
const golden = (name: string, source: ImportSource) =>
  linksIn(createReadStream(new URL(`../../golden/${name}`, import.meta.url)), source);
async function* bytesOf(text: string, size = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}
const given = (text: string, source: ImportSource = 'csv') => linksIn(bytesOf(text), source);

describe('visits of other programs', () => {
  it('of Shlink: its API, with the code of the link beside each', async () => {
    const visit = {
      ...{
        referer: 'https://t.co/x',
        date: '2025-02-03T04:05:06+01:00',
        userAgent: 'Mozilla/5.0',
        potentialBot: false,
      },
      visitLocation: {
        countryCode: 'FR',
        countryName: 'France',
        regionName: 'Île',
        cityName: 'Paris',
        latitude: 48.8,
        longitude: 2.3,
      },
      ...{ visitedUrl: 'https://s.example/a', redirectUrl: 'https://example.com/' },
    };
    const rows = [
      { shortCode: 'a', domain: null, ...visit },
      { shortCode: 'a', domain: 'd.example', ...visit, visitLocation: null },
    ];
    const { visits, links, told } = await given(rows.map((row) => JSON.stringify(row)).join('\n'), 'shlink');
    expect([links, told]).toEqual([[], []]);
    expect(visits).toMatchObject([
      {
        ...{ key: '/a', occurredAt: Date.parse('2025-02-03T03:05:06Z'), eventId: null, referrer: 'https://t.co/x' },
        ...{
          class: 'human',
          country: 'FR',
          region: 'Île',
          city: 'Paris',
          latitude: 48.8,
          destination: 'https://example.com/',
        },
      },
      { key: 'd.example/a', country: null, city: null, latitude: null },
    ]);
  });

  it("of YOURLS: its log, without visitors' addresses; of Kutt and Bitly there are sums, and these are no visits", async () => {
    const log =
      'click_id,click_time,shorturl,referrer,user_agent,ip_address,country_code\n7,2024-05-06 07:08:09,ozh,direct,curl/8,203.0.113.9,DE\n';
    const { visits } = await given(log, 'yourls');
    expect(visits).toMatchObject([
      { key: 'ozh', occurredAt: Date.parse('2024-05-06T07:08:09Z'), referrer: null, country: 'DE' },
    ]);
    expect(JSON.stringify(visits)).not.toContain('203.0.113');
    const kutt = await golden('kutt.json', 'kutt');
    expect(kutt.visits).toEqual([]);
  });

  it.each([
    ['date,shortCode\ntomorrow,a', 'invalid-field'],
    ['date,shortCode\n1999-12-31T23:59:59Z,a', 'invalid-field'],
    ['date,shortCode\n2999-01-01T00:00:00Z,a', 'invalid-field'],
    ['date,shortCode\n2025-01-01T00:00:00Z,', 'missing-field'],
    ['shortCode\na', 'missing-field'],
  ])('%j is skipped', async (text, reason) => {
    const { visits, told } = await given(text);
    expect([visits, told.map((one) => one.reason)]).toEqual([[], [reason]]);
  });

  it('hold what PostgreSQL can, whatever they are', async () => {
    const odd = {
      date: '2025-01-01T00:00:00Z',
      shortCode: 'a',
      userAgent: '\u0000\ud800',
      city: 'x'.repeat(500),
      country: '??',
      latitude: 'far',
    };
    const { visits } = await given(JSON.stringify(odd), 'hopcount');
    expect(visits).toMatchObject([{ userAgent: '\ufffd\ufffd', city: 'x'.repeat(128), country: null, latitude: null }]);
  });
});

describe('links of other programs', () => {
  it('of Shlink: its API', async () => {
    const { links, told } = await golden('shlink.json', 'shlink');
    expect(links).toEqual([
      expect.objectContaining({
        key: '/spring',
        link: expect.objectContaining({
          ...{ longUrl: 'https://example.com/spring?a=b', customSlug: 'spring', domain: null, title: 'Spring' },
          ...{ tags: ['season', 'Sale'], crawlable: true, forwardQuery: false },
          ...{ createdAt: new Date('2024-03-04T04:06:07Z'), validSince: new Date('2024-01-01T00:00:00Z') },
        }) as object,
      }),
      expect.objectContaining({ link: expect.objectContaining({ maxVisits: 5 }) as object, visits: null }),
    ]);
    expect(links[0]?.visits).toBe(12);
    expect(told).toEqual([{ row: 1, reason: 'field-not-imported', detail: 'redirectRules' }]);
  });

  it('of Shlink: the CSV of its web client', async () => {
    const { links, told } = await golden('shlink.csv', 'shlink');
    expect(links.map(({ key, link }) => [key, link.longUrl, link.tags])).toEqual([
      ['/one', 'https://example.com/1', ['a', 'b']],
      ['go.example/two', 'https://example.com/2?x=1,2', []],
    ]);
    expect(told).toEqual([]);
  });

  it('of Kutt: its API, but for links with a password', async () => {
    const { links, told } = await golden('kutt.json', 'kutt');
    expect(links.map(({ key, link }) => ({ key, ...link }))).toMatchObject([
      {
        ...{ key: '/abc', customSlug: 'abc', domain: null, note: 'for the fair', disabled: false },
        ...{ createdAt: new Date('2023-01-02T03:04:05Z'), validUntil: new Date('2031-01-02T03:04:05Z') },
      },
      { key: 'own.example/shut', domain: 'own.example', disabled: true, validUntil: null },
    ]);
    expect(told).toEqual([
      { row: 1, reason: 'visits-are-totals', detail: '4 visits are known by their number only' },
      { row: 3, reason: 'password', detail: '"secret" asks for a password.' },
    ]);
  });

  it('of ours, or any file, are not taken with a password: they would be open', async () => {
    const rows = [
      { shortCode: 'a', longUrl: 'https://example.com/', hasPassword: true },
      { shortCode: 'b', longUrl: 'https://example.com/', hasPassword: false },
      { shortCode: 'c', longUrl: 'https://example.com/', password: 'in a file' },
    ];
    const { links, told } = await given(rows.map((row) => JSON.stringify(row)).join('\n'), 'hopcount');
    expect(links.map(({ key }) => key)).toEqual(['/b']);
    expect(told.map(({ row, reason }) => [row, reason])).toEqual([
      [1, 'password'],
      [3, 'password'],
    ]);
    expect(JSON.stringify(told)).not.toContain('in a file');
  });

  it('of YOURLS: its API and its table', async () => {
    const { links } = await golden('yourls.json', 'yourls');
    expect(links.map(({ key, link }) => ({ key, ...link }))).toMatchObject([
      {
        key: 'ozh',
        longUrl: 'https://example.com/yourls',
        title: 'A page',
        createdAt: new Date('2022-05-06T07:08:09Z'),
      },
      { key: '2', customSlug: '2', title: null },
    ]);
    const table = await golden('yourls.csv', 'yourls');
    expect(table.links).toMatchObject([{ key: 'ozh', link: { title: 'A "page"', customSlug: 'ozh' } }]);
    expect(table.told).toMatchObject([{ row: 1, reason: 'visits-are-totals' }]);
  });

  it('of Bitly: its API, each back-half a link', async () => {
    const { links, told } = await golden('bitly.json', 'bitly');
    expect(links.map(({ key, link }) => ({ key, ...link }))).toMatchObject([
      { key: '3aBcDeF', customSlug: '3aBcDeF', tags: ['news'], createdAt: new Date('2021-02-03T04:05:06Z') },
      { key: 'my-page', customSlug: 'my-page', longUrl: 'https://example.com/bitly' },
    ]);
    expect(told).toEqual([]);
  });

  it('of any CSV, whatever its columns are called, and what it does not know is told', async () => {
    const { links, told } = await given(
      '\ufeffLong URL,Custom Slug,Colour\r\nhttps://a.example/,a,red\r\n,b,\r\nhttps://c.example/,,\r\n',
    );
    expect(links.map(({ key }) => key)).toEqual(['/a', 'url:https://c.example/']);
    expect(told).toEqual([
      { row: 1, reason: 'field-not-imported', detail: 'Colour' },
      { row: 2, reason: 'missing-field', detail: 'There is no longUrl.' },
    ]);
  });

  it.each([
    ['validUntil', 'tomorrow'],
    ['validUntil', '03/02/2026'],
    ['validUntil', '2026-02-30'],
    ['disabled', 'perhaps'],
    ['redirectStatus', '303'],
    ['extraPath', 'drop'],
    ['redirectRules', '[{"longUrl":"https://x.example/","conditions":[{"type":"moon","matchValue":"full"}]}]'],
    ['redirectRules', 'x'],
    ['split', '[{"longUrl":"https://x.example/","weight":0}]'],
    ['maxVisits', 'many'],
    ['maxVisits', '0'],
    ['maxVisits', '2147483648'],
  ])('with %s %s are skipped, not changed', async (name, value) => {
    const { links, told } = await given(`longUrl,${name}\nhttps://a.example/,"${value.replaceAll('"', '""')}"\n`);
    expect(links).toEqual([]);
    expect(told).toMatchObject([{ row: 1, reason: 'invalid-field' }]);
    expect(told[0]?.detail).toContain(name);
  });

  it('of JSON Lines go on after a line that is none', async () => {
    const { links, told } = await given(
      '{"longUrl":"https://a.example/"}\nnothing\n7\n{"longUrl":"https://b.example/"}',
      'hopcount',
    );
    expect(links.map(({ row }) => row)).toEqual([1, 4]);
    expect(told.map(({ row, reason }) => [row, reason])).toEqual([
      [2, 'unreadable'],
      [3, 'unreadable'],
    ]);
  });

  it.each([
    ['', 'empty'],
    ['{"longUrl":', 'JSON'],
    ['[1,\n2', 'JSON'],
  ])('a file %j is refused', async (text, why) => {
    await expect(given(text)).rejects.toThrow(why);
  });

  it('are read alike however the bytes come', async () => {
    const text = readFileSync(new URL('../../golden/shlink.csv', import.meta.url), 'utf8');
    const whole = await linksIn(bytesOf(text, 10_000), 'shlink');
    for (const size of [1, 2, 3, 64]) expect(await linksIn(bytesOf(text, size), 'shlink')).toEqual(whole);
  });
});
