import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../../api.spec-helpers.js';

describe('POST imports', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  const send = (query: string, body: string, type = 'text/csv') =>
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
      `UPDATE imports SET state = 'done', rows_done = 2, created = 1, skipped = 1, reasons = '{"invalid-data": 1}', ended_at = now()`,
    );
    await api.database.query(
      `INSERT INTO import_skips (import_id, row, reason, detail) SELECT id, 2, 'invalid-data', 'why' FROM imports`,
    );
    expect((await api.get(`imports/${String(body['id'])}`)).body).toMatchObject({
      ...{ state: 'done', rows: 2, created: 1, skipped: 1, reasons: { 'invalid-data': 1 } },
      skips: [{ row: 2, reason: 'invalid-data', detail: 'why' }],
    });
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

  it('takes no file anywhere else', async () => {
    const options = { body: 'x', headers: { 'content-type': 'text/csv' } };
    expect((await api.request('POST', '/rest/v3/short-urls', options)).status).toBe(415);
  });

  it('knows no import that was never made', async () => {
    for (const id of ['0', '999999', 'x', '-1', '9'.repeat(30)])
      expect((await api.get(`imports/${id}`)).status).toBe(404);
  });

  it('asks for a key', async () => {
    const headers = { 'x-api-key': '', 'content-type': 'text/csv' };
    expect((await api.request('POST', '/rest/v3/imports?source=csv', { body: 'x', headers })).status).toBe(401);
  });
});
