import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shortUrlSchema } from '@hopcount/contracts';

import { TestApi } from '../api.spec-helpers.js';

/** As the parser of URLs reads them, and everybody else who opens them. */
const PRIVATE_TARGETS = [
  ...['http://169.254.169.254/', 'http://10.0.0.5/', 'http://2130706433/', 'http://127.1/', 'http://0177.0.0.1/'],
  ...['http://[::1]/', 'http://[::ffff:10.0.0.5]/', 'http://[::ffff:a9fe:a9fe]/', 'http://router.local/'],
];

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.stop());

describe('creating a short URL', () => {
  it('needs a long URL only and answers every field', async () => {
    const [before] = await api.database.query<{ now: Date }>(`SELECT date_trunc('second', now()) AS now`);
    const { status, headers, body } = await api.create({ longUrl: 'https://example.com' });
    const created = Date.parse(String(body['dateCreated']));
    expect(created).toBeGreaterThanOrEqual(before!.now.getTime());
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(shortUrlSchema.parse(body)).toEqual({
      shortUrl: `http://s.test/${String(body['shortCode'])}`,
      shortCode: expect.stringMatching(/^[2-9b-zB-Z]{7}$/),
      longUrl: 'https://example.com',
      dateCreated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      tags: [],
      meta: { validSince: null, validUntil: null, maxVisits: null },
      domain: null,
      title: null,
      crawlable: false,
      forwardQuery: true,
      visitsSummary: { total: 0, nonBots: 0, bots: 0 },
      hasRedirectRules: false,
      warn: false,
      hasPassword: false,
      id: expect.stringMatching(/^\d{17,19}$/),
      groupId: null,
      disabled: false,
      expiredUrl: null,
      extraPath: null,
      redirectStatus: 302,
      note: null,
    });
  });

  it('takes settings, answers them alike ever after, and hands them to the gateways', async () => {
    const period = { validSince: '2026-01-01T01:00:00.999+01:00', validUntil: '2036-12-31T23:59:59Z' };
    const settings = {
      expiredUrl: 'https://example.com/ü',
      disabled: true,
      crawlable: true,
      forwardQuery: false,
      extraPath: 'append',
      redirectStatus: 308,
      warn: true,
    };
    const { body } = await api.create({ longUrl: 'https://example.com', ...period, ...settings });
    expect(body).toMatchObject({
      ...settings,
      expiredUrl: 'https://example.com/%C3%BC',
      meta: { validSince: '2026-01-01T00:00:00+00:00', validUntil: '2036-12-31T23:59:59+00:00', maxVisits: null },
    });
    expect((await api.get(`short-urls/${String(body['shortCode'])}`)).body).toEqual(body);
    const [{ policy } = { policy: '' }] = await api.database.query<{ policy: string }>(
      'SELECT link_policy(links) AS policy FROM links WHERE id = $1',
      [body['id']],
    );
    expect(JSON.parse(policy)).toEqual({
      validSince: Date.UTC(2026, 0),
      validUntil: Date.UTC(2036, 11, 31, 23, 59, 59),
      ...{ expiredUrl: 'https://example.com/%C3%BC', disabled: true, forwardQuery: false },
      ...{ extraPath: 'append', status: 308, warn: true },
    });
  });

  it('takes slug, title, tags, group and domain, and what Shlink clients send that changes nothing', async () => {
    const { body } = await api.create({
      longUrl: 'https://example.com/ä',
      customSlug: 'my cool slug',
      title: `  ${'t'.repeat(600)}  `,
      tags: ['fo o', '  bar', 'UUU', 'Aäa'],
      groupId: 'marketing',
      domain: 'brand.example',
      ...{ forwardQuery: true, crawlable: false, maxVisits: null, findIfExists: false, validateUrl: true },
    });
    expect(body).toMatchObject({
      shortUrl: 'http://brand.example/my-cool-slug',
      longUrl: 'https://example.com/%C3%A4',
      title: 't'.repeat(512),
      tags: ['fo-o', 'bar', 'uuu', 'aäa'],
      groupId: 'marketing',
      domain: 'brand.example',
    });
  });

  it('files links of the default domain under no domain', async () => {
    const { body } = await api.create({ longUrl: 'https://example.com', domain: 'S.TEST', customSlug: '🦣🦣🦣' });
    expect(body).toMatchObject({ domain: null, shortUrl: 'http://s.test/🦣🦣🦣' });
    const found = await api.get(`short-urls/${encodeURIComponent('🦣🦣🦣')}?domain=s.test`);
    expect(found.body).toEqual(body);
  });

  it('answers alike under v1, v2 and v3', async () => {
    for (const version of ['v1', 'v2', 'v3']) {
      const created = await api.request('POST', `/rest/${version}/short-urls`, {
        body: { longUrl: 'https://example.com' },
      });
      const found = await api.request('GET', `/rest/${version}/short-urls/${String(created.body['shortCode'])}`);
      expect([created.status, found.status, found.body]).toEqual([200, 200, created.body]);
    }
  });

  it('refuses a slug that is taken on the domain', async () => {
    await api.create({ longUrl: 'https://example.com', customSlug: 'once' });
    const again = await api.create({ longUrl: 'https://example.com/2', customSlug: 'once' });
    expect(again).toMatchObject({
      status: 400,
      body: { type: 'https://shlink.io/api/error/non-unique-slug', title: 'Invalid custom slug', customSlug: 'once' },
    });
    expect(again.body).not.toHaveProperty('domain');
    expect((await api.create({ longUrl: 'https://example.com', customSlug: 'once', domain: 'a.example' })).status).toBe(
      200,
    );
    const elsewhere = await api.create({ longUrl: 'https://example.com', customSlug: 'once', domain: 'a.example' });
    expect(elsewhere.body).toMatchObject({ status: 400, customSlug: 'once', domain: 'a.example' });
  });

  it.each([
    [undefined, 400, 'invalid-data', ['longUrl']],
    [{}, 400, 'invalid-data', ['longUrl']],
    [[], 400, 'invalid-data', ['body']],
    [{ longUrl: null }, 400, 'invalid-data', ['longUrl']],
    [{ longUrl: '  ' }, 400, 'invalid-data', ['longUrl']],
    [{ longUrl: 7 }, 400, 'invalid-data', ['longUrl']],
    [{ longUrl: 'example.com' }, 400, 'invalid-data', ['longUrl']],
    [{ longUrl: '', tags: 'x', title: 3 }, 400, 'invalid-data', ['longUrl', 'title', 'tags']],
    [{ longUrl: 'https://example.com', tags: [1] }, 400, 'invalid-data', ['tags']],
    [{ longUrl: 'https://example.com', maxVisits: 0 }, 400, 'invalid-data', ['maxVisits']],
    [{ longUrl: 'https://example.com', forwardQuery: 'no' }, 400, 'invalid-data', ['forwardQuery']],
    [{ longUrl: 'https://example.com', crawlable: null }, 400, 'invalid-data', ['crawlable']],
    [{ longUrl: 'https://example.com', validUntil: '2026-02-30T00:00:00Z' }, 400, 'invalid-data', ['validUntil']],
    [{ longUrl: 'https://example.com', validUntil: '0000-01-01T00:00:00Z' }, 400, 'invalid-data', ['validUntil']],
    [{ longUrl: 'https://example.com', validSince: 'tomorrow' }, 400, 'invalid-data', ['validSince']],
    [
      { longUrl: 'https://example.com', validSince: '2026-01-02T00:00:00Z', validUntil: '2026-01-01T00:00:00Z' },
      ...([400, 'invalid-data', ['validUntil']] as const),
    ],
    [{ longUrl: 'https://example.com', redirectStatus: 303 }, 400, 'invalid-data', ['redirectStatus']],
    [{ longUrl: 'https://example.com', extraPath: 'drop' }, 400, 'invalid-data', ['extraPath']],
    [{ longUrl: 'https://example.com', expiredUrl: 'over' }, 400, 'invalid-data', ['expiredUrl']],
    [{ longUrl: 'https://example.com', expiredUrl: 'javascript:x' }, 422, 'unsafe-target', ['expiredUrl']],
    [{ longUrl: 'https://example.com', expiredUrl: 'http://s.test/a' }, 422, 'unsafe-target', ['expiredUrl']],
    [{ longUrl: 'https://example.com', whatever: {} }, 400, 'invalid-data', ['whatever']],
    [{ longUrl: 'https://example.com', title: 'a\u0000' }, 400, 'invalid-data', ['title']],
    [{ longUrl: 'https://example.com', customSlug: 'a?b' }, 400, 'invalid-data', ['customSlug']],
    [{ longUrl: 'https://example.com', customSlug: 'x'.repeat(257) }, 400, 'invalid-data', ['customSlug']],
    [{ longUrl: 'https://example.com', domain: 'localhost:80000' }, 400, 'invalid-data', ['domain']],
    [{ longUrl: 'https://example.com', domain: '127.0.0.1' }, 400, 'invalid-data', ['domain']],
    [{ longUrl: 'https://example.com', domain: '???/&%$&' }, 400, 'invalid-data', ['domain']],
    ['{"longUrl":', 400, 'malformed-request-body', undefined],
    ['', 400, 'invalid-data', ['longUrl']],
    [{ longUrl: 'javascript:alert(1)' }, 422, 'unsafe-target', undefined],
    ...[...PRIVATE_TARGETS, 'https://user:word@example.com'].map(
      (longUrl) => [{ longUrl }, 422, 'unsafe-target', undefined] as const,
    ),
    [{ longUrl: 'http://s.test/other' }, 422, 'unsafe-target', undefined],
    [{ longUrl: 'https://user@example.com' }, 422, 'unsafe-target', undefined],
    [{ longUrl: `https://example.com/${'a'.repeat(3_000)}` }, 422, 'unsafe-target', undefined],
    [{ longUrl: 'https://example.com', customSlug: 'REST' }, 422, 'reserved-slug', undefined],
    [{ longUrl: `https://example.com/${'a'.repeat(300_000)}` }, 413, 'payload-too-large', undefined],
  ])('of %.80j is refused with %i %s', async (body, status, slug, invalidElements) => {
    const answer = await api.create(body);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ status, type: expect.stringMatching(new RegExp(`[/:]${slug}$`)) });
    expect([answer.status, answer.body['invalidElements']]).toEqual([status, invalidElements]);
  });

  it('to a private address is done where ALLOW_PRIVATE_TARGETS says so; to another short link not even there', async () => {
    const inside = await TestApi.start({ DATABASE_URL: api.database.url, ALLOW_PRIVATE_TARGETS: 'true' });
    const statusOf = async (longUrl: string) => (await inside.create({ longUrl })).status;
    const statuses = await Promise.all([...PRIVATE_TARGETS, 'http://s.test/other'].map(statusOf));
    await inside.stop();
    expect(statuses).toEqual([...PRIVATE_TARGETS.map(() => 200), 422]);
  });

  it('shows letters that look like others for what they are: hosts as punycode; a slug in disguise is refused', async () => {
    const { body } = await api.create({ longUrl: 'https://\u0430pple.com/\u0430', domain: 'p\u0430y.test' });
    expect(body).toMatchObject({ longUrl: 'https://xn--pple-43d.com/%D0%B0', domain: 'xn--py-7kc.test' });
    expect(body['shortUrl']).toBe(`http://xn--py-7kc.test/${String(body['shortCode'])}`);
    const slugs = ['s\u0430le', '\u0440\u0430\u0443pal', 'распродажа', 'sale'];
    const made = await Promise.all(
      slugs.map((customSlug) => api.create({ longUrl: 'https://example.com', customSlug })),
    );
    expect(
      made.map(({ status, body: { shortUrl, invalidElements } }) => [status, shortUrl ?? invalidElements]),
    ).toEqual([
      [400, ['customSlug']],
      [400, ['customSlug']],
      [200, 'http://s.test/распродажа'],
      [200, 'http://s.test/sale'],
    ]);
  });
});

describe('what is wrong with a request', () => {
  it('is said field by field', async () => {
    const { body } = await api.create({ longUrl: 7, tags: ['a', 1], limit: 3 });
    expect(body['reasons']).toEqual([
      { field: 'longUrl', reason: 'Invalid input: expected string, received number' },
      { field: 'tags.1', reason: 'Invalid input: expected string, received number' },
      { field: 'limit', reason: 'Unknown field' },
    ]);
    const slug = await api.create({ longUrl: 'https://example.com', customSlug: 'a?b' });
    expect(slug.body['reasons']).toEqual([{ field: 'customSlug', reason: slug.body['detail'] }]);
  });

  it('is never repeated at length', async () => {
    const { status, body } = await api.create({ longUrl: 'https://example.com', ['x'.repeat(100_000)]: 1 });
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });
});

describe('reading a short URL', () => {
  it('is 404 for an unknown code, naming code and domain', async () => {
    expect((await api.get('short-urls/nope')).body).toMatchObject({
      type: 'https://shlink.io/api/error/short-url-not-found',
      status: 404,
      shortCode: 'nope',
    });
    const elsewhere = await api.get('short-urls/nope?domain=a.example');
    expect(elsewhere.body).toMatchObject({ status: 404, shortCode: 'nope', domain: 'a.example' });
    expect((await api.get('short-urls/%00')).status).toBe(404);
    expect((await api.get(`short-urls/${'x'.repeat(5_000)}`)).status).toBe(404);
  });

  it('distinguishes domains and letter case', async () => {
    await api.create({ longUrl: 'https://one.example', customSlug: 'Same' });
    await api.create({ longUrl: 'https://two.example', customSlug: 'Same', domain: 'b.example' });
    expect((await api.get('short-urls/Same')).body['longUrl']).toBe('https://one.example');
    expect((await api.get('short-urls/Same?domain=b.example')).body['longUrl']).toBe('https://two.example');
    expect((await api.get('short-urls/same')).status).toBe(404);
  });
});
