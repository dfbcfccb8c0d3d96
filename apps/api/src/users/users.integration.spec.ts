import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Passwords, Sessions, SignIn } from '@hopcount/identities';
import { createLogger, isPasswordOf } from '@hopcount/runtime';
import { testRedis, type TestRedis, waitUntil } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';
import { cookieOf, HOST, PASSWORD, SAME_ORIGIN, TestUsers } from './users.spec-helpers.js';

const ON_A_PHONE = {
  ...SAME_ORIGIN,
  'user-agent':
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
};
/** Its own: buckets are named by ids of users. */
let redis: TestRedis;
let api: TestApi;
/** Another process, whose Redis is away. */
let other: TestApi;
let users: TestUsers;

beforeAll(async () => {
  redis = await testRedis();
  api = await TestApi.start({
    ...{ REDIS_URL: redis.url, API_PUBLIC_URL: 'https://links.test/api', TRUSTED_PROXIES: '127.0.0.1' },
    ...{ SIGN_IN_LIMIT: '20:0.01', SIGN_IN_ACCOUNT_LIMIT: '25:0.01' },
  });
  users = new TestUsers(api);
  other = await TestApi.start({ DATABASE_URL: api.database.url, REDIS_URL: 'redis://127.0.0.1:1' });
});
afterAll(async () => {
  await other.stop();
  await api.stop();
  await redis.close();
});

describe('signing in', () => {
  it('answers the same, after the same work, for a wrong password and for an account that is none or disabled', async () => {
    const [{ email }, disabled] = [await users.create(), await users.create()];
    await api.request('PATCH', `/rest/v3/users/${disabled.id}`, { body: { enabled: false } });
    const answers = [
      await users.signIn(email, 'another long one'),
      await users.signIn(`nobody@${HOST}`),
      await users.signIn('no email'),
      await users.signIn(disabled.email),
    ].map(({ status, body, headers }) => [status, { ...body, instance: '' }, headers.get('set-cookie')]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]?.[0]).toBe(401);

    let verified: string[] = [];
    const counting = new Passwords((hash, password) => {
      verified.push(hash.split('$').slice(0, 4).join('$'));
      return isPasswordOf(hash, password);
    });
    const { database } = api.resources;
    const sessions = new Sessions(database, { logger: createLogger({ name: 'test', level: 'silent' }) });
    const work = async (asked: string) => {
      verified = [];
      await expect(
        new SignIn(database, sessions, counting, api.resources.secondFactors).signIn(
          { email: asked, password: 'wrong, and long' },
          undefined,
        ),
      ).rejects.toMatchObject({ code: 'invalid-credentials' });
      return verified;
    };
    expect(await work(email)).toEqual(['$argon2id$v=19$m=19456,t=2,p=1']);
    expect(await work(`nobody@${HOST}`)).toEqual(['$argon2id$v=19$m=19456,t=2,p=1']);
  });

  it('begins another session each time, and signing out ends one or all, everywhere within five seconds', async () => {
    const { email, cookie: first } = await users.create();
    const second = cookieOf(await users.signIn(email.toUpperCase(), PASSWORD, { cookie: first }));
    expect(second).not.toBe(first);
    expect([
      await users.isSignedIn(first),
      await users.isSignedIn(second),
      await users.isSignedIn(second, other),
    ]).toEqual([...[false, true, true]]);
    const third = cookieOf(await users.signIn(email));
    const startedAt = performance.now();
    const out = await users.ask('session', { method: 'DELETE', cookie: second });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect([await users.isSignedIn(second), await users.isSignedIn(third)]).toEqual([false, true]);
    await waitUntil(async () => !(await users.isSignedIn(second, other)), {
      describe: 'the other process has seen it',
    });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    const fourth = cookieOf(await users.signIn(email));
    expect((await users.ask('session?everywhere=true', { method: 'DELETE', cookie: third })).status).toBe(204);
    expect([await users.isSignedIn(third), await users.isSignedIn(fourth)]).toEqual([false, false]);
  });

  it('is listed by whom it is, each of them, and ended one by one', async () => {
    const [{ email, cookie }, stranger] = [await users.create(), await users.create()];
    const second = cookieOf(await users.signIn(email, PASSWORD, { headers: ON_A_PHONE }));
    const listed = async (of: string) => {
      const { sessions } = (await users.ask('sessions', { cookie: of })).body as {
        sessions: { data: { id: string; isThis: boolean; browser: string; os: string; device: string }[] };
      };
      return sessions.data;
    };
    const [mine, other] = await listed(cookie);
    expect([mine?.isThis, other?.isThis, (await listed(second))[0]?.id]).toEqual([true, false, other?.id]);
    expect(other).toMatchObject({ browser: 'Mobile Safari', os: 'iOS', device: 'mobile' });
    expect(mine).toMatchObject({ browser: 'unknown', os: 'unknown', device: 'unknown' });
    const end = async (id: string, of: string) =>
      (await users.ask(`sessions/${id}`, { method: 'DELETE', cookie: of })).status;
    expect([await end(other!.id, stranger.cookie), await end('0123456789abcdef', cookie)]).toEqual([404, 404]);
    expect([await end(other!.id, cookie), await end(other!.id, cookie)]).toEqual([204, 404]);
    expect([await users.isSignedIn(second), await users.isSignedIn(cookie)]).toEqual([false, true]);
  });

  it('S25: is refused while Redis is away, and after too many attempts: from that client, and after far more from all', async () => {
    const [{ email, cookie }, { email: another }] = [await users.create(), await users.create()];
    const closed = await users.signIn(email, PASSWORD, { of: other });
    expect([closed.status, closed.body['type']]).toEqual([503, 'urn:hopcount:problem:sign-in-unavailable']);
    expect(await other.operations('/metrics')).toMatch(
      /hopcount_api_problems_total\{code="sign-in-unavailable"[^}]*\} 1/,
    );
    expect(await users.isSignedIn(cookie, other)).toBe(true);
    const from = (address: string) => ({ headers: { ...SAME_ORIGIN, 'x-forwarded-for': address } });
    const guess = async (count: number, address: string) => {
      const statuses: number[] = [];
      while (statuses.length < count) {
        statuses.push((await users.signIn(email, 'wrong, and long', from(address))).status);
      }
      return statuses;
    };
    expect(await guess(21, '2001:db8::1')).toEqual([...Array<number>(20).fill(401), 429]);
    const refused = await users.signIn(` ${email.toUpperCase()}`, PASSWORD, from('2001:db8::2'));
    expect([refused.status, Number(refused.headers.get('retry-after')) > 1]).toEqual([429, true]);
    expect(refused.headers.get('ratelimit')).toMatch(/^"sign-ins";r=0;t=\d+, "sign-ins-from";r=\d+;t=\d+$/);
    expect(refused.headers.get('ratelimit-policy')).toMatch(/^"sign-ins";q=20;w=\d+, "sign-ins-from";q=\d+;w=\d+$/);
    expect((await users.signIn(another, PASSWORD, from('2001:db8::1'))).status).toBe(200);
    // Whoever is elsewhere, or signed in, is not held back.
    expect((await users.signIn(email, PASSWORD, from('198.51.100.1'))).status).toBe(200);
    const body = { password: PASSWORD, newPassword: 'the next long one' };
    const changed = await users.ask('session/password', { method: 'PUT', cookie, body, ...from('2001:db8::1') });
    expect(changed.status).toBe(204);
    // The account's failures are used up now: each network still has three tries, which strangers' guesses leave alone.
    expect(await guess(9, '198.51.100.2')).toEqual([...Array<number>(8).fill(401), 429]);
    expect((await users.signIn(email, 'the next long one', from('198.51.100.3'))).status).toBe(429);
    expect((await users.signIn(email, 'the next long one', from('203.0.113.3'))).status).toBe(200);
  });

  it('checks eight passwords at once in a process, and refuses more', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const slow = new Passwords(async () => gate.then(() => true));
    const eight = Array.from({ length: 8 }, () => slow.matches('any', 'hash'));
    await expect(slow.matches('any', 'hash')).rejects.toMatchObject({ code: 'sign-in-unavailable' });
    release();
    expect(await Promise.all(eight)).toEqual(Array<boolean>(8).fill(true));
    expect(await slow.matches('any', 'hash')).toBe(true);
  });

  it('ends with the password it was done with, but where that was changed', async () => {
    const { email, cookie, id } = await users.create();
    const elsewhere = cookieOf(await users.signIn(email));
    const change = (password: string, newPassword: string) =>
      users.ask('session/password', { method: 'PUT', cookie, body: { password, newPassword } });
    expect((await change('wrong, and long', 'the next long one')).status).toBe(401);
    expect((await change(PASSWORD, `${email} and more`)).body['invalidElements']).toEqual(['newPassword']);
    expect(await users.isSignedIn(elsewhere)).toBe(true);
    expect((await change(PASSWORD, 'the next long one')).status).toBe(204);
    expect([await users.isSignedIn(elsewhere), await users.isSignedIn(cookie)]).toEqual([false, true]);
    expect([(await users.signIn(email)).status, (await users.signIn(email, 'the next long one')).status]).toEqual([
      401, 200,
    ]);
    const reset = (await api.request('POST', `/rest/v3/users/${id}/reset`)).body['token'] as string;
    const renewed = await users.accept(reset, undefined, 'and the one after');
    expect([renewed.status, await users.isSignedIn(cookie), await users.isSignedIn(cookieOf(renewed))]).toEqual([
      200,
      false,
      true,
    ]);
  });
});

describe('a session', () => {
  it.each<[string, Record<string, string>, number]>([
    ['our own page', { 'sec-fetch-site': 'same-origin' }, 200],
    ['a link in a mail', { 'sec-fetch-site': 'none' }, 403],
    ['a page beside us', { 'sec-fetch-site': 'same-site' }, 403],
    ['a stranger', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a stranger who says otherwise', { 'sec-fetch-site': 'cross-site', origin: 'https://links.test' }, 403],
    ['our own page, in an old browser', { origin: 'https://links.test' }, 200],
    ['a stranger, in an old browser', { origin: 'https://links.test.evil.example' }, 403],
    ['a page without an origin, in an old browser', { origin: 'null' }, 403],
    ['nobody knows who', {}, 403],
  ])('changes things when %s asks: %j is %i', async (_, headers, status) => {
    const { cookie } = (shared ??= await users.create({ role: 'member' }));
    const body = { longUrl: 'https://example.com/' };
    expect((await users.ask('short-urls', { method: 'POST', body, headers, cookie })).status).toBe(status);
    // It creates a link, too.
    const path = 'short-urls/shorten?longUrl=https%3A%2F%2Fexample.com%2F';
    expect((await users.ask(path, { headers, cookie })).status).toBe(status);
    expect((await users.ask('short-urls?itemsPerPage=1', { headers, cookie })).status).toBe(200);
  });
  let shared: Awaited<ReturnType<TestUsers['create']>> | undefined;

  it('S30: is begun by no page of a stranger, whose account it would be', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await users.signIn('ada@x.test', PASSWORD, { headers })).status).toBe(403);
    expect(
      (await users.ask('users/accept', { method: 'POST', headers, body: { token: 'x', password: 'x' } })).status,
    ).toBe(403);
  });

  it('counts less than a key, and is none when it is made up', async () => {
    const { cookie } = await users.create({ role: 'viewer' });
    const body = { longUrl: 'https://example.com/' };
    const withKey = { 'x-api-key': api.apiKey };
    expect((await users.ask('short-urls', { method: 'POST', body, headers: withKey, cookie })).status).toBe(200);
    expect((await users.ask('short-urls', { headers: { 'x-api-key': 'hc_live_x' }, cookie })).status).toBe(401);
    const signedOut = await users.ask('short-urls', { cookie: `__Host-hopcount=${'a'.repeat(43)}` });
    expect(signedOut.body).toMatchObject({ status: 401, type: 'urn:hopcount:problem:signed-out' });
    expect((await users.ask('short-urls', { cookie: cookie.replace('__Host-', '') })).status).toBe(401);
  });

  it('makes a request once for its Idempotency-Key, and another user another one', async () => {
    const create = async ({ cookie }: { cookie: string }) => {
      const headers = { ...SAME_ORIGIN, 'idempotency-key': 'once' };
      const body = { longUrl: 'https://example.com/once' };
      return (await users.ask('short-urls', { method: 'POST', body, headers, cookie })).body['shortCode'];
    };
    const [one, two] = [await users.create(), await users.create()];
    const byKey = await api.request('POST', '/rest/v3/short-urls', {
      ...{ body: { longUrl: 'https://example.com/once' }, headers: { 'idempotency-key': 'once' } },
    });
    const codes = [await create(one), await create(one), await create(two), byKey.body['shortCode']];
    expect([codes[1] === codes[0], new Set(codes).size]).toEqual([true, 3]);
    // A process that remembers somebody who was deleted meanwhile.
    await users.isSignedIn(two.cookie, other);
    expect((await api.request('DELETE', `/rest/v3/users/${two.id}`)).status).toBe(204);
    const headers = { ...SAME_ORIGIN, 'idempotency-key': 'late' };
    const body = { longUrl: 'https://example.com/late' };
    const late = await users.ask('short-urls', { method: 'POST', body, headers, cookie: two.cookie, of: other });
    expect([200, 401]).toContain(late.status);
  });
});

describe('roles', () => {
  it('follow what an owner says, and the last owner stays', async () => {
    await users.create({ role: 'owner' });
    const { id, cookie } = await users.create({ role: 'viewer' });
    const create = async () =>
      (await users.ask('short-urls', { method: 'POST', body: { longUrl: 'https://example.com/' }, cookie })).status;
    const edit = (body: object) => api.request('PATCH', `/rest/v3/users/${id}`, { body });
    expect(await create()).toBe(403);
    expect((await edit({ role: 'member' })).body).toMatchObject({ role: 'member' });
    expect(await create()).toBe(200);
    expect((await edit({ role: null })).body['invalidElements']).toEqual(['role']);
    expect((await edit({ groups: { missing: 'owner' } })).body['invalidElements']).toEqual(['groups']);
    expect((await edit({ enabled: false })).status).toBe(200);
    expect(await create()).toBe(401);
    const owners = (await api.get('users')).body['users'] as { data: { id: number; role: string }[] };
    const [owner, ...more] = owners.data.filter(({ role }) => role === 'owner');
    expect(more).toEqual([]);
    for (const body of [{ enabled: false }, { role: 'member' }]) {
      expect((await api.request('PATCH', `/rest/v3/users/${owner?.id}`, { body })).status).toBe(409);
    }
  });

  it('of groups let somebody create, move and count in these groups only', async () => {
    for (const groupId of ["o'ne", 'two', 'three']) await api.request('POST', '/rest/v3/groups', { body: { groupId } });
    const { cookie } = await users.create({ groups: { "o'ne": 'member' } });
    const both = await users.create({ groups: { "o'ne": 'member', two: 'member', three: 'viewer' } });
    const create = async (body: object, by = cookie) => {
      const answer = await users.ask('short-urls', {
        method: 'POST',
        body: { longUrl: 'https://example.com/', ...body },
        cookie: by,
      });
      return answer.status === 200 ? answer.body : { ...answer.body, status: answer.status };
    };
    const { shortCode } = (await create({})) as { shortCode: string };
    expect(await create({ groupId: 'two' })).toMatchObject({ status: 400, invalidElements: ['groupId'] });
    expect(await create({}, both.cookie)).toMatchObject({ status: 400, invalidElements: ['groupId'] });
    expect(await create({ groupId: 'three' }, both.cookie)).toMatchObject({
      status: 400,
      invalidElements: ['groupId'],
    });
    const move = async (groupId: string | null, by: string) =>
      (
        await users.ask('short-urls/move', {
          method: 'POST',
          body: { groupId, shortUrls: [{ shortCode }] },
          cookie: by,
        })
      ).status;
    expect([await move('two', cookie), await move(null, cookie), await move('three', both.cookie)]).toEqual([
      404, 403, 404,
    ]);
    const edit = async (groupId: string | null) =>
      (await users.ask(`short-urls/${shortCode}`, { method: 'PATCH', body: { groupId }, cookie })).status;
    expect([await edit(null), await edit('two'), await edit("o'ne")]).toEqual([403, 400, 200]);
    const ids = async (by: string) =>
      ((await users.ask('groups', { cookie: by })).body['groups'] as { data: { groupId: string }[] }).data.map(
        ({ groupId }) => groupId,
      );
    expect([await ids(cookie), (await ids(both.cookie)).sort()]).toEqual([["o'ne"], ["o'ne", 'three', 'two']]);
    const totals = async (group: string) =>
      (await users.ask(`statistics/totals?group=${encodeURIComponent(group)}`, { cookie })).status;
    expect([await totals("o'ne"), await totals('two'), await totals('missing')]).toEqual([200, 404, 404]);
    const exported = await fetch(`${api.url}/rest/v3/exports/links?format=jsonl`, { headers: { cookie } });
    expect(
      (await exported.text())
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { shortCode: string }).shortCode),
    ).toEqual([shortCode]);
    expect([await move('two', both.cookie), (await users.ask(`short-urls/${shortCode}`, { cookie })).status]).toEqual([
      200, 404,
    ]);
    await api.request('DELETE', '/rest/v3/groups/two?moveTo=three');
    await waitUntil(async () => (await ids(both.cookie)).length === 2, { describe: 'a role goes with its group' });
  });
});
