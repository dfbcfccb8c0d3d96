import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deletedVisitsSchema, shortUrlSchema } from '@hopcount/contracts';

import { TestApi } from '../../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
  await api.create({ longUrl: 'https://example.com', customSlug: 'first', groupId: 'a' });
  await api.create({ longUrl: 'https://example.com', customSlug: 'first', domain: 'other.example', groupId: 'b' });
});
afterAll(() => api.stop());

const patch = (body: unknown, headers: Record<string, string> = {}, path = 'first') =>
  api.request('PATCH', `/rest/v3/short-urls/${path}`, { body, headers });

describe('editing over HTTP', () => {
  it('answers the short URL with its new ETag', async () => {
    const { body: before, headers } = await api.get('short-urls/first');
    expect(headers.get('etag')).toBe('"1"');
    const answer = await patch(
      { title: 'New', tags: ['A'], groupId: 'b', maxVisits: null, forwardQuery: true },
      { 'if-match': '"1"' },
    );
    expect(answer.status).toBe(200);
    expect(shortUrlSchema.parse(answer.body)).toEqual({ ...before, title: 'New', tags: ['a'], groupId: 'b' });
    expect(answer.headers.get('etag')).toBe('"2"');
    expect((await api.get('short-urls/first')).body).toEqual(answer.body);
    expect((await api.get('short-urls/first?domain=other.example')).body).toMatchObject({ title: null, tags: [] });
  });

  it('sets settings, clears them with null and keeps what it is not given', async () => {
    await api.create({ longUrl: 'https://example.com', customSlug: 'tuned', crawlable: true });
    const plain = (await api.get('short-urls/tuned')).body;
    const period = { validSince: '2026-01-01T00:00:00+00:00', validUntil: '2026-01-01T00:00:00+00:00' };
    const more = { expiredUrl: 'https://example.com/over', disabled: true, extraPath: 'ignore', redirectStatus: 301 };
    const tuned = await patch({ ...period, ...more, forwardQuery: false }, {}, 'tuned');
    expect(tuned.body).toEqual({ ...plain, ...more, forwardQuery: false, meta: { ...period, maxVisits: null } });
    expect((await patch({ disabled: false }, {}, 'tuned')).body).toEqual({ ...tuned.body, disabled: false });
    const cleared = { validSince: null, validUntil: null, expiredUrl: null, extraPath: null, redirectStatus: null };
    expect((await patch({ ...cleared, forwardQuery: true }, {}, 'tuned')).body).toEqual(plain);
  });

  it.each([
    [{ validUntil: '2026-01-01' }, {}, 400, 'invalid-data'],
    [{ disabled: null }, {}, 400, 'invalid-data'],
    [{ expiredUrl: 'http://10.0.0.1/' }, {}, 422, 'unsafe-target'],
    [{ maxVisits: 1.5 }, {}, 400, 'invalid-data'],
    [{ titel: 'x' }, {}, 400, 'invalid-data'],
    [{ longUrl: null }, {}, 400, 'invalid-data'],
    [{ longUrl: ' ' }, {}, 400, 'invalid-data'],
    [{ tags: 'x' }, {}, 400, 'invalid-data'],
    [{ groupId: 'nobody' }, {}, 400, 'invalid-data'],
    [{ title: 'x' }, { 'if-match': '1' }, 400, 'invalid-data'],
    [{ title: 'x' }, { 'if-match': '"1"' }, 409, 'version-conflict'],
    [{ longUrl: 'javascript:alert(1)' }, {}, 422, 'unsafe-target'],
    ['{', {}, 400, 'malformed-request-body'],
  ])('of %j with %j is refused with %i %s', async (body, headers, status, slug) => {
    const answer = await patch(body, headers);
    expect([answer.status, answer.body['type']]).toEqual([status, expect.stringMatching(new RegExp(`[/:]${slug}$`))]);
    expect((await api.get('short-urls/first')).headers.get('etag')).toBe('"2"');
  });

  it('purges and deletes the link that is named, on its domain', async () => {
    const purged = await api.request('DELETE', '/rest/v3/short-urls/first/visits?domain=other.example');
    expect([purged.status, deletedVisitsSchema.parse(purged.body)]).toEqual([200, { deletedVisits: 0 }]);
    const marked = await api.database.query('SELECT group_id FROM links WHERE purged_before IS NOT NULL');
    expect(marked).toEqual([{ group_id: 'b' }]);
    const deleted = await api.request('DELETE', '/rest/v3/short-urls/first?domain=other.example');
    expect([deleted.status, deleted.body]).toEqual([204, { text: '' }]);
    expect((await api.get('short-urls/first?domain=other.example')).status).toBe(404);
    expect((await api.get('short-urls/first')).status).toBe(200);
    for (const path of ['nope', 'nope/visits']) {
      expect((await api.request('DELETE', `/rest/v3/short-urls/${path}`)).status).toBe(404);
    }
  });
});
