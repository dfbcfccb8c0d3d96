import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domainListSchema } from '@hopcount/contracts';

import { TestApi } from '../api.spec-helpers.js';

const NONE = { baseUrlRedirect: null, regular404Redirect: null, invalidShortUrlRedirect: null };

describe('domains over HTTP', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start({ DEFAULT_REGULAR_404_REDIRECT: 'https://example.com/404?of={DOMAIN}' });
    await api.create({ longUrl: 'https://example.com', domain: 'o.test', customSlug: 'one' });
    await api.create({ longUrl: 'https://example.com', domain: 'empty.test', customSlug: 'one' });
    await api.request('DELETE', '/rest/v3/short-urls/one?domain=empty.test');
  });
  afterAll(() => api.stop());

  const patch = (body: unknown) => api.request('PATCH', '/rest/v3/domains/redirects', { body });
  const list = async () => domainListSchema.parse((await api.get('domains')).body).domains;

  it('are listed, the default one first, with where they send visitors who find nothing', async () => {
    expect(await list()).toEqual({
      data: [
        { domain: 's.test', isDefault: true, redirects: NONE },
        { domain: 'o.test', isDefault: false, redirects: NONE },
      ],
      defaultRedirects: { ...NONE, regular404Redirect: 'https://example.com/404?of={DOMAIN}' },
    });
    const baseUrlRedirect = 'https://example.com/';
    expect((await patch({ domain: 'a.test', baseUrlRedirect })).body).toEqual({ ...NONE, baseUrlRedirect });
    const more = { invalidShortUrlRedirect: 'https://example.com/{ORIGINAL_PATH}' };
    expect((await patch({ domain: 'A.test', ...more })).body).toEqual({ ...NONE, ...more, baseUrlRedirect });
    expect((await patch({ domain: 'a.test', baseUrlRedirect: null })).body).toEqual({ ...NONE, ...more });
    expect((await patch({ domain: 'S.TEST', baseUrlRedirect })).status).toBe(200);
    expect((await list()).data).toEqual([
      { domain: 's.test', isDefault: true, redirects: { ...NONE, baseUrlRedirect } },
      { domain: 'a.test', isDefault: false, redirects: { ...NONE, ...more } },
      { domain: 'o.test', isDefault: false, redirects: NONE },
    ]);
    expect((await patch({ domain: 'a.test', invalidShortUrlRedirect: null })).body).toEqual(NONE);
    expect((await list()).data.map(({ domain }) => domain)).toEqual(['s.test', 'o.test']);
  });

  it('with international names are one domain, however they are written', async () => {
    const created = await api.create({ longUrl: 'https://example.com', domain: 'Bücher.Example', customSlug: 'lesen' });
    expect(created.body).toMatchObject({
      domain: 'xn--bcher-kva.example',
      shortUrl: 'http://xn--bcher-kva.example/lesen',
    });
    for (const domain of ['bücher.example', 'XN--BCHER-KVA.example']) {
      expect((await api.get(`short-urls/lesen?domain=${encodeURIComponent(domain)}`)).body).toEqual(created.body);
      expect((await patch({ domain, baseUrlRedirect: 'https://example.com/lesen' })).status).toBe(200);
    }
    const names = (await list()).data.map(({ domain }) => domain);
    expect(names.filter((name) => name.includes('cher'))).toEqual(['xn--bcher-kva.example']);
  });

  it.each([
    [{ domain: 'b.test', baseUrlRedirect: 'https://o.test/x' }, 422, 'unsafe-target'],
    [{ domain: 'b.test', baseUrlRedirect: 'https://b.test/x' }, 422, 'unsafe-target'],
    [{ domain: 'b.test', baseUrlRedirect: 'javascript:alert(1)' }, 422, 'unsafe-target'],
    [{ domain: 'b.test', baseUrlRedirect: 'https://{DOMAIN}/' }, 400, 'invalid-data'],
    [{ domain: 'b.test', regular404Redirect: ' ' }, 400, 'invalid-data'],
    [{ domain: 'b.test', regular404Redirect: 'nothing' }, 400, 'invalid-data'],
    [{ domain: 'b.test', redirect: 'https://example.com' }, 400, 'invalid-data'],
    [{ domain: '127.0.0.1', baseUrlRedirect: null }, 400, 'invalid-data'],
    [{ domain: 'localhost:80000', baseUrlRedirect: null }, 400, 'invalid-data'],
    [{ domain: 'a\u0000.test', baseUrlRedirect: null }, 400, 'invalid-data'],
    [{ baseUrlRedirect: null }, 400, 'invalid-data'],
  ])('are not sent on with %j: %i %s', async (body, status, slug) => {
    const answer = await patch(body);
    expect([answer.status, answer.body['type']]).toEqual([status, expect.stringMatching(new RegExp(`[/:]${slug}$`))]);
    expect((await list()).data.map(({ domain }) => domain)).not.toContain('b.test');
  });
});
