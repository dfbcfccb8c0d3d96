import { Database } from '@hopcount/postgres';
import { Reach } from '@hopcount/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { Installation } from './installation.spec-helpers.js';

let here: Installation;
let names = 0;
beforeAll(async () => {
  here = await Installation.open();
});
afterAll(() => here.close());

const linkOf = async (code: string) => {
  const rows = await here.ledger.server.query<{ long_url: string; authority: string; title: string | null }>(
    `SELECT long_url, authority, title FROM links JOIN domains ON domains.id = domain_id WHERE code = $1 ORDER BY 1`,
    [code],
  );
  return rows;
};
const newName = () => `rows ${(names += 1)}`;

interface Row {
  code: string;
  target: string;
  line: string;
}

/** A line of a file in which each row has a target of its own, but for those that repeat an earlier row. */
function build(kinds: readonly (readonly [kind: string, pick: number])[], prefix: string): Row[] {
  const rows: Row[] = [];
  kinds.forEach(([kind, pick], n) => {
    const earlier = rows[pick % Math.max(1, rows.length)];
    const target = `https://t.example/${prefix}/${n}`;
    const code = `${prefix}-${n}`;
    const plain = (row: Omit<Row, 'line'>) => rows.push({ ...row, line: `${row.target},${row.code},` });
    if (kind === 'repeated' && earlier !== undefined) plain(earlier);
    else if (kind === 'other target' && earlier !== undefined) plain({ code: earlier.code, target });
    else if (kind === 'slash') plain({ code: `${earlier?.code ?? 'x'}/${n}`, target });
    // Would be an earlier code with `-` for its `/`.
    else if (kind === 'slash for dash') plain({ code: (earlier?.code ?? 'a-b').replace('-', '/'), target });
    else if (kind === 'without a code') plain({ code: '', target });
    else if (kind === 'without a target') plain({ code, target: '' });
    else if (kind === 'unquoted comma') rows.push({ code, target, line: `${target},with a comma,${code},` });
    else if (kind === 'broken quotes') rows.push({ code, target, line: `${target},${code},"a"b` });
    else if (kind === 'short') rows.push({ code, target, line: target });
    else if (kind === 'bad scheme') plain({ code, target: `javascript:alert(${n})` });
    else plain({ code, target });
  });
  return rows;
}

/** What has to become of each row when the file comes for the first time. */
function outcomesOf(rows: readonly Row[]): ('created' | 'unchanged' | 'refused')[] {
  const targets = new Map<string, string>();
  return rows.map(({ code, target, line }) => {
    const isWhole = line === `${target},${code},` && target.startsWith('https:') && !code.includes('/');
    if (!isWhole) return 'refused';
    // Without a code the target says which link it is.
    const key = code === '' ? target : code;
    const taken = targets.get(key);
    if (taken !== undefined) return taken === target ? 'unchanged' : 'refused';
    targets.set(key, target);
    return 'created';
  });
}

const KINDS = [
  ...['good', 'good', 'good', 'repeated', 'other target', 'slash', 'slash for dash', 'without a code'],
  ...['without a target', 'unquoted comma', 'broken quotes', 'short', 'bad scheme'],
];

describe('each row of an import', () => {
  it('is created, updated, unchanged or refused, and no link has the target of another row', async () => {
    const file = fc.array(fc.tuple(fc.constantFrom(...KINDS), fc.nat()), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(file, async (kinds) => {
        const name = newName();
        const rows = build(kinds, `p${names}`);
        const text = ['longUrl,shortCode,title', ...rows.map(({ line }) => line)].join('\n');
        const outcomes = outcomesOf(rows);
        const counted = (outcome: string) => outcomes.filter((one) => one === outcome).length;
        for (const time of ['first', 'second']) {
          const { id, state, ...found } = await here.take(text, 'csv', name);
          const { created, updated, unchanged, refused, rowsDone, failure } = found;
          expect(rowsDone).toBe(rows.length);
          expect(created + updated + unchanged + refused).toBe(rows.length);
          expect([state, failure === null]).toEqual(refused < rows.length ? ['done', true] : ['failed', false]);
          const [fresh, same] = [counted('created'), counted('unchanged')];
          const expected = time === 'first' ? [fresh, 0, same] : [0, 0, fresh + same];
          expect([text, created, updated, unchanged]).toEqual([text, ...expected]);
          const told = (await here.imports.remarksOf(id)).map(({ row }) => row);
          const refusedRows = outcomes.flatMap((outcome, place) => (outcome === 'refused' ? [place + 1] : []));
          expect([text, [...new Set(told)]]).toEqual([text, refusedRows]);
        }
        const links = await here.ledger.server.query<{ code: string; long_url: string }>(
          `SELECT code, long_url FROM links WHERE long_url LIKE '%/p${names}/%' OR code LIKE 'p${names}-%'`,
        );
        for (const { code, long_url: target } of links) {
          const own = rows.filter((row) => row.target === target && (row.code === code || row.code === ''));
          expect([code, target, own.length > 0]).toEqual([code, target, true]);
        }
        for (const row of rows.filter(({ line, target }) => line.endsWith(`${target},`) && target.startsWith('https')))
          expect(links.some(({ long_url: target }) => target === row.target)).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it.each<[string, string, string, object[], object]>([
    [
      'a slash in a code',
      'csv',
      'longUrl,shortCode\nhttps://a.example/1,sl/ash\nhttps://a.example/2,sl-ash\n',
      [{ line: 2, field: 'shortCode', reason: 'invalid-data' }],
      { 'sl-ash': ['https://a.example/2'], ash: [] },
    ],
    [
      'two links of one code on two domains of Bitly',
      'bitly',
      'Link,Long URL\nbit.ly/twodom,https://a.example/1\nhttps://go.brand.example/twodom,https://a.example/2\n',
      [],
      { twodom: ['https://a.example/1', 'https://a.example/2'] },
    ],
    [
      'a code that comes again with another target',
      'csv',
      'longUrl,shortCode\nhttps://a.example/1,dup\nhttps://a.example/2,dup\n',
      [{ line: 3, field: 'shortCode', reason: 'non-unique-slug' }],
      { dup: ['https://a.example/1'] },
    ],
    [
      'an unquoted comma',
      'csv',
      'longUrl,shortCode\nhttps://a.example/?x=1,2,comma\nhttps://a.example/2,good\n',
      [{ line: 2, field: null, reason: 'unreadable' }],
      { 2: [], comma: [], good: ['https://a.example/2'] },
    ],
    [
      'shorturl and longurl',
      'csv',
      'shorturl,longurl\nhttps://old.example/mine,https://a.example/1\n',
      [],
      { mine: ['https://a.example/1'] },
    ],
    [
      'a replaced character in a code',
      'csv',
      'longUrl,shortCode\nhttps://a.example/1,caf\ufffd\nhttps://a.example/2,plain\n',
      [{ line: 2, field: 'shortCode', reason: 'invalid-data' }],
      { 'caf\ufffd': [], plain: ['https://a.example/2'] },
    ],
    [
      'two lines as one, by a quote that is left open',
      'csv',
      'longUrl,shortCode,title\nhttps://a.example/1,open,"x\nhttps://a.example/2,swallowed,\nhttps://a.example/3,"open3",\nhttps://a.example/4,after,\n',
      [{ line: 2, reason: 'unreadable', detail: expect.stringContaining('lines 2 to 4') }],
      { open: [], swallowed: [], after: ['https://a.example/4'] },
    ],
  ])('says of %s which line and field, and changes nothing to fit', async (_, source, text, told, links) => {
    const result = await here.take(text, source as 'csv', newName());
    const remarks = await here.imports.remarksOf(result.id);
    expect(remarks).toMatchObject(told);
    expect(remarks).toHaveLength(told.length);
    expect(result.refused).toBe(told.length);
    expect(result.created + result.refused).toBe(result.rowsDone);
    for (const [code, targets] of Object.entries(links))
      expect([code, (await linkOf(code)).map(({ long_url: target }) => target)]).toEqual([code, targets]);
  });

  it("of Shlink 3 keeps its URLs by device as rules, as Shlink's own upgrade does", async () => {
    const link = {
      ...{ shortCode: 'devices', longUrl: 'https://a.example/', domain: null },
      deviceLongUrls: { android: 'https://a.example/android', ios: null, desktop: 'https://a.example/desktop' },
    };
    expect(await here.take(JSON.stringify(link), 'shlink', newName())).toMatchObject({ created: 1, reasons: {} });
    const [row] = await here.ledger.server.query(`SELECT redirect_rules FROM links WHERE code = 'devices'`);
    expect(row).toEqual({
      redirect_rules: ['android', 'desktop'].map((matchValue) => ({
        longUrl: `https://a.example/${matchValue}`,
        conditions: [{ type: 'device', matchKey: null, matchValue }],
      })),
    });
  });

  it.each([
    ['garbage', '\u0001\u0002 no table', 'no column that is known'],
    ['only a header', 'longUrl,shortCode\n', 'no row'],
    ['a web page', '<!doctype html><p>Links', 'HTML'],
    ['no target', 'title,tags\nA,b\n', 'no longUrl'],
    ['only what is refused', 'longUrl,shortCode\nftp://a.example/,x\n', 'line 2'],
  ])('there is: a file with %s fails, and says what is expected', async (_, text, why) => {
    const { state, failure, created } = await here.take(text, 'csv', newName());
    expect([state, created]).toEqual(['failed', 0]);
    expect(failure?.toLowerCase()).toContain(why.toLowerCase());
    expect(failure).toMatch(/longUrl|CSV/);
  });

  it.each([
    [Buffer.from([0x1f, 0x8b, 8, 0]), 'gunzip'],
    [Buffer.from('PK\u0003\u0004xl/worksheets'), 'CSV UTF-8'],
    [Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'CSV UTF-8'],
    [Buffer.from([0x8f, 0x01, 0x00, 0xff, 0xfe, 0x81]), 'not text'],
  ])('of a file that is no text, %p, is not asked for: it is refused with advice', async (bytes, advice) => {
    const given = { source: 'csv', name: newName(), domain: null } as const;
    const pieces = async function* () {
      yield await Promise.resolve(bytes);
    };
    await expect(here.imports.upload(Reach.everything, given, pieces(), 1_000)).rejects.toMatchObject({
      code: 'unreadable-file',
      message: expect.stringContaining(advice) as unknown,
    });
  });

  it('with update gives a link that is here its title, note and tags; where it leads is never changed', async () => {
    const name = newName();
    const file = (rows: string) => `longUrl,shortCode,title,tags\n${rows}\n`;
    await here.take(file('https://u.example/1,upd1,One,a\nhttps://u.example/2,upd2,Two,'), 'csv', name);
    const changed = file('https://u.example/1,upd1,Uno,b\nhttps://u.example/2,upd2,,\nhttps://u.example/3,upd2,Dos,');
    const kept = await here.take(changed, 'csv', name);
    expect(kept).toMatchObject({ updated: 0, unchanged: 2, refused: 1, reasons: { 'differs-here': 1 } });
    expect((await linkOf('upd1'))[0]?.title).toBe('One');
    const updated = await here.take(changed, 'csv', name, { changesLinks: true });
    expect(updated).toMatchObject({ updated: 1, unchanged: 1, refused: 1, reasons: { 'other-target': 1 } });
    expect((await linkOf('upd1'))[0]?.title).toBe('Uno');
    expect(await linkOf('upd2')).toMatchObject([{ long_url: 'https://u.example/2', title: 'Two' }]);
    expect(await here.take(changed, 'csv', name, { changesLinks: true })).toMatchObject({ updated: 0, unchanged: 2 });
  });

  it('counts once although the worker is lost in the middle', async () => {
    const rows = build(
      Array.from({ length: 1_400 }, (_, n) => [KINDS[n % KINDS.length] ?? 'good', n * 7] as const),
      'lost',
    );
    const text = ['longUrl,shortCode,title', ...rows.map(({ line }) => line)].join('\n');
    const id = await here.upload(text, 'csv', newName());
    const other = await Database.connect({ url: here.ledger.server.url, applicationName: 'doomed-rows' });
    const doomed = here.work(other);
    while ((await here.imports.get(Reach.everything, id)).rowsDone === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await here.ledger.server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doomed-rows'`,
    );
    await doomed.catch(() => undefined);
    await other.close();
    await here.work();
    const { state, created, updated, unchanged, refused } = await here.imports.get(Reach.everything, id);
    expect([state, created + updated + unchanged + refused]).toEqual(['done', 1_400]);
    const remarks = await here.imports.remarksOf(id);
    expect(new Set(remarks.map(({ row }) => row)).size).toBe(refused);
  });
});
