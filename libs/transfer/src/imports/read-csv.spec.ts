import { describe, expect, it } from '@jest/globals';

import type { ImportSource } from '../sources/sources.js';
import { ChunkReport } from './chunk-report.js';
import { readRecords } from './read-records.js';
import { readRow } from './read-row.js';

async function read(text: string, source: ImportSource = 'csv') {
  const bytes = async function* () {
    yield await Promise.resolve(Buffer.from(text));
  };
  const report = new ChunkReport();
  const links: { line: number | undefined; key: string; longUrl: string; title: string | null; createdAt?: Date }[] =
    [];
  for await (const record of readRecords(bytes(), { charset: 'utf-8', source })) {
    for (const { line, key, link } of readRow({ source, domain: null }, record, report).links)
      links.push({
        line,
        key,
        longUrl: link.longUrl,
        title: link.title,
        ...(link.createdAt && { createdAt: link.createdAt }),
      });
  }
  return { links, told: report.remarks };
}
const A = 'https://a.example/1';
const DAY = new Date('2024-05-06T00:00:00Z');

describe('a table', () => {
  it.each([
    ['commas', `longUrl,shortCode\n${A},a\n`],
    ['semicolons', `Long URL;Short Code\r\n${A};a\r\n`],
    ['tabs', `LONGURL\tSHORT_CODE\n${A}\ta`],
    ['bars', `"long-url"|"short code"\r${A}|a\r`],
    ['the line sep=', `sep=;\r\nlongUrl;shortCode\r\n${A};a\r\n`],
    ['the line sep= in quotes, and empty lines', `"sep=|"\n\nlongUrl|shortCode\n\n${A}|a\n|\n`],
    ['columns without names and without values', `longUrl,shortCode,,\n${A},a,,\n,,,\n`],
    ['NULL of a database', `longUrl,shortCode,title,validUntil\n${A},a,NULL,\\N\n`],
  ])('with %s is read', async (_, text) => {
    const { links, told } = await read(text);
    expect(links).toMatchObject([{ key: '/a', longUrl: A, title: null }]);
    expect(told).toEqual([]);
  });

  it('has NULL as text where it is in quotes, and days as their first moment', async () => {
    const { links } = await read(
      `longUrl,shortCode,title,created\n${A},a,"NULL",2024-05-06\n${A},b,"\\N",2024/05/06\n`,
    );
    expect(links).toMatchObject([
      { title: 'NULL', createdAt: DAY },
      { title: '\\N', createdAt: DAY },
    ]);
  });

  it('has rows with the lines on which they begin, also behind line breaks in quotes', async () => {
    const { links, told } = await read(`longUrl,shortCode,title\r\n${A},a,"two\r\nlines"\r\n\r\n${A},b\r\n${A},c,\r\n`);
    expect(links.map(({ line, key }) => [line, key])).toEqual([
      [2, '/a'],
      [6, '/c'],
    ]);
    expect(told).toMatchObject([
      { line: 5, row: 2, reason: 'unreadable', detail: expect.stringContaining('2 of the 3') },
    ]);
  });

  it.each([
    [
      'Shlink',
      'shlink',
      `createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n2024-05-06,DEFAULT,a,https://o.example/a,${A},T,x|y,7\n`,
      '/a',
    ],
    ['YOURLS', 'yourls', `keyword,url,title,timestamp,ip,clicks\na,${A},T,2024-05-06 00:00:00,::1,7\n`, 'a'],
    ['YOURLS, without a header', 'yourls', `"a","${A}","T","2024-05-06 00:00:00","127.0.0.1","7"\n`, 'a'],
    ['YOURLS, as a dump with tabs', 'yourls', `a\t${A}\tT\t2024-05-06 00:00:00\t127.0.0.1\t7\n`, 'a'],
    [
      'Kutt',
      'kutt',
      `address,target,description,banned,password,visit_count,domain,created_at\na,${A},T,false,false,7,,2024-05-06\n`,
      '/a',
    ],
    ['Bitly', 'bitly', `Title,Long URL,Link,Created\nT,${A},https://bit.ly/a,2024-05-06\n`, 'a'],
    [
      'Dub',
      'csv',
      `Short link,Destination URL,Title,Clicks,Created at,Archived\nhttps://go.example/a,${A},T,7,2024-05-06T00:00:00.000Z,false\n`,
      'go.example/a',
    ],
    ['TinyURL', 'csv', `Alias,Domain,Long URL,Title,Created At\na,tinyurl.com,${A},T,2024-05-06 00:00:00\n`, '/a'],
    [
      'Rebrandly',
      'csv',
      `id,title,slashtag,destination,shortUrl,domain.fullName,createdAt,clicks\n1,T,a,${A},go.example/a,go.example,2024-05-06T00:00:00.000Z,7\n`,
      'go.example/a',
    ],
    [
      'Short.io',
      'csv',
      `Original URL;Path;Title;Short URL;Created At;idString\n${A};a;T;https://go.example/a;2024-05-06T00:00:00.000Z;lnk_1\n`,
      'go.example/a',
    ],
    ['a spreadsheet', 'csv', `URL;Alias;TITLE;Date created\n${A};a;T;2024-05-06\n`, '/a'],
  ] as const)('of %s is read by the names of its columns', async (_, source, text, key) => {
    const { links } = await read(text, source);
    const title = source === 'kutt' ? null : 'T';
    expect(links).toMatchObject([{ key, longUrl: A, title, createdAt: DAY }]);
  });

  it.each([
    ['', 'empty'],
    ['name,address2\nx,y\n', 'no column that is known'],
    ['longUrl;foo,shortCode\nx\n', 'sep='],
    ['sep=#\nlongUrl#x\n', 'sep=#'],
    ['longUrl,url,Long-Url\nx,y,z\n', 'Two columns'],
    [`${A}\nhttps://a.example/2\n`, 'no column that is known'],
    [`a,${A},T,2024-05-06 00:00:00,127.0.0.1,7\n`, 'no column that is known'],
    [`longUrl\n"${'x'.repeat(1_100_000)}\n`, 'longer than 1 MB'],
  ])('%.60j is refused as a whole', async (text, why) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'unreadable-file',
      message: expect.stringContaining(why) as unknown,
    });
  });

  it.each([
    [`longUrl,url,shortCode\n${A},https://a.example/2,a\n`, 'longUrl', 'differently'],
    [`longUrl,slug,alias\n${A},a,b\n`, 'shortCode', 'differently'],
    [`longUrl,shortUrl\n${A},https://go.example/\n`, 'shortUrl', 'short URL'],
    [`longUrl,created\n${A},06/05/2024\n`, 'dateCreated', '2026-01-31'],
    [`longUrl,shortCode,\n${A},b,c\n`, null, 'no name'],
    [`longUrl,title\n${A},a "b" c\n`, null, 'quote'],
    [`longUrl,title\n${A},"a" b\n`, null, 'quote'],
    [`longUrl,title\n${A},"a\n`, null, 'never closed'],
  ])('with a row that may mean more than one thing refuses it: %j', async (text, field, why) => {
    const { links, told } = await read(text);
    expect(links).toEqual([]);
    expect(told).toMatchObject([{ line: 2, field, detail: expect.stringContaining(why) }]);
  });
});
