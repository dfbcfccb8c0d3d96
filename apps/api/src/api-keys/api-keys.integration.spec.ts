import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyListSchema, newApiKeySchema } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';

describe('API keys over REST', () => {
  let api: TestApi;
  let other: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
    // Redis away: it has no part in this.
    other = await TestApi.start({ DATABASE_URL: api.database.url, REDIS_URL: 'redis://127.0.0.1:1' });
  });
  afterAll(async () => {
    await other.stop();
    await api.stop();
  });

  const create = async (body: object) => {
    const answer = await api.request('POST', '/rest/v3/api-keys', { body });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    return newApiKeySchema.parse(answer.body);
  };
  const statusOf = async (key: string, of = api) => (await of.get('short-urls', { 'x-api-key': key })).status;

  it('S22: are made, listed, disabled, rotated and revoked, here at once and elsewhere within five seconds', async () => {
    const { apiKey, ...made } = await create({
      ...{ name: 'ci', scopes: ['links:read'], expirationDate: '2030-01-01T00:00:00Z' },
    });
    expect(made).toMatchObject({
      state: 'active',
      dateExpires: '2030-01-01T00:00:00+00:00',
      prefix: apiKey.slice(0, 12),
    });
    const { data } = apiKeyListSchema.parse((await api.get('api-keys')).body).apiKeys;
    expect(data.find(({ name }) => name === 'ci')).toEqual(made);
    expect([await statusOf(apiKey), await statusOf(apiKey, other)]).toEqual([200, 200]);

    const startedAt = performance.now();
    const path = `/rest/v3/api-keys/${made.id}`;
    expect((await api.request('PATCH', path, { body: { enabled: false } })).body).toMatchObject({ state: 'disabled' });
    expect(await statusOf(apiKey)).toBe(401);
    await waitUntil(async () => (await statusOf(apiKey, other)) === 401, { describe: 'the other process refuses it' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);

    await api.request('PATCH', path, { body: { enabled: true } });
    const rotated = newApiKeySchema.parse(
      (await api.request('POST', `${path}/rotate`, { body: { graceSeconds: 60 } })).body,
    );
    expect([await statusOf(apiKey), await statusOf(rotated.apiKey)]).toEqual([200, 200]);
    expect(rotated.previousUntil).not.toBeNull();
    const again = newApiKeySchema.parse((await api.request('POST', `${path}/rotate`, { body: {} })).body);
    expect([await statusOf(rotated.apiKey), await statusOf(again.apiKey)]).toEqual([401, 200]);

    expect((await api.request('DELETE', path)).status).toBe(204);
    expect([await statusOf(again.apiKey), (await api.request('DELETE', path)).status]).toEqual([401, 404]);
  });

  it('create links as their author, which lists are asked for by name, on the domain of a role', async () => {
    const { apiKey } = await create({ name: 'partner', scopes: ['links:read', 'links:write'], domain: 'go.test' });
    const asPartner = { headers: { 'x-api-key': apiKey } };
    const target = 'https://example.com/shared';
    const foreign = (await api.create({ longUrl: target, customSlug: 'foreign' })).body;
    // As Shlink does: the domain of the role, whatever is sent.
    for (const domain of ['s.test', undefined, 'other.test']) {
      const body = { longUrl: target, findIfExists: true, ...(domain && { domain }) };
      const { body: link } = await api.request('POST', '/rest/v3/short-urls', { ...asPartner, body });
      expect(link).toMatchObject({ domain: 'go.test' });
      expect(link['shortCode']).not.toBe(foreign['shortCode']);
    }
    const codes = async (name: string) => {
      const { body } = await api.get(`short-urls?apiKeyName=${name}`);
      return (body['shortUrls'] as { data: { domain: string | null }[] }).data.map(({ domain }) => domain);
    };
    // The second and the third found the first.
    expect(await codes('partner')).toEqual(['go.test']);
    expect(await codes('nobody')).toEqual([]);
    const { body } = await api.get('short-urls?apiKeyName=partner&domain=DEFAULT');
    expect(body).toMatchObject({ shortUrls: { data: [], pagination: { totalItems: 0 } } });
  });

  it('with a role see sums of what they reach', async () => {
    const { apiKey } = await create({ name: 'sums', scopes: ['statistics:read', 'links:write'], authoredOnly: true });
    const { body: link } = await api.request('POST', '/rest/v3/short-urls', {
      ...{ headers: { 'x-api-key': apiKey }, body: { longUrl: 'https://example.com/', tags: ['shared', 'own'] } },
    });
    const { body: others } = await api.create({ longUrl: 'https://example.com/', tags: ['shared', 'others'] });
    for (const [{ id }, visits] of [
      [link, 3],
      [others, 5],
    ] as const) {
      await api.database.query('INSERT INTO link_visit_slots VALUES ($1, false, 0, $2)', [id, visits]);
      await api.database.query('UPDATE link_totals SET visits = $2, non_bot_visits = $2 WHERE link_id = $1', [
        id,
        visits,
      ]);
    }
    const asked = async (path: string) => (await api.get(path, { 'x-api-key': apiKey })).body;
    expect(await asked('visits')).toMatchObject({ visits: { nonOrphanVisits: { total: 3, nonBots: 3, bots: 0 } } });
    const stats = (tag: string) => ({ tag, shortUrlsCount: 1, visitsSummary: { total: 3, nonBots: 3, bots: 0 } });
    expect(await asked('tags/stats')).toMatchObject({ tags: { data: [stats('own'), stats('shared')] } });
    expect(await asked('tags/stats?searchTerm=oth')).toMatchObject({
      tags: { data: [], pagination: { totalItems: 0 } },
    });
  });

  it.each([
    [{ name: 'local', scopes: ['everything'] }, 400, ['scopes']],
    [{ name: 'local', scopes: ['admin'], authoredOnly: true }, 400, ['scopes']],
    [{ name: 'local', scopes: [] }, 400, ['scopes']],
    [{ scopes: ['admin'] }, 400, ['name']],
    [{ name: 'taken', scopes: ['admin'] }, 409, undefined],
  ])('are refused as %j with %i', async (body, status, invalidElements) => {
    await api.database.query(
      `INSERT INTO api_keys (name, key_hash) VALUES ('taken', sha256('taken')) ON CONFLICT (name) DO NOTHING`,
    );
    const answer = await api.request('POST', '/rest/v3/api-keys', { body });
    expect([answer.status, answer.body['invalidElements']]).toEqual([status, invalidElements]);
  });
});
