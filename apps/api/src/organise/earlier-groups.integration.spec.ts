import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';

import { TestApi } from '../api.spec-helpers.js';
import { SAME_ORIGIN, TestUsers } from '../users/users.spec-helpers.js';

const COMPOSED = 'Équipe'.normalize('NFC');
const DECOMPOSED = COMPOSED.normalize('NFD');
const LINK = { longUrl: 'https://example.com/' };

/** Earlier versions kept the id of a group as it came. */
describe.each([
  ['as it is stored', DECOMPOSED],
  ['with composed accents', COMPOSED],
])('a group whose id was stored with decomposed accents, named %s', (_, group) => {
  const inQuery = `group=${encodeURIComponent(group)}`;
  let api: TestApi;
  let users: TestUsers;

  beforeAll(async () => {
    api = await TestApi.start();
    users = new TestUsers(api);
    await api.database.query('INSERT INTO groups (id, name) VALUES ($1, $1)', [DECOMPOSED]);
    const { body } = await api.create({ ...LINK, customSlug: 'old' });
    await api.database.query('UPDATE links SET group_id = $1', [DECOMPOSED]);
    const commit = await openLedger(api.resources.database);
    await commit([enrichedVisit({ linkId: body['id'] as string })]);
  });
  afterAll(() => api.stop());

  const groupsThere = () => api.database.query('SELECT id FROM groups');
  const only = [{ id: DECOMPOSED }];

  it('has its links and its visits', async () => {
    const { body } = await api.get(`short-urls?${inQuery}`);
    expect(JSON.stringify(body)).toContain('"old"');
    expect((await api.get(`statistics/totals?${inQuery}`)).body['totals']).toMatchObject({ visits: 1 });
  });

  it('is where links are created, edited and moved to', async () => {
    expect((await api.create({ ...LINK, customSlug: 'new', groupId: group })).body['groupId']).toBe(DECOMPOSED);
    await api.create({ ...LINK, customSlug: 'edited' });
    const edited = await api.request('PATCH', '/rest/v3/short-urls/edited', { body: { groupId: group } });
    expect([edited.status, edited.body['groupId']]).toEqual([200, DECOMPOSED]);
    await api.create({ ...LINK, customSlug: 'moved' });
    const shortUrls = [{ shortCode: 'moved' }];
    const moved = await api.request('POST', '/rest/v3/short-urls/move', { body: { groupId: group, shortUrls } });
    expect([moved.status, (await api.get('short-urls/moved')).body['groupId']]).toEqual([200, DECOMPOSED]);
    expect(await groupsThere()).toEqual(only);
  });

  it('is renamed, ordered, and not made again', async () => {
    const path = `/rest/v3/groups/${encodeURIComponent(group)}`;
    expect((await api.request('PATCH', path, { body: { name: 'New' } })).body['name']).toBe('New');
    const order = await api.request('PUT', '/rest/v3/groups/order', { body: { groupIds: [group] } });
    const again = await api.request('POST', '/rest/v3/groups', { body: { groupId: group } });
    expect([order.status, again.status]).toEqual([204, 409]);
    expect(await groupsThere()).toEqual(only);
  });

  it('has members, who reach it and create links in it', async () => {
    const { id, cookie } = await users.create({ groups: { [group]: 'member' } });
    const stays = await api.request('PATCH', `/rest/v3/users/${id}`, { body: { groups: { [group]: 'member' } } });
    expect([stays.status, stays.body['groups']]).toEqual([200, { [DECOMPOSED]: 'member' }]);
    expect((await users.ask(`statistics/totals?${inQuery}`, { cookie })).status).toBe(200);
    for (const groupId of [group, null]) {
      const asked = { method: 'POST', cookie, body: { ...LINK, groupId }, headers: SAME_ORIGIN };
      expect((await users.ask('short-urls', asked)).body['groupId']).toBe(DECOMPOSED);
    }
  });

  it('is deleted, and its visits stay', async () => {
    await api.request('POST', '/rest/v3/groups', { body: { groupId: 'others' } });
    const path = `/rest/v3/groups/${encodeURIComponent(group)}?moveTo=others`;
    expect((await api.request('DELETE', path)).status).toBe(204);
    expect(await groupsThere()).toEqual([{ id: 'others' }]);
    expect((await api.get(`statistics/totals?${inQuery}`)).body['totals']).toMatchObject({ visits: 1 });
  });
});

describe('groups whose ids differ only in how accents are composed', () => {
  it('stay two, each reached as it is stored', async () => {
    const api = await TestApi.start();
    try {
      await api.database.query('INSERT INTO groups (id, name) VALUES ($1, $1), ($2, $2)', [COMPOSED, DECOMPOSED]);
      for (const [customSlug, groupId] of Object.entries({ composed: COMPOSED, decomposed: DECOMPOSED })) {
        expect((await api.create({ ...LINK, customSlug, groupId })).body['groupId']).toBe(groupId);
        const { body } = await api.get(`short-urls?group=${encodeURIComponent(groupId)}`);
        expect((body['shortUrls'] as { data: { shortCode: string }[] }).data.map(({ shortCode }) => shortCode)).toEqual(
          [customSlug],
        );
      }
    } finally {
      await api.stop();
    }
  });
});
