import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blockListSchema } from '@hopcount/contracts';

import { TestApi } from '../api.spec-helpers.js';

describe('blocks over HTTP', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  const add = (body: unknown) => api.request('POST', '/rest/v3/blocks', { body });
  const list = async (query = '') =>
    blockListSchema
      .parse((await api.get(`blocks${query}`)).body)
      .blocks.data.map(({ kind, value }) => `${kind} ${value}`);
  const create = async (longUrl: string, more = {}) => {
    const { status, body } = await api.request('POST', '/rest/v3/short-urls', { body: { longUrl, ...more } });
    return status === 200 ? body['shortCode'] : [status, body['type'], body['reason']];
  };
  const REFUSED = [422, 'urn:hopcount:problem:unsafe-target', 'blocked'];

  it('are added, listed, found and removed; twice is once', async () => {
    const { body: first } = await add({ kind: 'host', value: 'A.example', reason: ' once ' });
    expect(first).toEqual({
      ...{ id: expect.any(String), kind: 'host', value: 'a.example', reason: 'once', createdAt: expect.any(String) },
    });
    expect((await add({ kind: 'host', value: 'a.example', reason: 'twice' })).body).toEqual({
      ...first,
      reason: 'twice',
    });
    const path = `/rest/v3/blocks/${String(first['id'])}`;
    await add({ kind: 'pattern', value: '*/b*.exe' });
    await add({ kind: 'link', value: 'http://s.test/c' });
    expect(await list()).toEqual(['link s.test/c', 'pattern /b*.exe', 'host a.example']);
    expect(await list('?kind=link')).toEqual(['link s.test/c']);
    // Hosts that are no domain show the default one's links.
    const alias = await add({ kind: 'link', value: 'https://alias.example:443/d' });
    expect(alias.body['value']).toBe('s.test/d');
    await api.request('DELETE', `/rest/v3/blocks/${String(alias.body['id'])}`);
    expect(await list('?searchTerm=EXAMPLE')).toEqual(['host a.example']);
    expect(await list('?itemsPerPage=1&page=2')).toEqual(['pattern /b*.exe']);
    expect((await api.request('DELETE', path)).status).toBe(204);
    expect(await api.request('DELETE', path)).toMatchObject({
      ...{ status: 404, body: { type: 'urn:hopcount:problem:block-not-found' } },
    });
    expect(await list('?kind=host')).toEqual([]);
  });

  it('hold from the next creation and edit on, for every target of a link and of a domain', async () => {
    const code = await create('https://evil.example/');
    expect(code).toEqual(expect.any(String));
    await add({ kind: 'host', value: 'evil.example' });
    const conditions = [{ type: 'device', matchKey: null, matchValue: 'ios' }];
    const evil = 'https://www.evil.example/x';
    expect(await create(evil)).toEqual(REFUSED);
    expect(await create('https://good.example/', { expiredUrl: evil })).toEqual(REFUSED);
    const path = `/rest/v3/short-urls/${String(code)}`;
    for (const [method, where, body] of [
      ['PATCH', path, { longUrl: evil }],
      ['POST', `${path}/redirect-rules`, { redirectRules: [{ longUrl: evil, conditions }] }],
      ['POST', `${path}/redirect-rules`, { redirectRules: [], split: [{ longUrl: evil, weight: 1 }] }],
    ] as const) {
      const edited = await api.request(method, where, { body });
      expect([edited.status, edited.body['reason']]).toEqual([422, 'blocked']);
    }
    expect((await api.request('PATCH', `/rest/v3/short-urls/${String(code)}`, { body: { title: 'x' } })).status).toBe(
      200,
    );
    const redirect = await api.request('PATCH', '/rest/v3/domains/redirects', {
      body: { domain: 'o.test', baseUrlRedirect: evil },
    });
    expect([redirect.status, redirect.body['reason']]).toEqual([422, 'blocked']);
    expect(await create('https://notevil.example/')).toEqual(expect.any(String));
  });

  it.each([
    [{ kind: 'host', value: 'com' }, 'value'],
    [{ kind: 'host', value: 'a\u0000.example' }, 'value'],
    [{ kind: 'pattern', value: '*.*' }, 'value'],
    [{ kind: 'link', value: 'a/b/c' }, 'value'],
    [{ kind: 'user', value: 'x' }, 'kind'],
    [{ kind: 'host', value: 'a.example', reason: 'x'.repeat(501) }, 'reason'],
    [{ kind: 'host', value: 'a.example', until: 'now' }, 'until'],
  ])('%j is refused', async (body, field) => {
    expect(await add(body)).toMatchObject({ status: 400, body: { invalidElements: [field] } });
  });

  it.each(['x', '99999999999999999999', '-1', '%00'])('there is no block %s', async (id) => {
    expect((await api.request('DELETE', `/rest/v3/blocks/${id}`)).status).toBe(404);
  });
});
