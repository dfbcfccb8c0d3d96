import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groupListSchema } from '@hopcount/contracts';
import { testApiKey } from '@hopcount/testing';

import { TestApi } from '../../api.spec-helpers.js';

describe('groups over HTTP', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
    for (const customSlug of ['one', 'two']) {
      await api.create({ longUrl: 'https://example.com', customSlug, groupId: 'a/b c' });
    }
  });
  afterAll(() => api.stop());

  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await api.request(method, `/rest/v3/${path}`, { body });
    return { status: answer.status, ...answer.body };
  };
  const list = async () =>
    groupListSchema
      .parse((await api.get('groups')).body)
      .groups.data.map(({ groupId, name, shortUrlsCount }) => `${groupId} ${name} ${shortUrlsCount}`);
  const own = (slug: string) => `urn:hopcount:problem:${slug}`;
  const groupOf = async (code: string) => (await api.get(`short-urls/${code}`)).body['groupId'];
  const path = `groups/${encodeURIComponent('a/b c')}`;

  it('are created, renamed, ordered and deleted; links move between them', async () => {
    expect(await send('POST', 'groups', { groupId: 'sales', name: 'Sales' })).toEqual({
      ...{ status: 200, groupId: 'sales', name: 'Sales', shortUrlsCount: 0, deletedShortUrlsCount: 0 },
    });
    expect(await send('POST', 'groups', { groupId: 'sales' })).toMatchObject({
      status: 409,
      type: own('group-conflict'),
    });
    expect(await send('PATCH', path, { name: 'Both' })).toMatchObject({ groupId: 'a/b c', shortUrlsCount: 2 });
    expect((await send('PUT', 'groups/order', { groupIds: ['sales'] })).status).toBe(204);
    expect(await list()).toEqual(['sales Sales 0', 'a/b c Both 2']);

    expect(await send('DELETE', path)).toMatchObject({ status: 409, type: own('group-not-empty'), shortUrlsCount: 2 });
    const move = { groupId: 'sales', shortUrls: [{ shortCode: 'one' }, { shortCode: 'nothing' }] };
    expect(await send('POST', 'short-urls/move', move)).toMatchObject({ status: 404, shortCode: 'nothing' });
    expect(
      await send('POST', 'short-urls/move', { ...move, shortUrls: [{ shortCode: 'one', domain: 's.test' }] }),
    ).toEqual({
      ...{ status: 200, movedShortUrls: 1 },
    });
    expect([await groupOf('one'), await groupOf('two')]).toEqual(['sales', 'a/b c']);
    expect((await send('DELETE', `${path}?moveTo=sales`)).status).toBe(204);
    expect([await list(), await groupOf('two')]).toEqual([['sales Sales 2'], 'sales']);
    expect((await send('POST', 'short-urls/move', { groupId: null, shortUrls: [{ shortCode: 'two' }] })).status).toBe(
      200,
    );
    expect(await groupOf('two')).toBe(null);
  });

  it('in which users have roles are deleted by who administers only', async () => {
    await send('POST', 'groups', { groupId: 'team' });
    await api.database.query(
      `WITH made AS (INSERT INTO users (email, name, password_hash) VALUES ('a@x.test', 'A', '') RETURNING id)
       INSERT INTO group_roles SELECT id, 'team', 'viewer' FROM made`,
    );
    const { key } = await testApiKey(api.database, { scopes: ['links:write'] });
    const refused = await api.request('DELETE', '/rest/v3/groups/team', { headers: { 'x-api-key': key } });
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ type: own('group-has-roles'), groupId: 'team', usersCount: 1 }),
    ]);
    expect((await send('DELETE', 'groups/team')).status).toBe(204);
  });

  it.each([
    ['PATCH', 'groups/nobody', { name: 'x' }, 404, 'group-not-found'],
    ['DELETE', 'groups/nobody', undefined, 404, 'group-not-found'],
    ['DELETE', 'groups/sales?moveTo=nobody', undefined, 404, 'group-not-found'],
    ['DELETE', 'groups/sales?moveTo=sales', undefined, 400, 'invalid-data'],
    ['PUT', 'groups/order', { groupIds: ['nobody'] }, 404, 'group-not-found'],
    ['POST', 'groups', { groupId: '' }, 400, 'invalid-data'],
    ['POST', 'groups', { groupId: 'x', order: 1 }, 400, 'invalid-data'],
    ['POST', 'short-urls/move', { groupId: 'nobody', shortUrls: [{ shortCode: 'one' }] }, 404, 'group-not-found'],
    ['POST', 'short-urls/move', { groupId: 'sales', shortUrls: [] }, 400, 'invalid-data'],
    ['POST', 'short-urls/move', { shortUrls: [{ shortCode: 'one' }] }, 400, 'invalid-data'],
  ])('%s %s with %j is refused with %i %s', async (method, where, body, status, slug) => {
    const answer = await send(method, where, body);
    expect(answer).toMatchObject({ status, type: expect.stringMatching(new RegExp(`[/:]${slug}$`)) });
  });
});
