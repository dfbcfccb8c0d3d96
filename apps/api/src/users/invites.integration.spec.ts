import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Invites } from '@hopcount/identities';
import { testApiKey, testRedis, type TestRedis } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';
import { cookieOf, HOST, PASSWORD, TestUsers } from './users.spec-helpers.js';

/** Its own: buckets are named by ids of users. */
let redis: TestRedis;
let api: TestApi;
let users: TestUsers;

beforeAll(async () => {
  redis = await testRedis();
  api = await TestApi.start({ REDIS_URL: redis.url, API_PUBLIC_URL: 'https://links.test/api' });
  users = new TestUsers(api);
});
afterAll(async () => {
  await api.stop();
  await redis.close();
});

describe('the first account', () => {
  it('is made by a link that works once, and by the last one that was made', async () => {
    const [earlier, token] = [
      await users.invite({ role: 'owner', onlyFirst: true }),
      await users.invite({ role: 'owner', onlyFirst: true }),
    ];
    expect((await users.accept(earlier, 'eve@x.test')).status).toBe(404);
    const tooShort = await users.accept(token, 'Ada@X.test', 'short');
    expect([tooShort.status, tooShort.body['invalidElements']]).toEqual([400, ['password']]);
    const answer = await users.accept(token, 'Ada@X.test');
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ email: 'ada@x.test', role: 'owner', groups: {}, enabled: true }),
    ]);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-hopcount=[\w-]{43}; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    expect((await users.ask('session', { cookie: cookieOf(answer) })).body).toMatchObject({ email: 'ada@x.test' });
    expect((await users.accept(token, 'eve@x.test')).status).toBe(404);
    const again = await api.request('POST', '/rest/v3/users/invites', { body: { role: 'owner', onlyFirst: true } });
    expect(again.status).toBe(409);
    const kept = JSON.stringify([
      await api.database.query('SELECT * FROM users'),
      await api.database.query('SELECT * FROM sessions'),
    ]);
    for (const secret of [PASSWORD, cookieOf(answer).split('=')[1]]) expect(kept).not.toContain(secret);
  });

  it('leads to the page of the dashboard, and so does where links led before there was one', async () => {
    const { body } = await api.request('POST', '/rest/v3/users/invites', { body: { role: 'viewer' } });
    expect(body['link']).toBe(`https://links.test/api/invite#${body['token'] as string}`);
    const { status, headers } = await fetch(`${api.url}/rest/invite`, { redirect: 'manual' });
    const earlier = 'https://links.test/api/rest/invite';
    expect([status, new URL(headers.get('location') ?? '', earlier).href]).toEqual([
      302,
      'https://links.test/api/invite',
    ]);
  });
});

describe('links of invites and resets', () => {
  const newOwner = async () => {
    const owner = await users.create({ role: 'owner' });
    const post = (path: string, body?: object) => users.ask(path, { method: 'POST', body, cookie: owner.cookie });
    return {
      ...owner,
      tokenOf: async (path: string, body?: object) => (await post(path, body)).body['token'] as string,
    };
  };
  const edit = (id: number, body: object) => api.request('PATCH', `/rest/v3/users/${id}`, { body });
  const resetOf = async (id: number) =>
    (await api.request('POST', `/rest/v3/users/${id}/reset`)).body['token'] as string;
  const acceptance = async (token: string) => (await users.accept(token, `new-${token.slice(0, 8)}@${HOST}`)).status;

  it('are listed with who made them, without their tokens, and withdrawn', async () => {
    const owner = await newOwner();
    const invite = await owner.tokenOf('users/invites', { role: 'viewer' });
    const reset = await resetOf(owner.id);
    const list = await api.get('users/invites');
    const { data } = list.body['invites'] as { data: { id: number }[] };
    expect(data.slice(0, 2)).toEqual([
      expect.objectContaining({ email: owner.email, createdBy: expect.objectContaining({ kind: 'api-key' }) }),
      expect.objectContaining({
        ...{ email: null, role: 'viewer', groups: {}, onlyFirst: false },
        createdBy: { kind: 'user', id: owner.id, name: 'Somebody' },
      }),
    ]);
    for (const token of [invite, reset]) expect(JSON.stringify(list.body)).not.toContain(token);
    const withdraw = async () => (await api.request('DELETE', `/rest/v3/users/invites/${data[1]?.id}`)).status;
    expect([await withdraw(), await withdraw(), await acceptance(invite)]).toEqual([204, 404, 404]);
    expect(await acceptance(reset)).toBe(200);
    await edit(owner.id, { role: 'member' });
    const lateInvite = new Invites(api.resources.database).invite(
      { role: 'viewer', groups: {} },
      { kind: 'user', id: owner.id },
    );
    await expect(lateInvite).rejects.toMatchObject({ code: 'user-conflict' });
  });

  it.each<[string, object]>([
    ['is disabled', { enabled: false }],
    ['is no owner any more', { role: 'member' }],
  ])('end when the user who made them %s', async (_, body) => {
    const [owner, { id }] = [await newOwner(), await users.create()];
    const tokens = [await owner.tokenOf('users/invites', { role: 'owner' }), await owner.tokenOf(`users/${id}/reset`)];
    const ofTheKey = await users.invite({ role: 'viewer' });
    expect((await edit(owner.id, body)).status).toBe(200);
    for (const token of tokens) expect(await acceptance(token)).toBe(404);
    expect(await acceptance(ofTheKey)).toBe(200);
  });

  it.each<[string, string, object | undefined]>([
    ['disabled', 'PATCH', { enabled: false }],
    ['revoked', 'DELETE', undefined],
  ])('end with the key that made them: %s', async (_, method, body) => {
    const { id, key } = await testApiKey(api.database);
    const given = { body: { role: 'owner' }, headers: { 'x-api-key': key } };
    const token = (await api.request('POST', '/rest/v3/users/invites', given)).body['token'] as string;
    expect((await api.request(method, `/rest/v3/api-keys/${id}`, { body })).status).toBeLessThan(300);
    expect(await acceptance(token)).toBe(404);
  });

  it('for another password end when it is changed, and when the user is disabled', async () => {
    const { id, cookie } = await users.create();
    const first = await resetOf(id);
    const body = { password: PASSWORD, newPassword: 'the next long one' };
    expect((await users.ask('session/password', { method: 'PUT', cookie, body })).status).toBe(204);
    expect(await acceptance(first)).toBe(404);
    const second = await resetOf(id);
    await edit(id, { enabled: false });
    await edit(id, { enabled: true });
    expect(await acceptance(second)).toBe(404);
  });

  it('for another password are made however many invites are open', async () => {
    const { id } = await users.create();
    await api.database.query(
      `INSERT INTO invites (token_hash, expires_at)
       SELECT sha256(n::text::bytea), now() + interval '1 day' FROM generate_series(1, 1000) AS n`,
    );
    const refused = await api.request('POST', '/rest/v3/users/invites', { body: { role: 'viewer' } });
    expect(refused.body['type']).toBe('urn:hopcount:problem:too-many-users');
    expect(await acceptance(await resetOf(id))).toBe(200);
    await api.database.query('DELETE FROM invites');
  });

  it('that are none are refused, and passwords set, without waiting for who makes or edits accounts', async () => {
    const { id } = await users.create();
    const reset = await resetOf(id);
    await api.resources.database.transaction(async (tx) => {
      await tx.query('LOCK TABLE users IN SHARE UPDATE EXCLUSIVE MODE');
      expect([await acceptance('no token'), await acceptance('a'.repeat(43))]).toEqual([404, 404]);
      expect(await acceptance(reset)).toBe(200);
    });
  });
});

describe('deleting a user', () => {
  const remove = async (id: number) => (await api.request('DELETE', `/rest/v3/users/${id}`)).status;

  it('ends their sessions and the links for and by them, and leaves what they made', async () => {
    await users.create({ role: 'owner' });
    await api.request('POST', '/rest/v3/groups', { body: { groupId: 'spring' } });
    const { id, cookie, email } = await users.create({ role: 'owner', groups: { spring: 'viewer' } });
    const post = async (path: string, body: object) =>
      (await users.ask(path, { method: 'POST', body, cookie })).body as Record<string, string>;
    const { shortCode } = await post('short-urls', { longUrl: 'https://example.com/' });
    const { apiKey = '' } = await post('api-keys', { name: 'of the deleted', scopes: ['links:read'] });
    const { token: invite = '' } = await post('users/invites', { role: 'owner' });
    const reset = (await api.request('POST', `/rest/v3/users/${id}/reset`)).body['token'] as string;
    expect([await remove(id), await remove(id)]).toEqual([204, 404]);
    expect([await users.isSignedIn(cookie), (await users.signIn(email)).status]).toEqual([false, 401]);
    for (const token of [invite, reset]) expect((await users.accept(token, `eve@${HOST}`)).status).toBe(404);
    expect((await api.get(`short-urls/${shortCode}`, { 'x-api-key': apiKey })).status).toBe(200);
    const entries = async (query: string) =>
      ((await api.get(`audit-log?${query}`)).body['auditLog'] as { data: object[] }).data;
    expect(await entries(`object=${email}`)).toEqual([
      expect.objectContaining({ action: 'delete', before: expect.objectContaining({ email, role: 'owner' }) }),
      expect.objectContaining({ action: 'create' }),
    ]);
    expect(await entries(`kind=group-role&object=${id}`)).toMatchObject([{ action: 'delete' }, { action: 'create' }]);
    expect(await entries('kind=api-key&actorKind=user&actor=Somebody')).toMatchObject([{ object: 'of the deleted' }]);
    // Somebody new.
    const again = await users.accept(await users.invite({ role: 'viewer' }), email);
    expect([again.status, again.body['id'] === id]).toEqual([200, false]);
  });

  it('is refused of the last owner', async () => {
    const last = await users.create({ role: 'owner' });
    const { data } = (await api.get('users')).body['users'] as { data: { id: number; role: string | null }[] };
    for (const { id, role } of data) if (role === 'owner' && id !== last.id) expect(await remove(id)).toBe(204);
    const refused = await users.ask(`users/${last.id}`, { method: 'DELETE', cookie: last.cookie });
    expect([refused.status, refused.body['type']]).toEqual([409, 'urn:hopcount:problem:last-owner']);
    expect(await users.isSignedIn(last.cookie)).toBe(true);
  });
});
