import { csvLine } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ChunkReport } from '../imports/chunk-report.js';
import { readRecords } from '../imports/read-records.js';
import { readRow } from '../imports/read-row.js';
import type { ImportSource } from './sources.js';

async function read(text: string, source: ImportSource) {
  const bytes = async function* () {
    yield await Promise.resolve(Buffer.from(text));
  };
  const report = new ChunkReport();
  const found: ReturnType<typeof readRow>[] = [];
  for await (const record of readRecords(bytes(), { charset: 'utf-8', source }))
    found.push(readRow({ source, domain: null }, record, report));
  const told = report.remarks.map(({ row, field, reason, detail }) => [row, reason, field ?? detail]);
  return {
    links: found.flatMap(({ links }) => links),
    visits: found.flatMap(({ visits }) => visits),
    told,
    refused: report.count('refused'),
  };
}

const A = 'https://a.example/1';
const SOURCES = ['csv', 'hopcount'] as const;
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Our own export, and the same table saved by a spreadsheet with another delimiter. */
const tableOf = (delimiter: string, [title, tags]: [string, string[]]) => {
  const [names, cells] = [
    ['longUrl', 'shortCode', 'title', 'tags'],
    [A, 'a', title, JSON.stringify(tags)],
  ];
  const lines = [csvLine(names), csvLine(cells)];
  if (delimiter === ',') return lines.join('');
  const [first, ...rest] = csvLine([title]).slice(0, -1);
  const guarded = first === '"' ? rest.join('').slice(0, -1).replaceAll('""', '"') : [first, ...rest].join('');
  return `sep=${delimiter}\n${[names, [A, 'a', guarded, JSON.stringify(tags)]].map((row) => row.map(quoted).join(delimiter)).join('\n')}\n`;
};

describe('an export that is imported again', () => {
  const text = fc.oneof(
    fc.constantFrom('NULL', '\\N', "'=1", ' =1', '"', 'a\r\nb', 'x\ufeffy', '|x', '\u200b=1', "''-x", '\t@x', ';=1'),
    fc.string({ unit: fc.constantFrom(...`,;\t\r\n"'=-|x1N\\\u200b\ufeff\u00a0`), minLength: 1 }),
  );
  const tags = fc.uniqueArray(fc.constantFrom('a,b', 'c;d', 'e|f', '=g', "'=h", '[i]', 'NULL', 'j'), { maxLength: 4 });

  it.each(SOURCES)(
    'has the texts it had, as a table and as JSON Lines, whichever of ours it is called: %s',
    async (source) => {
      const property = fc.asyncProperty(fc.tuple(text, tags), async ([title, names]) => {
        const files = [',', ';', '\t', '|'].map((delimiter) => tableOf(delimiter, [title, names]));
        files.push(`${JSON.stringify({ longUrl: A, shortCode: 'a', title, tags: names })}\n`);
        for (const file of files) {
          const { links, told } = await read(file, source);
          expect([file, links.map(({ link }) => [link.title, link.tags]), told]).toEqual([file, [[title, names]], []]);
        }
      });
      await fc.assert(property, { numRuns: 150 });
    },
  );

  it.each(SOURCES)('has the texts of visits it had: %s', async (source) => {
    const property = fc.asyncProperty(text, async (userAgent) => {
      const visit = { date: '2025-01-01T00:00:00.000Z', shortCode: 'a', userAgent };
      const files = [csvLine(Object.keys(visit)) + csvLine(Object.values(visit)), `${JSON.stringify(visit)}\n`];
      for (const file of files) {
        const { visits } = await read(file, source);
        expect([file, visits.map(({ visit }) => visit.userAgent)]).toEqual([file, [userAgent]]);
      }
    });
    await fc.assert(property, { numRuns: 150 });
  });
});

describe('what a row does not say clearly', () => {
  it.each([
    ['longUrl,shortCode,title,date\n,a,T,2024-05-07\n', 'csv'],
    ['longUrl,shortCode,timestamp\n,a,2024-05-07\n', 'csv'],
    ['URL;Slug;Tags;Visited at\n;a;x;2024-05-07\n', 'csv'],
  ] as const)('is no visit because its target is missing: %j', async (text, source) => {
    const { links, visits, told } = await read(text, source);
    expect([links, visits, told]).toEqual([[], [], [[1, 'missing-field', 'longUrl']]]);
  });

  it.each([
    [{ longUrl: A, long_url: 'https://b.example/2', shortCode: 'a' }, 'longUrl'],
    [{ longUrl: A, shortCode: 'a', 'Short Code': 'b' }, 'shortCode'],
    [{ longUrl: A, shortCode: 'a', maxVisits: 5, meta: { maxVisits: 7 } }, 'maxVisits'],
    [{ longUrl: A, shortCode: 'a', valid_until: '2031-01-01', meta: { validUntil: '2032-01-01' } }, 'validUntil'],
    [{ longUrl: A, shortCode: 'a', tags: '["b",1]' }, 'tags'],
    [{ date: '2024-05-07', shortCode: 'a', eventId: '018f4a2e-0000-7000-8000-000000000000' }, 'date'],
  ])('is refused: %j', async (record, field) => {
    const { links, visits, told, refused } = await read(JSON.stringify(record), 'hopcount');
    expect([links, visits, told, refused]).toEqual([[], [], [[1, 'invalid-field', field]], 1]);
  });

  it('is taken where it is said twice and alike, and where a date is that of its id', async () => {
    const records = [
      { longUrl: A, long_url: A, shortCode: 'a', maxVisits: 5, meta: { maxVisits: 5, validSince: null } },
      { date: '2024-05-05T19:14:39Z', shortCode: 'a', eventId: '018f4a2e-0000-7000-8000-000000000000' },
    ];
    const { links, visits, told } = await read(records.map((one) => JSON.stringify(one)).join('\n'), 'hopcount');
    expect([links.length, visits.length, told]).toEqual([1, 1, []]);
  });

  it.each([
    ['country', '??'],
    ['country', 'Germany'],
    ['latitude', 'far'],
    ['latitude', '48,8'],
    ['latitude', '  '],
    ['longitude', '181'],
    ['channel', 'moon'],
    ['classReason', 'why'],
    ['eventId', '7'],
  ])('of a visit is told where it is left out: %s %j', async (name, value) => {
    const { visits, told } = await read(`date,shortCode,${name}\n2024-05-07,a,"${value}"\n`, 'csv');
    expect(visits).toMatchObject([{ visit: { [name]: null } }]);
    expect(told).toEqual([[1, 'field-not-imported', name]]);
  });

  it.each([
    // The group is that of the link which the visit is counted for; the import's name is that of this import.
    ['tags', 'a,b'],
    ['groupId', 'spring'],
    ['importedFrom', 'elsewhere'],
    ['ip', '203.0.113.9'],
    ['Colour', 'red'],
  ])('of a visit is told where visits do not have it: %s %j', async (name, value) => {
    const flat = await read(`date,shortCode,${name}\n2024-05-07,a,"${value}"\n2024-05-08,a,\n`, 'csv');
    expect([flat.visits.length, flat.refused, flat.told]).toEqual([2, 0, [[1, 'field-not-imported', name]]]);
    const line = JSON.stringify({ date: '2024-05-07', shortCode: 'a', [name]: value });
    expect((await read(line, 'hopcount')).told).toEqual([[1, 'field-not-imported', name]]);
    const log = `click_time,shorturl,${name === 'ip' ? 'Colour' : name}\n2024-05-07 00:00:00,a,"${value}"\n`;
    expect((await read(log, 'yourls')).told).toMatchObject([[1, 'field-not-imported', expect.any(String)]]);
  });

  it('of the place of a visit is told where it is not read', async () => {
    const visitLocation = { countryCode: null, countryName: '', cityName: 'Paris', timezone: 'Europe/Paris' };
    const { told } = await read(JSON.stringify({ date: '2024-05-07', shortCode: 'a', visitLocation }), 'shlink');
    expect(told).toEqual([[1, 'field-not-imported', 'cityName']]);
  });

  it('is no column where a table ends in columns without a name', async () => {
    const { links, told } = await read(`longUrl,shortCode,,\n${A},a\n${A},b,,\n${A},c,,,,\n${A},d,,x\n`, 'csv');
    expect(links.map(({ key }) => key)).toEqual(['/a', '/b', '/c']);
    expect(told).toMatchObject([[4, 'unreadable', expect.stringContaining('column 4')]]);
  });
});
