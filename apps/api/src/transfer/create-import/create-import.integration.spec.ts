import { gzipSync } from 'node:zlib';

import { visitListSchema } from '@hopcount/contracts';
import { openMonth, VisitCommitter } from '@hopcount/ledger';
import { ImportStore, runImport } from '@hopcount/transfer';
import { testApiKey } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../../api.spec-helpers.js';

describe('POST imports', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  const send = (query: string, body: string | Buffer, type = 'text/csv') =>
    api.request('POST', `/rest/v3/imports?${query}`, { body, headers: { 'content-type': type } });

  it('keeps the file for a worker and says how far it is', async () => {
    const { status, body } = await send('source=csv&name=old', 'longUrl\nhttps://example.com/\n');
    expect([status, body]).toMatchObject([
      200,
      { source: 'csv', name: 'old', domain: null, state: 'waiting', rows: 0, created: 0, skips: [], failure: null },
    ]);
    expect((await api.get(`imports/${String(body['id'])}`)).body).toEqual(body);
    const [kept] = await api.database.query<{ text: string }>(
      `SELECT convert_from(bytes, 'UTF8') AS text FROM import_parts`,
    );
    expect(kept?.text).toBe('longUrl\nhttps://example.com/\n');
    await api.database.query(
      `UPDATE imports SET state = 'done', rows_done = 4, created = 1, updated = 1, existing = 1, skipped = 1, reasons = '{"invalid-data": 1}', ended_at = now()`,
    );
    await api.database.query(
      `INSERT INTO import_skips (import_id, row, line, field, reason, detail)
       SELECT id, 2, 3, 'title', 'invalid-data', '=why' FROM imports`,
    );
    expect((await api.get(`imports/${String(body['id'])}`)).body).toMatchObject({
      ...{ state: 'done', rows: 4, created: 1, updated: 1, unchanged: 1, refused: 1, reasons: { 'invalid-data': 1 } },
      // As they were called before.
      ...{ existing: 1, skipped: 1 },
      skips: [{ row: 2, line: 3, field: 'title', reason: 'invalid-data', detail: '=why' }],
    });
    const report = await api.get(`imports/${String(body['id'])}/report`);
    expect([report.status, report.headers.get('content-type'), report.body]).toEqual([
      200,
      'text/csv; charset=utf-8',
      { text: `line,row,field,reason,detail\n3,2,title,invalid-data,'=why\n` },
    ]);
  });

  /** What a worker does, of months that were never dropped. */
  async function work(): Promise<void> {
    const { database, links } = api.resources;
    const imports = new ImportStore(database);
    const openMonths = async (months: readonly number[]) => {
      for (const month of months) await openMonth(database, month);
      return new Map<number, string>();
    };
    const deps = { database, links, imports, committer: new VisitCommitter(database, { slots: 8 }), openMonths };
    for (let next = await imports.next(); next !== undefined; next = await imports.next())
      await runImport(deps, next, new AbortController().signal);
  }

  it('takes links and their visits, years old, which statistics, lists and exports then have, marked', async () => {
    const file =
      'longUrl,shortCode,date,userAgent\nhttps://example.com/shop,shop,,\n,shop,2019-02-03T04:05:06.789Z,curl/8\n,shop,2026-11-01T00:00:00Z,\n';
    const take = async () => {
      const { body } = await send('source=csv&name=old+shop', file);
      await work();
      return (await api.get(`imports/${String(body['id'])}`)).body;
    };
    expect(await take()).toMatchObject({ state: 'done', rows: 3, created: 3, visits: 2, existingVisits: 0, skips: [] });
    expect(await take()).toMatchObject({ state: 'done', created: 0, visits: 0, existingVisits: 2, unchanged: 3 });
    const { data, pagination } = visitListSchema.parse((await api.get('short-urls/shop/visits')).body).visits;
    expect(pagination.totalItems).toBe(2);
    expect(data).toMatchObject([
      { date: '2026-11-01T00:00:00+00:00', potentialBot: false, importedFrom: 'old shop' },
      { date: '2019-02-03T04:05:06+00:00', potentialBot: true, importedFrom: 'old shop', userAgent: 'curl/8' },
    ]);
    expect((await api.get('short-urls/shop')).body['visitsSummary']).toEqual({ total: 2, nonBots: 1, bots: 1 });
    const stats = await api.get('short-urls/shop/stats?startDate=2019-01-01&endDate=2019-12-31&interval=month');
    expect(stats.body).toMatchObject({ totals: { visits: 1, visitors: 0 } });
    const { text } = (await api.get('exports/visits?shortCode=shop')).body as { text: string };
    expect(text.split('\n').filter((line) => line.includes(',old shop,'))).toHaveLength(2);
  });

  it.each([
    ['that nothing names, with a note', 'text/csv', 'é', [{ row: 0, line: null, reason: 'charset-assumed' }]],
    ['that the upload names', 'text/csv; charset="ISO-8859-1"', 'é', []],
    ['that the upload names, and that is not western', 'text/csv;charset=windows-1251', 'й', []],
  ])('reads a file in the character set %s', async (_, type, letter, skips) => {
    const row = Buffer.from('longUrl,shortCode,title\nhttps://example.com/,\u00e9\u00e9,\u00e9\n', 'latin1');
    const name = `letters ${letter} ${skips.length}`;
    await api.database.query(`UPDATE links SET code = id::text WHERE code LIKE '__'`);
    const { body } = await send(`source=csv&name=${encodeURIComponent(name)}`, row, type);
    await work();
    expect((await api.get(`imports/${String(body['id'])}`)).body).toMatchObject({ created: 1, refused: 0, skips });
    const links = await api.database.query(`SELECT code, title FROM links WHERE code LIKE '__'`);
    expect(links).toEqual([{ code: `${letter}${letter}`, title: letter }]);
  });

  it.each([
    [
      'JSON that is not UTF-8',
      Buffer.from('{"longUrl":"https://example.com/\u00e9"}', 'latin1'),
      'application/x-ndjson',
      'line 1',
    ],
    ['a damaged gzip file', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'text/csv', 'gunzip'],
    ['a file compressed twice', gzipSync(gzipSync('longUrl\n')), 'application/gzip', 'twice'],
    ['a workbook', Buffer.from('PK\u0003\u0004'), 'application/octet-stream', 'CSV UTF-8'],
    ['an unknown character set', Buffer.from('longUrl\n'), 'text/csv; charset=klingon', 'klingon'],
    [
      'bytes that are not what the upload says',
      Buffer.from('longUrl\n\u00e9', 'latin1'),
      'text/csv; charset=utf-8',
      'line 2',
    ],
  ])('refuses %s with 400 and says what to do', async (_, bytes, type, why) => {
    const { status, body } = await send('source=csv&name=unreadable', bytes, type);
    expect([status, body['type']]).toEqual([400, 'urn:hopcount:problem:unreadable-file']);
    expect(body['detail']).toContain(why);
    const open = await api.database.query(
      `SELECT FROM imports WHERE name = 'unreadable' AND (state <> 'failed' OR id IN (SELECT import_id FROM import_parts))`,
    );
    expect(open).toEqual([]);
  });

  it.each([
    ['source=csv', 'application/json', 415],
    ['source=csv', 'text/html', 415],
    ['', 'text/csv', 400],
    ['source=dub', 'text/csv', 400],
    ['source=csv&domain=no%20domain', 'text/csv', 400],
    ['source=csv&name=a%0ab', 'text/csv', 400],
    [`source=csv&name=${'x'.repeat(101)}`, 'text/csv', 400],
  ])('refuses ?%s as %s: %i', async (query, type, status) => {
    expect((await send(query, '{}', type)).status).toBe(status);
  });

  it('refuses what is larger than 32 MB, and keeps none of it', async () => {
    const before = await api.database.query('SELECT FROM import_parts');
    const answer = await send('source=csv', 'x'.repeat(33 * 1_024 * 1_024));
    expect([answer.status, answer.body['type']]).toEqual([413, 'urn:hopcount:problem:import-too-large']);
    expect(await api.database.query('SELECT FROM import_parts')).toHaveLength(before.length);
  });

  it.each(['text/csv', 'application/gzip', 'application/octet-stream'])(
    'reads a gzip file sent as %s: its links and visits are those of the plain file',
    async (type) => {
      const code = type.replace('/', '-');
      const file = `longUrl,shortCode,date\nhttps://example.com/,${code},\n,${code},2024-02-03T04:05:06Z\n`;
      const { status, body } = await send(`source=csv&name=${code}`, gzipSync(file), type);
      expect(status).toBe(200);
      await work();
      expect((await api.get(`imports/${String(body['id'])}`)).body).toMatchObject({
        state: 'done',
        created: 2,
        visits: 1,
      });
    },
  );

  it('refuses a gzip file of which more than 32 MB is unpacked, and keeps none of it', async () => {
    const before = await api.database.query('SELECT FROM import_parts');
    const answer = await send('source=csv', gzipSync(Buffer.alloc(33 * 1_024 * 1_024, 'x')), 'application/gzip');
    expect([answer.status, answer.body['type']]).toEqual([413, 'urn:hopcount:problem:import-too-large']);
    expect(await api.database.query('SELECT FROM import_parts')).toHaveLength(before.length);
  });

  it('takes no file anywhere else', async () => {
    const options = { body: 'x', headers: { 'content-type': 'text/csv' } };
    expect((await api.request('POST', '/rest/v3/short-urls', options)).body['type']).toMatch(/malformed-request-body$/);
  });

  it('knows no import that was never made', async () => {
    for (const id of ['0', '999999', 'x', '-1', '9'.repeat(30)]) {
      expect((await api.get(`imports/${id}`)).status).toBe(404);
      expect((await api.request('DELETE', `/rest/v3/imports/${id}`)).status).toBe(404);
    }
  });

  it('ends one that waits: nothing more of its file is taken, and other imports go on', async () => {
    const { body } = await send('source=csv&name=endless', 'longUrl\nhttps://example.com/never\n');
    const path = `/rest/v3/imports/${String(body['id'])}`;
    await api.database.query(
      `INSERT INTO import_identities (import_id, identity, seen) VALUES ($1, '00000000-0000-7000-8000-000000000001', 1)`,
      [body['id']],
    );
    const ended = await api.request('DELETE', path);
    expect([ended.status, ended.body]).toMatchObject([
      200,
      { state: 'failed', failure: expect.stringContaining('ended') },
    ]);
    expect((await api.request('DELETE', path)).body).toEqual(ended.body);
    for (const table of ['import_parts', 'import_identities'])
      expect(await api.database.query(`SELECT FROM ${table} WHERE import_id = $1`, [body['id']])).toEqual([]);
    await work();
    expect((await api.get(`imports/${String(body['id'])}`)).body).toEqual(ended.body);
  });

  it('takes five at a time of a key and twenty of all, until one has ended', async () => {
    const { key } = await testApiKey(api.database, { scopes: ['links:write', 'links:read'] });
    const headers = { 'x-api-key': key, 'content-type': 'text/csv' };
    const begin = (as: Record<string, string> = headers) =>
      api.request('POST', '/rest/v3/imports?source=csv', { body: 'longUrl\nhttps://example.com/\n', headers: as });
    // At once, too.
    const answers = await Promise.all(Array.from({ length: 7 }, () => begin()));
    const ids = answers.flatMap(({ status, body }) => (status === 200 ? [body['id'] as string] : []));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 5 }, () => 200), 409, 409]);
    const refused = await begin();
    expect(refused.body).toMatchObject({ type: 'urn:hopcount:problem:too-many-imports', imports: ids.sort() });
    await api.request('DELETE', `/rest/v3/imports/${ids[0]}`, { headers: { 'x-api-key': key } });
    expect((await begin()).status).toBe(200);

    const open = `state IN ('uploading', 'waiting', 'running')`;
    const [{ others = 0 } = {}] = await api.database.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM imports WHERE ${open} AND author_key_id <> (SELECT max(id) FROM api_keys)`,
    );
    await api.database.query(
      `INSERT INTO imports (source, name, state) SELECT 'csv', 'x', 'running' FROM generate_series(1, $1)`,
      [15 - others],
    );
    const another = { ...headers, 'x-api-key': (await testApiKey(api.database)).key };
    expect((await begin(another)).status).toBe(409);
    await api.database.query(`UPDATE imports SET state = 'done' WHERE id = $1`, [ids[1]]);
    expect((await begin(another)).status).toBe(200);
    expect((await begin(another)).status).toBe(409);
    await api.database.query(`UPDATE imports SET state = 'done' WHERE ${open}`);
  });

  it('asks for a key', async () => {
    const headers = { 'x-api-key': '', 'content-type': 'text/csv' };
    expect((await api.request('POST', '/rest/v3/imports?source=csv', { body: 'x', headers })).status).toBe(401);
  });
});
