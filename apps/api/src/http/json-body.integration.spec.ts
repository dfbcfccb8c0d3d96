import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ApiModule } from '../api.module.js';
import { TestApi } from '../api.spec-helpers.js';
import { TestUsers } from '../users/users.spec-helpers.js';
import { findOperations } from './find-operations.js';

let api: TestApi;
let cookie: string;

beforeAll(async () => {
  api = await TestApi.start({ API_PUBLIC_URL: 'https://links.test' });
  ({ cookie } = await new TestUsers(api).create({ role: 'owner' }));
});
afterAll(() => api.stop());

/** As bytes, so that `fetch` names no type of its own. */
async function send(
  method: string,
  path: string,
  { type, body, headers }: { type?: string | undefined; body?: string | Uint8Array; headers?: Record<string, string> },
): Promise<{ status: number; body: Record<string, unknown> }> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const all = { 'x-api-key': api.apiKey, ...headers, ...(type !== undefined && { 'content-type': type }) };
  const answer = await fetch(`${api.url}${path}`, { method, headers: all, body: bytes ?? null });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
}

/** Of `curl -d`, of apps, of browsers' forms, and broken ones. */
const TYPES = [
  undefined,
  'application/x-www-form-urlencoded',
  'text/plain;charset=UTF-8',
  'multipart/form-data',
  'application/problem+json',
  'text/csv',
  'application/octet-stream',
  'json',
  ';;',
] as const;

describe('a JSON body', () => {
  it.each(TYPES.flatMap((type) => (['v1', 'v2', 'v3'] as const).map((version) => [type, version] as const)))(
    'sent as %s creates a short URL in %s',
    async (type, version) => {
      const body = '{"longUrl": "https://example.com/größe", "tags": ["a"]}';
      const answer = await send('POST', `/rest/${version}/short-urls`, { type, body });
      expect([answer.status, answer.body['longUrl']]).toEqual([200, 'https://example.com/gr%C3%B6%C3%9Fe']);
    },
  );

  it('is read by every operation that takes one, whatever its type', async () => {
    const operations = findOperations(ApiModule).filter(
      ({ method, takesFile, takesLines }) => method !== 'GET' && takesFile === undefined && takesLines !== true,
    );
    expect(operations.length).toBeGreaterThan(40);
    for (const { method, path } of operations) {
      const url = path.replace(/:\w+/g, '1');
      const body = '{"noSuchField": 1}';
      const expected = await send(method, url, { type: 'application/json', body });
      expect([method, url, expected.status]).not.toEqual([method, url, 415]);
      for (const type of TYPES) {
        const { status, body: problem } = await send(method, url, { type, body });
        expect([method, url, type, status, problem['detail']]).toEqual([
          ...[method, url, type, expected.status, expected.body['detail']],
        ]);
      }
    }
  });

  it.each(TYPES)('may be absent where none is needed, with the type %s', async (type) => {
    await api.create({ longUrl: 'https://example.com', customSlug: 'gone' });
    expect((await send('DELETE', '/rest/v3/short-urls/gone', { type })).status).toBe(204);
    expect((await send('POST', '/rest/v3/deleted-short-urls/gone/restore', { type })).status).toBe(200);
    const { status, body } = await send('POST', '/rest/v3/short-urls', { type });
    expect([status, body['invalidElements']]).toEqual([400, ['longUrl']]);
  });

  it.each<[string, string | undefined, Uint8Array, number, string]>([
    [
      'bytes of Windows-1252',
      undefined,
      Buffer.from('{"longUrl":"https://e.test/","title":"Gr\xf6\xdfe"}', 'latin1'),
      400,
      'utf-8',
    ],
    [
      'half a character',
      'application/json',
      Buffer.from('{"longUrl":"https://e.test/\xe2\x82"}', 'latin1'),
      400,
      'utf-8',
    ],
    ['half a surrogate pair', undefined, Buffer.from('{"title":"\xed\xa0\x80"}', 'latin1'), 400, 'utf-8'],
    ['an unknown charset', 'application/json; charset=klingon', Buffer.from('{}'), 415, 'klingon'],
    ['a form', 'application/x-www-form-urlencoded', Buffer.from('longUrl=https%3A%2F%2Fe.test'), 400, 'JSON'],
    ['no JSON', 'application/json', Buffer.from('{"longUrl":'), 400, 'JSON'],
  ])('that is %s is refused and says why', async (_, type, body, status, reason) => {
    const answer = await send('POST', '/rest/v3/short-urls', { type, body });
    expect([answer.status, answer.body['detail']]).toEqual([status, expect.stringContaining(reason)]);
  });

  it.each<[string, Uint8Array]>([
    ['application/json; charset=iso-8859-1', Buffer.from('{"longUrl":"https://e.test/","title":"Größe"}', 'latin1')],
    ['text/plain; charset="UTF-16LE"', Buffer.from('{"longUrl":"https://e.test/","title":"Größe"}', 'utf16le')],
    ['application/json', Buffer.from('\ufeff{"longUrl":"https://e.test/","title":"Größe"}')],
  ])('is read in the charset of %s', async (type, body) => {
    const answer = await send('POST', '/rest/v3/short-urls', { type, body });
    expect([answer.status, answer.body['title']]).toEqual([200, 'Größe']);
  });
});

describe('what a page of somebody else can send without asking', () => {
  const SIMPLE = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
  const SENDERS = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
  ] as const;

  it.each(SIMPLE)('as %s changes nothing with the cookie of a session', async (type) => {
    for (const sender of SENDERS) {
      const headers = { 'x-api-key': '', cookie, ...sender };
      const body = '{"longUrl": "https://evil.example/"}';
      const created = await send('POST', '/rest/v3/short-urls', { type, body, headers });
      expect([sender, created.status, created.body['type']]).toEqual([
        ...[sender, 403, 'urn:hopcount:problem:cross-site-request'],
      ]);
      expect((await send('DELETE', '/rest/v3/session', { type, headers })).status).toBe(403);
    }
    expect((await api.get('short-urls?searchTerm=evil.example')).body).toMatchObject({ shortUrls: { data: [] } });
  });

  it.each(SIMPLE)('as %s signs nobody in', async (type) => {
    const body = '{"email": "ada@x.test", "password": "a long enough password"}';
    for (const sender of SENDERS.slice(0, -1)) {
      const answer = await send('POST', '/rest/v3/session', { type, body, headers: { 'x-api-key': '', ...sender } });
      expect([sender, answer.status]).toEqual([sender, 403]);
    }
  });
});
