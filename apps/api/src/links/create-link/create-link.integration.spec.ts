import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shortUrlSchema } from '@hopcount/contracts';
import { testApiKey } from '@hopcount/testing';

import { TestApi } from '../../api.spec-helpers.js';
import { createLinkRequest } from './create-link.request.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.stop());

const codeOf = async (body: object) => {
  const answer = await api.create(body);
  expect([answer.status, shortUrlSchema.safeParse(answer.body).error]).toEqual([200, undefined]);
  return String(answer.body['shortCode']);
};
const linksTo = async (longUrl: string) =>
  (await api.database.query('SELECT code FROM links WHERE long_url = $1', [longUrl])).length;
const keyed = (key: string, body: unknown, headers: Record<string, string> = {}) =>
  api.request('POST', '/rest/v3/short-urls', { body, headers: { 'idempotency-key': key, ...headers } });

describe('codes', () => {
  const longUrl = 'https://example.com';

  it('have the length and the beginning that is asked for', async () => {
    expect(await codeOf({ longUrl, shortCodeLength: 4 })).toMatch(/^\w{4}$/);
    expect(await codeOf({ longUrl, pathPrefix: 'foo/b  ar-baz' })).toMatch(/^foo-b--ar-baz\w{7}$/);
    expect(await codeOf({ longUrl, pathPrefix: 'été ', shortCodeLength: 12 })).toMatch(/^été-\w{12}$/u);
    expect(await codeOf({ longUrl, pathPrefix: 'a-', customSlug: 'b c', shortCodeLength: 5 })).toBe('a-b-c');
  });

  it.each([
    [{ shortCodeLength: 3 }, 400, ['shortCodeLength']],
    [{ shortCodeLength: 101 }, 400, ['shortCodeLength']],
    [{ shortCodeLength: '5' }, 400, ['shortCodeLength']],
    [{ pathPrefix: 'a?b' }, 400, ['pathPrefix']],
    [{ pathPrefix: 'x'.repeat(129) }, 400, ['pathPrefix']],
    [{ pathPrefix: '_' }, 422, undefined],
    [{ pathPrefix: 're', customSlug: 'st' }, 422, undefined],
    [{ note: 'x'.repeat(4_097) }, 400, ['note']],
  ])('refuse %j', async (given, status, invalidElements) => {
    const { body } = await api.create({ longUrl, ...given });
    expect([body['status'], body['invalidElements']]).toEqual([status, invalidElements]);
  });

  it('carry a note, which an edit changes and clears', async () => {
    const code = await codeOf({ longUrl, note: '  for the fair\n ' });
    const noteOf = async () => (await api.get(`short-urls/${code}`)).body['note'];
    expect(await noteOf()).toBe('for the fair');
    const edit = (note: string | null) => api.request('PATCH', `/rest/v3/short-urls/${code}`, { body: { note } });
    expect((await edit('other')).body['note']).toBe('other');
    await edit(null);
    expect(await noteOf()).toBeNull();
  });
});

describe('findIfExists', () => {
  const find = (body: object) => codeOf({ ...body, findIfExists: true });

  it('answers the oldest link that has all that is given, and makes one where there is none', async () => {
    const longUrl = 'https://exists.example/a?b=c';
    const plain = await codeOf({ longUrl, customSlug: 'plain' });
    const tagged = await codeOf({ longUrl, tags: ['foo', 'b ar'], groupId: 'g', domain: 'f.example', title: 'T' });
    const count = await linksTo(longUrl);
    expect(await find({ longUrl })).toBe(plain);
    expect(await find({ longUrl, tags: [], title: 'Not compared' })).toBe(plain);
    expect(await find({ longUrl, customSlug: 'plain' })).toBe(plain);
    expect(await find({ longUrl, domain: 's.test', forwardQuery: true })).toBe(plain);
    expect(await find({ longUrl, tags: ['B AR', 'foo'] })).toBe(tagged);
    expect(await find({ longUrl, groupId: 'g' })).toBe(tagged);
    expect(await find({ longUrl, domain: 'f.example' })).toBe(tagged);
    expect(await find({ longUrl, pathPrefix: tagged.slice(0, 5) })).toBe(tagged);
    expect(await linksTo(longUrl)).toBe(count);
    for (const other of [
      { tags: ['foo'] },
      { tags: ['foo', 'b ar', 'more'] },
      { groupId: 'h' },
      { pathPrefix: 'no-' },
    ]) {
      expect([plain, tagged]).not.toContain(await find({ longUrl, ...other }));
    }
    expect(await linksTo(longUrl)).toBe(count + 4);
    const conflict = await api.create({ longUrl: `${longUrl}d`, customSlug: 'plain', findIfExists: true });
    expect(conflict.body).toMatchObject({ status: 400, customSlug: 'plain' });
  });

  it('knows a URL in every spelling that means the same, also after an edit, and not a deleted link', async () => {
    const code = await codeOf({ longUrl: 'HTTPS://Spelt.example:443' });
    expect(await find({ longUrl: 'https://spelt.example/' })).toBe(code);
    await api.request('PATCH', `/rest/v3/short-urls/${code}`, { body: { longUrl: 'https://spelt.example/%7Eb' } });
    expect(await find({ longUrl: 'https://spelt.example:443/%7Eb' })).toBe(code);
    expect(await find({ longUrl: 'https://spelt.example/' })).not.toBe(code);
    await api.request('DELETE', `/rest/v3/short-urls/${code}`);
    expect(await find({ longUrl: 'https://spelt.example/%7Eb' })).not.toBe(code);
  });

  it('finds links without a hash by their text; a hash of another URL leads nobody astray', async () => {
    const longUrl = 'https://unhashed.example/';
    const code = await codeOf({ longUrl });
    await api.database.query('UPDATE links SET url_hash = NULL WHERE code = $1', [code]);
    expect(await find({ longUrl })).toBe(code);
    // As an older process leaves it, which edits the URL and knows of no hash.
    const stale = await codeOf({ longUrl: 'https://before.example/' });
    await api.database.query('UPDATE links SET long_url = $1 WHERE code = $2', ['https://after.example/', stale]);
    expect(await find({ longUrl: 'https://before.example/' })).not.toBe(stale);
    expect(await find({ longUrl: 'https://after.example/' })).toBe(stale);
  });

  it('makes one link of fifty requests at once', async () => {
    const longUrl = 'https://race.example/';
    const codes = await Promise.all(Array.from({ length: 50 }, () => find({ longUrl })));
    expect([new Set(codes).size, await linksTo(longUrl)]).toEqual([1, 1]);
  });
});

describe('an Idempotency-Key', () => {
  it('makes one link of fifty requests at once, and answers each the same', async () => {
    const body = { longUrl: 'https://once.example/', tags: ['a'], title: 'T' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => keyed('race', body)));
    expect(await linksTo(body.longUrl)).toBe(1);
    for (const { status, body } of answers) expect([status, body]).toEqual([200, answers[0]!.body]);
    const code = String(answers[0]!.body['shortCode']);
    await api.request('PATCH', `/rest/v3/short-urls/${code}`, { body: { title: 'Other' } });
    expect((await keyed('race', body)).body).toEqual(answers[0]!.body);
    // The same, as the operation understands it.
    expect((await keyed('race', { title: 'T', tags: ['a'], longUrl: body.longUrl, note: null })).status).toBe(200);
    expect(await linksTo(body.longUrl)).toBe(1);
  });

  it('is refused for another request, and belongs to its API key', async () => {
    const body = { longUrl: 'https://kept.example/' };
    await keyed('kept', body);
    const other = await keyed('kept', { longUrl: 'https://kept.example/2' });
    expect(other.body).toMatchObject({ status: 422, type: 'urn:hopcount:problem:idempotency-key-reused' });
    const { key } = await testApiKey(api.database);
    expect((await keyed('kept', { longUrl: 'https://kept.example/2' }, { 'x-api-key': key })).status).toBe(200);
    expect([await linksTo('https://kept.example/'), await linksTo('https://kept.example/2')]).toEqual([1, 1]);
  });

  it('of a request that failed is as new', async () => {
    const taken = await codeOf({ longUrl: 'https://example.com' });
    const failed = await keyed('failed', { longUrl: 'https://example.com', customSlug: taken, groupId: 'undone' });
    expect(failed.body).toMatchObject({ status: 400, customSlug: taken });
    expect(await api.database.query("SELECT FROM groups WHERE id = 'undone'")).toEqual([]);
    expect((await keyed('failed', { longUrl: 'https://example.com', customSlug: `${taken}-2` })).status).toBe(200);
  });

  it('of many that come at once is each answered by itself: failed, found or made', async () => {
    const longUrl = 'https://at-once.example/';
    const taken = await codeOf({ longUrl, customSlug: 'at-once' });
    const ask = (n: number) => {
      if (n % 10 === 3) return { longUrl, customSlug: taken, groupId: `at-once-${n}` };
      return n % 10 === 5 ? { longUrl, findIfExists: true } : { longUrl, title: `Title ${n}` };
    };
    const answers = await Promise.all(Array.from({ length: 80 }, (_, n) => keyed(`at-once-${n % 40}`, ask(n % 40))));
    const expected = (n: number) => (n % 10 === 3 ? 400 : 200);
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, n) => expected(n)));
    const bodies = answers.map(({ body }) => body['shortCode']);
    expect(bodies.slice(40)).toEqual(bodies.slice(0, 40));
    expect(answers.filter(({ body }, n) => n % 10 === 5 && body['shortCode'] !== taken)).toEqual([]);
    // What was taken and what was found are the one that was there.
    expect(await linksTo(longUrl)).toBe(1 + 40 - 4 - 4);
    expect(await api.database.query("SELECT FROM groups WHERE id LIKE 'at-once%'")).toEqual([]);
    const keys = await api.database.query("SELECT key FROM idempotency_keys WHERE key LIKE 'at-once-%'");
    expect(keys).toHaveLength(36);
  });

  it('is as new after 24 hours', async () => {
    const body = { longUrl: 'https://aged.example/' };
    const first = await keyed('aged', body);
    const age = (hours: number) =>
      api.database.query(
        `UPDATE idempotency_keys SET created_at = now() - make_interval(hours => $1) WHERE key = 'aged'`,
        [hours],
      );
    await age(23);
    expect((await keyed('aged', body)).body).toEqual(first.body);
    await age(25);
    expect((await keyed('aged', body)).body['shortCode']).not.toBe(first.body['shortCode']);
    expect((await keyed('aged', { longUrl: 'https://aged.example/2' })).status).toBe(422);
  });

  it.each(['', 'x'.repeat(256), 'ä'])('of %j is refused', async (key) => {
    const { body } = await keyed(key, { longUrl: 'https://example.com' });
    expect([body['status'], body['invalidElements']]).toEqual([400, ['Idempotency-Key']]);
  });
});

describe('a password', () => {
  const password = 'an open sesame';
  const marks = async (code: string) =>
    (
      await api.database.query<{ hash: string | null; mark: string | null }>(
        `SELECT password_hash AS hash, link_policy(links)::jsonb ->> 'password' AS mark FROM links WHERE code = $1`,
        [code],
      )
    )[0]!;
  const patch = (code: string, body: object) => api.request('PATCH', `/rest/v3/short-urls/${code}`, { body });

  it('is set, changed and removed, kept as argon2id, and told by nothing but its being there', async () => {
    const created = await api.create({ longUrl: 'https://example.com', customSlug: 'locked', password });
    expect(created.body).toMatchObject({ shortCode: 'locked', hasPassword: true });
    const first = await marks('locked');
    expect(first).toEqual({
      hash: expect.stringMatching(/^\$argon2id\$/),
      mark: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect((await patch('locked', { title: 'Kept' })).body['hasPassword']).toBe(true);
    expect(await marks('locked')).toEqual(first);
    const changed = await patch('locked', { password });
    const second = await marks('locked');
    expect([second.hash === first.hash, second.mark === first.mark]).toEqual([false, false]);
    const read = (await api.get('short-urls/locked')).body;
    const listed = (await api.get('short-urls?searchTerm=locked')).body;
    const exported = await fetch(`${api.url}/rest/v3/exports/links?format=jsonl`, {
      headers: { 'x-api-key': api.apiKey },
    });
    const rows = (await exported.text()).split('\n').filter((row) => row.includes('"locked"'));
    expect(JSON.parse(rows[0] ?? '')).toMatchObject({ hasPassword: true });
    const entries = (await api.get(`audit-log?object=${encodeURIComponent('s.test/locked')}`)).body;
    expect(JSON.stringify(entries)).toContain('"passwordHash":"(secret)"');
    expect((await patch('locked', { password: null })).body).toMatchObject({ hasPassword: false });
    expect(await marks('locked')).toEqual({ hash: null, mark: null });
    for (const answer of [created.body, changed.body, read, listed, rows, entries]) {
      expect(JSON.stringify(answer)).not.toMatch(/sesame|argon2/);
    }
  });

  it.each(['short', 'x'.repeat(129), '\ud800 half of one', 'of a file\n', 'a\ttabulator', 12345678])(
    '%j is refused, and not repeated',
    async (given) => {
      const longUrl = 'https://unlocked.example/';
      const answers = [await api.create({ longUrl, password: given }), await patch('locked', { password: given })];
      for (const { status, body } of answers) {
        expect([status, body['invalidElements']]).toEqual([400, ['password']]);
        expect(JSON.stringify(body)).not.toContain(String(given));
      }
      expect(await linksTo(longUrl)).toBe(0);
    },
  );

  it('makes a link that nobody else is given, who looks for one', async () => {
    const longUrl = 'https://private.example/';
    const locked = await codeOf({ longUrl, password });
    expect(await codeOf({ longUrl, findIfExists: true })).not.toBe(locked);
    const asked = await api.create({ longUrl, password, findIfExists: true });
    expect([asked.status, asked.body['invalidElements']]).toEqual([400, ['findIfExists', 'password']]);
    const batch = [
      { longUrl, password, customSlug: 'one-of' },
      { longUrl, findIfExists: true, customSlug: 'one-of' },
    ];
    const { body } = await api.request('POST', '/rest/v3/short-urls/batch', { body: { shortUrls: batch } });
    expect(body['results']).toMatchObject([{ isNew: true }, { problem: { status: 400, customSlug: 'one-of' } }]);
  });

  it('is hashed for fifty links of a batch, and for no more', async () => {
    const shortUrls = Array.from({ length: 51 }, () => ({ longUrl: 'https://example.com', password }));
    const { body } = await api.request('POST', '/rest/v3/short-urls/batch', { body: { shortUrls } });
    const results = body['results'] as { problem?: { invalidElements: string[] } }[];
    expect(body['created']).toBe(50);
    expect(results[50]?.problem?.invalidElements).toEqual(['password']);
    const hashes = await api.database.query(`SELECT DISTINCT password_hash FROM links WHERE password_hash IS NOT NULL`);
    expect(hashes.length).toBeGreaterThanOrEqual(50);
  });

  it('is another request under the same Idempotency-Key when it is another, and cannot be guessed from what is kept', async () => {
    const body = { longUrl: 'https://example.com', customSlug: 'keyed-lock', password };
    const first = await keyed('locked', body);
    expect((await keyed('locked', body)).body).toEqual(first.body);
    expect((await keyed('locked', { ...body, password: 'another sesame' })).status).toBe(422);
    const [{ request } = { request: Buffer.of() }] = await api.database.query<{ request: Buffer }>(
      "SELECT request FROM idempotency_keys WHERE key = 'locked'",
    );
    const parsed = createLinkRequest.parse(body);
    const guess = createHash('sha256')
      .update(JSON.stringify(['createShortUrl', parsed]))
      .digest();
    expect(request.equals(guess)).toBe(false);
  });
});

describe('GET short-urls/shorten', () => {
  const shorten = (query: string, headers: Record<string, string> = {}) =>
    api.request('GET', `/rest/v2/short-urls/shorten?${query}`, { headers: { 'x-api-key': '', ...headers } });
  const longUrl = 'longUrl=https%3A%2F%2Fshorten.example%2F%3Fa%3Db%26c';

  it('creates with the key in the address, and answers JSON or text', async () => {
    const query = `apiKey=${api.apiKey}&${longUrl}`;
    const json = await shorten(query);
    expect(json.status).toBe(200);
    expect(shortUrlSchema.parse(json.body).longUrl).toBe('https://shorten.example/?a=b&c');
    for (const asked of [await shorten(`${query}&format=txt`), await shorten(query, { accept: 'text/plain' })]) {
      expect(asked.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(asked.headers.get('cache-control')).toBe('no-store');
      expect(asked.body['text']).toMatch(/^http:\/\/s\.test\/\w{7}$/);
    }
    expect((await shorten(`${query}&format=json`, { accept: 'text/plain' })).body['shortCode']).toMatch(/^\w{7}$/);
    expect((await shorten(`${longUrl}`, { 'x-api-key': api.apiKey })).status).toBe(200);
  });

  it('refuses, and creates nothing for, what is no GET request with a key and a URL', async () => {
    const before = await api.database.query('SELECT FROM links');
    expect((await shorten(longUrl)).body).toMatchObject({ status: 401, param: 'apiKey' });
    expect((await shorten(`apiKey=x&${longUrl}`)).body['status']).toBe(401);
    expect((await shorten(`apiKey=${api.apiKey}`)).body).toMatchObject({ status: 400, invalidElements: ['longUrl'] });
    expect((await shorten(`apiKey=${api.apiKey}&${longUrl}&format=xml`)).body['status']).toBe(400);
    expect((await shorten(`apiKey=${api.apiKey}&longUrl=javascript:1`)).body['status']).toBe(422);
    const head = `${api.url}/rest/v3/short-urls/shorten?apiKey=${api.apiKey}&${longUrl}`;
    expect((await fetch(head, { method: 'HEAD' })).status).toBe(405);
    expect(await api.database.query('SELECT FROM links')).toHaveLength(before.length);
    // Only there.
    expect(
      (await api.request('GET', `/rest/v3/short-urls?apiKey=${api.apiKey}`, { headers: { 'x-api-key': '' } })).status,
    ).toBe(401);
  });
});
