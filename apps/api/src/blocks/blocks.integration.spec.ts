import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  abuseReportListSchema,
  blockListSchema,
  newWebhookSchema,
  webhookListSchema,
  webhookSchema,
} from '@hopcount/contracts';

import { TestApi } from '../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.stop());

describe('blocks over HTTP', () => {
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
      ...{
        id: expect.any(String),
        kind: 'host',
        value: 'a.example',
        action: 'block',
        reason: 'once',
        createdAt: expect.any(String),
      },
    });
    expect((await add({ kind: 'host', value: 'a.example', reason: 'twice' })).body).toEqual({
      ...first,
      reason: 'twice',
    });
    const warning = { kind: 'host', value: 'a.example', action: 'warn', reason: 'twice' };
    expect((await add(warning)).body).toEqual({ ...first, ...warning });
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
    await add({ kind: 'host', value: 'odd.example', action: 'warn' });
    expect(await create('https://odd.example/')).toEqual(expect.any(String));
  });

  it.each([
    [{ kind: 'host', value: 'com' }, 'value'],
    [{ kind: 'host', value: 'a\u0000.example' }, 'value'],
    [{ kind: 'pattern', value: '*.*' }, 'value'],
    [{ kind: 'link', value: 'a/b/c' }, 'value'],
    [{ kind: 'user', value: 'x' }, 'kind'],
    [{ kind: 'host', value: 'a.example', action: 'hide' }, 'action'],
    [{ kind: 'host', value: 'a.example', reason: 'x'.repeat(501) }, 'reason'],
    [{ kind: 'host', value: 'a.example', until: 'now' }, 'until'],
  ])('%j is refused', async (body, field) => {
    expect(await add(body)).toMatchObject({ status: 400, body: { invalidElements: [field] } });
  });

  it('come with what visitors reported, newest first, until it is dismissed', async () => {
    const longUrl = 'https://good.example/reported';
    await create(longUrl, { customSlug: 'reported' });
    for (const cause of ['spam', 'phishing', 'phishing']) {
      await api.database.query(
        `INSERT INTO abuse_reports AS kept (link_id, cause) SELECT id, $1 FROM links WHERE code = 'reported'
         ON CONFLICT (link_id, cause) DO UPDATE SET reports = kept.reports + 1, last_at = now()`,
        [cause],
      );
    }
    const reported = async () => {
      const { body } = await api.get('abuse-reports?itemsPerPage=5');
      return abuseReportListSchema.parse(body).abuseReports.data;
    };
    expect(await reported()).toEqual([
      expect.objectContaining({ shortUrl: 's.test/reported', longUrl, cause: 'phishing', reports: 2 }),
      expect.objectContaining({ shortUrl: 's.test/reported', cause: 'spam', reports: 1 }),
    ]);
    const [{ id } = { id: '' }] = await reported();
    const path = `/rest/v3/abuse-reports/${id}`;
    expect([(await api.request('DELETE', path)).status, (await api.request('DELETE', path)).status]).toEqual([
      204, 404,
    ]);
    await api.request('DELETE', '/rest/v3/short-urls/reported');
    expect(await reported()).toMatchObject([{ cause: 'spam', longUrl: null }]);
    const { body } = await api.get('audit-log?kind=abuse-report');
    expect((body['auditLog'] as { data: unknown[] }).data).toMatchObject([
      { action: 'delete', before: { cause: 'phishing', reports: 2 } },
    ]);
  });

  it.each(['x', '99999999999999999999', '-1', '%00'])('there is no block %s, and no report', async (id) => {
    expect((await api.request('DELETE', `/rest/v3/blocks/${id}`)).status).toBe(404);
    expect((await api.request('DELETE', `/rest/v3/abuse-reports/${id}`)).status).toBe(404);
  });
});

/** What is posted to them: the worker's spec of webhooks. */
describe('webhooks over HTTP', () => {
  const PATH = '/rest/v3/webhooks';
  const HOOK = {
    url: 'https://hooks.example.com/x',
    events: ['link.created', 'link.visits_reached'],
    visits: [1_000, 10],
  };
  const list = async () => webhookListSchema.parse((await api.get('webhooks')).body).webhooks.data;

  it('are made with a secret that is shown once, listed, edited, tested and deleted', async () => {
    const { status, body, headers } = await api.request('POST', PATH, { body: HOOK });
    const { secret, ...made } = newWebhookSchema.parse(body);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    expect(made).toMatchObject({ ...HOOK, visits: [10, 1_000], description: '', enabled: true, waiting: 0 });
    expect(await list()).toEqual([made]);
    const path = `${PATH}/${made.id}`;
    const edited = await api.request('PATCH', path, {
      body: { description: 'b', events: ['link.edited'], visits: [] },
    });
    expect(webhookSchema.parse(edited.body)).toEqual({
      ...{ ...made, description: 'b', events: ['link.edited'], visits: [] },
    });
    const test = await api.request('POST', `${path}/test`);
    expect([test.status, (await list())[0]?.waiting]).toEqual([200, 1]);
    expect((await api.request('DELETE', path)).status).toBe(204);
    expect([(await api.request('DELETE', path)).status, await list()]).toEqual([404, []]);
  });

  it('that were disabled after failures say why, until they are enabled', async () => {
    const { body } = await api.request('POST', PATH, { body: HOOK });
    const path = `${PATH}/${String(body['id'])}`;
    await api.database.query(
      `UPDATE webhooks SET enabled = false, disabled_reason = 'Nothing could be delivered', failures = 12,
         failing_since = '2026-01-01Z', failed_at = '2026-01-02Z', failure = 'The receiver answered 500.'`,
    );
    const lastFailure = { at: '2026-01-02T00:00:00+00:00', reason: 'The receiver answered 500.' };
    const [disabled] = await list();
    expect(disabled).toMatchObject({ enabled: false, disabledReason: 'Nothing could be delivered', lastFailure });
    expect((await api.request('POST', `${path}/test`)).status).toBe(400);
    expect((await api.request('PATCH', path, { body: { enabled: true } })).body).toMatchObject({
      ...{ enabled: true, disabledReason: null, failingSince: null, lastFailure },
    });
    await api.request('DELETE', path);
  });

  it.each([
    [{ ...HOOK, url: 'http://169.254.169.254/' }, 422, 'url'],
    [{ ...HOOK, url: 'https://hooks.example.com:5432/' }, 400, 'url'],
    [{ ...HOOK, url: 'javascript:alert(1)' }, 422, 'url'],
    [{ ...HOOK, events: [] }, 400, 'events'],
    [{ ...HOOK, events: ['link.deleted'] }, 400, 'events'],
    [{ ...HOOK, visits: [] }, 400, 'visits'],
    [{ ...HOOK, events: ['link.created'] }, 400, 'visits'],
    [{ ...HOOK, visits: [0] }, 400, 'visits'],
    [{ ...HOOK, description: 'x'.repeat(201) }, 400, 'description'],
  ])('%j is refused', async (body, status, field) => {
    expect(await api.request('POST', PATH, { body })).toMatchObject({ status, body: { invalidElements: [field] } });
  });

  it('are fifty at most', async () => {
    await api.database.query(
      `INSERT INTO webhooks (url, description, events, visits, secret)
       SELECT 'https://x.example/', '', '{link.created}', '{}', '\\x00' FROM generate_series(1, 50)`,
    );
    expect(await api.request('POST', PATH, { body: HOOK })).toMatchObject({
      ...{ status: 409, body: { type: 'urn:hopcount:problem:too-many-webhooks' } },
    });
  });
});
