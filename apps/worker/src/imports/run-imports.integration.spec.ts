import { Database } from '@hopcount/postgres';
import { createLogger, Reach } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { exportLinks, type ImportSource, ImportStore, reportImport } from '@hopcount/transfer';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { WorkerConfig } from '../worker.config.js';
import { NASTY_TEXTS } from './installation.spec-helpers.js';
import { runImports } from './run-imports.js';

const LIMIT = 1_000_000_000;
const COLUMNS = [
  'longUrl,shortCode,domain,title,tags,dateCreated,validSince,validUntil,expiredUrl,disabled,crawlable,forwardQuery,',
  'extraPath,redirectStatus,groupId,note,redirectRules,split',
].join('');

let server: TestDatabase;
let database: Database;
let imports: ImportStore;
let announced = 0;

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(text));
}
const worker = (on = database) =>
  runImports(
    {
      config: { allowPrivateTargets: false, targetSchemes: ['http', 'https'], slots: 8 } as unknown as WorkerConfig,
      database: on,
      redis: undefined as never,
      outbox: { announce: () => Promise.resolve(void (announced += 1)) } as never,
      logger: createLogger({ name: 'test', level: 'silent' }),
    },
    undefined,
  );
const run = () => worker().work(new AbortController().signal);
async function take(text: string, source: ImportSource = 'csv', name: string = source, domain: string | null = null) {
  const { id } = await imports.upload(Reach.everything, { source, name, domain }, bytesOf(text), LIMIT);
  await run();
  return { ...(await imports.get(Reach.everything, id)), skips: await imports.remarksOf(id) };
}
async function exported(from: Database, format: 'csv' | 'jsonl' = 'jsonl') {
  let text = '';
  for await (const chunk of exportLinks(Reach.everything, from, { format, publicScheme: 'http', totals: 'slots' }))
    text += String(chunk);
  return text;
}

beforeAll(async () => {
  server = await testDatabase();
  database = await Database.connect({ url: server.url, applicationName: 'imports-spec' });
  imports = new ImportStore(database);
  await server.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const manyRows = (count: number, prefix: string) =>
  `longUrl,shortCode\n${Array.from({ length: count }, (_, index) => `https://many.example/${index},${prefix}${index}\n`).join('')}`;
const countOf = async (prefix: string) =>
  (await server.query<{ n: number }>(`SELECT count(*)::int AS n FROM links WHERE code LIKE '${prefix}%'`))[0]?.n;

describe('an import of links', () => {
  it('creates them as they were, and says what it left out and why', async () => {
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT 1, id, 'taken', 'https://other.example/' FROM domains`,
    );
    await server.query(`INSERT INTO blocks (kind, value) VALUES ('host', 'evil.example')`);
    const result = await take(
      [
        'longUrl,shortCode,title,dateCreated,Colour',
        'https://example.com/1,one,One,2020-01-02T03:04:05+00:00,red',
        'https://example.com/2,taken,,,',
        'http://127.0.0.1/,private,,,',
        'nothing,none,,,',
        'https://example.com/3,rest,,,',
        'https://example.com/4,,,,',
        'https://example.com/1,one,again,,',
        'http://s.test/x,loop,,,',
        'https://www.evil.example/,blocked,,,',
        // New ones may not look like another alphabet's; this is in print.
        'https://example.com/5,рот,,,',
      ].join('\n'),
    );
    expect(result).toMatchObject({
      ...{ state: 'done', rowsDone: 10, created: 3, unchanged: 1, refused: 6, failure: null },
      reasons: {
        'field-not-imported': 1,
        'differs-here': 1,
        'non-unique-slug': 1,
        'unsafe-target': 3,
        'invalid-data': 1,
        'reserved-slug': 1,
      },
    });
    expect(result.skips.map(({ row, reason }) => [row, reason])).toEqual([
      [1, 'field-not-imported'],
      [2, 'non-unique-slug'],
      [3, 'unsafe-target'],
      [4, 'invalid-data'],
      [5, 'reserved-slug'],
      [7, 'differs-here'],
      [8, 'unsafe-target'],
      [9, 'unsafe-target'],
    ]);
    const [one] = await server.query(`SELECT title, created_at, long_url FROM links WHERE code = 'one'`);
    expect(one).toEqual({
      title: 'One',
      created_at: new Date('2020-01-02T03:04:05Z'),
      long_url: 'https://example.com/1',
    });
    expect(await server.query('SELECT FROM link_outbox')).toHaveLength(3);
    expect(announced).toBeGreaterThan(0);
    expect(await server.query('SELECT FROM import_parts')).toHaveLength(0);
  });

  it('of the same file again creates nothing, also of links without a code and of ones deleted since', async () => {
    const file =
      'longUrl,shortCode\nhttps://twice.example/a,twice-a\nhttps://twice.example/b,\nhttps://twice.example/c,twice-c\n';
    expect(await take(file, 'csv', 'twice')).toMatchObject({ created: 3 });
    await server.query(`UPDATE links SET deleted_at = now() WHERE code = 'twice-c'`);
    expect(await take(file, 'csv', 'twice')).toMatchObject({
      created: 0,
      unchanged: 2,
      refused: 1,
      reasons: { 'deleted-here': 1 },
    });
    // Another name is another installation: the same code and target are the same link all the same.
    expect(await take(file, 'csv', 'thrice')).toMatchObject({ created: 1, unchanged: 1, refused: 1 });
  });

  it('goes to the domain that was named', async () => {
    await take('longUrl,shortCode\nhttps://d.example/,on-domain\n', 'csv', 'd', 'Other.Test');
    const [found] = await server.query(
      `SELECT authority FROM links JOIN domains ON domains.id = domain_id WHERE code = 'on-domain'`,
    );
    expect(found).toEqual({ authority: 'other.test' });
    await expect(take('x', 'csv', 'd', 'no domain')).rejects.toMatchObject({ code: 'invalid-data' });
  });

  it('left by a worker is taken on by the next, each row once, by two at once as well', async () => {
    const { id } = await imports.upload(
      Reach.everything,
      { source: 'csv', name: 'left', domain: null },
      bytesOf(manyRows(2_600, 'left')),
      LIMIT,
    );
    // Its database goes in the middle: the transaction under way is undone.
    const other = await Database.connect({ url: server.url, applicationName: 'doomed-worker' });
    const doomed = worker(other).work(new AbortController().signal);
    while ((await imports.get(Reach.everything, id)).rowsDone === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed-worker'`,
    );
    await doomed.catch(() => undefined);
    await other.close();
    await Promise.all([run(), run()]);
    expect(await imports.get(Reach.everything, id)).toMatchObject({
      state: 'done',
      rowsDone: 2_600,
      created: 2_600,
      unchanged: 0,
      refused: 0,
    });
    expect(await countOf('left')).toBe(2_600);
  });

  it('that takes no row fails; it tells a thousand of what it left out, reports and counts all', async () => {
    const result = await take(
      ['longUrl', ...Array.from({ length: 1_300 }, (_, n) => `ftp://x.example/${n}`)].join('\n'),
      'csv',
      'bad',
    );
    expect(result).toMatchObject({ state: 'failed', rowsDone: 1_300, reasons: { 'unsafe-target': 1_300 } });
    expect(result.skips).toHaveLength(1_000);
    let report = '';
    for await (const chunk of reportImport(imports, result.id)) report += String(chunk);
    const lines = report.split('\n');
    expect([lines[0], lines.length]).toEqual(['line,row,field,reason,detail', 1_302]);
    expect(lines[1_300]).toMatch(/^1301,1300,longUrl,unsafe-target,/);
  });

  it.each([
    ['', 'empty'],
    ['{"a":\n', 'JSON'],
  ])('of a file %j ends and says why', async (text, why) => {
    const { state, failure } = await take(text, 'csv', 'broken');
    expect([state, failure]).toEqual(['failed', expect.stringContaining(why)]);
  });

  it('is refused when it is too large, and nothing of it is kept', async () => {
    await expect(
      imports.upload(
        Reach.everything,
        { source: 'csv', name: 'x', domain: null },
        bytesOf('x'.repeat(1_000_000)),
        300_000,
      ),
    ).rejects.toMatchObject({
      code: 'import-too-large',
    });
    expect(await server.query('SELECT FROM import_parts')).toHaveLength(0);
  });

  it('takes any text for what it is', async () => {
    const lines = ['\u0000', '\ud800', 'x'.repeat(5_000), '🥣'.repeat(700)].map((text) =>
      JSON.stringify({
        longUrl: `https://a.example/?${text}`,
        shortCode: text,
        title: text,
        tags: [text],
        domain: null,
      }),
    );
    const withText = lines.map((line) => line.replace(/"shortCode":"[^"]*",/, ''));
    const result = await take([...lines, ...withText].join('\n'), 'hopcount', 'odd');
    // None of them can be a link.
    expect(result).toMatchObject({ state: 'failed', rowsDone: 8, created: 0, refused: 8 });
  });
});

describe('an export', () => {
  it('imported into an empty installation is the same links', async () => {
    const rules = JSON.stringify([
      { longUrl: 'https://r.example/', conditions: [{ type: 'device', matchKey: null, matchValue: 'ios' }] },
    ]);
    const split = JSON.stringify([{ longUrl: 'https://p.example/', weight: 2 }]);
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const row = [
      ...['https://full.example/?a=1', 'full-🥣', 'other.test', quoted('\'=1+1,"x"\nline'), quoted('["a|b","c,d"]')],
      ...[
        '2020-01-02T03:04:05Z',
        '2021-01-01T00:00:00Z',
        '2031-01-01T00:00:00Z',
        'https://e.example/',
        'true',
        'true',
        'false',
      ],
      ...['append', '307', 'team', quoted('=note'), quoted(rules), quoted(split)],
    ];
    expect(await take(`${COLUMNS}\n${row.join(',')}\n`, 'csv', 'full')).toMatchObject({ created: 1, reasons: {} });
    const nasty = NASTY_TEXTS.map((text, nth) =>
      JSON.stringify({
        ...{ longUrl: `https://n.example/?${encodeURIComponent(text)}`, shortCode: `nasty-${nth}`, domain: null },
        ...{ title: text, note: text, tags: [text, `${text}${nth}`] },
      }),
    );
    expect((await take(nasty.join('\n'), 'hopcount', 'nasty')).created).toBeGreaterThan(200);
    const all = await exported(database);
    const rowsWithoutId = (text: string) => text.replaceAll(/,\d+$/gm, '');
    const csv = rowsWithoutId(await exported(database, 'csv'));
    expect(all).toContain('full-🥣');
    for (const [format, source] of [
      ['jsonl', 'hopcount'],
      ['csv', 'csv'],
    ] as const) {
      const empty = await testDatabase();
      const there = await Database.connect({ url: empty.url, applicationName: 'there' });
      await empty.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
      const store = new ImportStore(there);
      const { id } = await store.upload(
        Reach.everything,
        { source, name: 'x', domain: null },
        bytesOf(await exported(database, format)),
        LIMIT,
      );
      await worker(there).work(new AbortController().signal);
      expect(await store.get(Reach.everything, id)).toMatchObject({ state: 'done', refused: 0, reasons: {} });
      const plain = (text: string) =>
        text
          .split('\n')
          .filter(Boolean)
          .map((line) => ({ ...(JSON.parse(line) as object), id: '' }))
          .map((link) => JSON.stringify(link))
          .sort();
      expect(plain(await exported(there))).toEqual(plain(all));
      expect(rowsWithoutId(await exported(there, 'csv'))).toBe(csv);
      await there.close();
      await empty.drop();
    }
  });
});
