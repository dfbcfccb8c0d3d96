import { runInNewContext } from 'node:vm';

import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Invites, Passwords, Sessions, SignIn } from '@hopcount/identities';
import { createLogger } from '@hopcount/runtime';
import { testApiKey, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';
import { cookieOf, HOST, PASSWORD, SAME_ORIGIN, TestUsers } from './users.spec-helpers.js';

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

  it('has a page that its link opens, which runs nothing but what this server serves', async () => {
    const { body } = await api.request('POST', '/rest/v3/users/invites', { body: { role: 'viewer' } });
    expect(body['link']).toBe(`https://links.test/api/rest/invite#${body['token'] as string}`);
    const page = await fetch(`${api.url}/rest/invite`);
    expect(page.headers.get('content-security-policy')).toMatch(
      /default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/,
    );
    const seen: string[] = [];
    // As a browser asks for them where the api is reached under a path.
    const reached = (path: string) =>
      new URL(path, 'https://links.test/api/rest/invite').pathname.split('/api')[1] ?? '';
    for (const [, path = ''] of (await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)) {
      const file = await fetch(`${api.url}${reached(path)}`);
      expect([path, file.status]).toEqual([path, 200]);
      seen.push(await file.text());
    }
    for (const [, path = ''] of seen.join('').matchAll(/fetch\('([^']+)'/g)) {
      expect(['/rest/v3/users/accept', '/rest/v3/session']).toContain(reached(path));
    }
  });

  it.each<[number, RegExp]>([
    [200, /^Done: you are signed in as ada@x\.test\.$/],
    [401, /did not keep you signed in.*https/],
  ])('has a page that says whether the browser kept the cookie: %i', async (status, said) => {
    const script = await (await fetch(`${api.url}/rest/invite.js`)).text();
    const shown = { textContent: '' };
    let submit: (event: object) => Promise<void> = () => Promise.reject(new Error('nobody listens'));
    const form = {
      addEventListener: (_: string, listener: typeof submit) => {
        submit = listener;
      },
      remove: () => undefined,
    };
    runInNewContext(script, {
      ...{ document: { querySelector: (wanted: string) => (wanted === 'form' ? form : shown) } },
      ...{
        FormData: class extends Array<never> {
          constructor() {
            super();
          }
        },
        location: { hash: '#x', pathname: '/' },
        history: { replaceState: () => undefined },
      },
      fetch: (path: string) =>
        path.endsWith('accept')
          ? { ok: true, json: () => ({ email: 'ada@x.test' }) }
          : { ok: status === 200, status, json: () => ({}) },
    });
    await submit({ preventDefault: () => undefined });
    expect(shown.textContent).toMatch(said);
  });
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
      verified.push(String(hash).split('$').slice(0, 4).join('$'));
      return verify(hash, password);
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

  it('is refused while Redis is away, and after too many attempts: from that client, and after far more from all', async () => {
    const [{ email, cookie }, { email: another }] = [await users.create(), await users.create()];
    const closed = await users.signIn(email, PASSWORD, { of: other });
    expect([closed.status, closed.body['type']]).toEqual([503, 'urn:hopcount:problem:sign-in-unavailable']);
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
    expect((await users.signIn(another, PASSWORD, from('2001:db8::1'))).status).toBe(200);
    // Whoever is elsewhere, or signed in, is not held back.
    expect((await users.signIn(email, PASSWORD, from('198.51.100.1'))).status).toBe(200);
    const body = { password: PASSWORD, newPassword: 'the next long one' };
    const changed = await users.ask('session/password', { method: 'PUT', cookie, body, ...from('2001:db8::1') });
    expect(changed.status).toBe(204);
    expect(await guess(6, '198.51.100.2')).toEqual([...Array<number>(5).fill(401), 429]);
    expect((await users.signIn(email, 'the next long one', from('198.51.100.3'))).status).toBe(429);
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

  it('is begun by no page of a stranger, whose account it would be', async () => {
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
    const codes = [await create(one), await create(one), await create(two)];
    expect([codes[1] === codes[0], codes[2] === codes[0]]).toEqual([true, false]);
  });
});

describe('roles', () => {
  it('follow what an owner says, and the last owner stays', async () => {
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
