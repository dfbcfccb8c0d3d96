import { get } from 'node:http';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenIdProvider } from '@hopcount/identities';
import type { Logger } from '@hopcount/runtime';
import { testRedis, type TestRedis, waitUntil } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';
import { TestUsers } from '../users/users.spec-helpers.js';
import { CHROMIUM, signInAndOut } from './test-browser.spec-helpers.js';
import { TestBrowsers } from './test-browsers.spec-helpers.js';
import { changed, CLIENT, TestProvider } from './test-provider.spec-helpers.js';

const PUBLIC = 'https://links.test/api';
/** What a browser takes for a safe place without https, so that it keeps our cookies. */
const LOCAL = 'http://localhost:8080';
const WAITING = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
const CALLBACK = `${PUBLIC}/rest/v3/session/oidc/callback`;

/** Its own: buckets are named by ids of users. */
let redis: TestRedis;
let provider: TestProvider;
/** Gives people of corp.test an account. */
let api: TestApi;
/** The same installation, where only those who have an account come in. */
let closed: TestApi;
let users: TestUsers;
let settings: Record<string, string>;
let browsers: TestBrowsers;

beforeAll(async () => {
  [redis, provider] = await Promise.all([
    testRedis(),
    TestProvider.start(CALLBACK, `${LOCAL}/rest/v3/session/oidc/callback`),
  ]);
  settings = {
    ...{
      REDIS_URL: redis.url,
      API_PUBLIC_URL: PUBLIC,
      TRUSTED_PROXIES: '127.0.0.1',
      SIGN_IN_ADDRESS_LIMIT: '100:0.01',
    },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.client_id, OIDC_CLIENT_SECRET: CLIENT.client_secret },
  };
  api = await TestApi.start({ ...settings, OIDC_DOMAINS: 'Corp.test', OIDC_ROLE: 'viewer' });
  const sameElsewise = PUBLIC.replace('links.test', 'Links.Test:443');
  closed = await TestApi.start({ ...settings, DATABASE_URL: api.database.url, API_PUBLIC_URL: sameElsewise });
  users = new TestUsers(api);
  browsers = new TestBrowsers(api, provider, PUBLIC);
});
afterAll(async () => {
  await closed.stop();
  await api.stop();
  await provider.stop();
  await redis.close();
});
afterEach(() => {
  provider.tamper = (idToken) => idToken;
  provider.ill = '';
});

const open: TestBrowsers['open'] = (...asked) => browsers.open(...asked);
const begin: TestBrowsers['begin'] = (...asked) => browsers.begin(...asked);
const signIn: TestBrowsers['signIn'] = (...asked) => browsers.signIn(...asked);
const whoIs = async (cookie: string | undefined) => (await users.ask('session', { cookie: cookie ?? '' })).body;
const count = async () => (await api.database.query('SELECT FROM users')).length;

describe('signing in with a provider', () => {
  it('makes an account as the settings say once there is an owner, and knows the person again whatever their email is', async () => {
    provider.people.set('ada', { email: 'Ada@corp.test', email_verified: true, name: 'Ada Lovelace' });
    expect(await signIn('ada')).toMatchObject({ status: 403, type: 'not-admitted', session: undefined });
    await users.create({ role: 'owner' });
    const first = await signIn('ada');
    expect(first).toMatchObject({ status: 303, to: `${PUBLIC}/rest/docs` });
    expect(first.set).toEqual([
      expect.stringMatching(/^__Host-hopcount-oidc=; Max-Age=0; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^__Host-hopcount=[\w-]{43}; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    ]);
    const ada = await whoIs(first.session);
    expect(ada).toMatchObject({ email: 'ada@corp.test', name: 'Ada Lovelace', role: 'viewer', groups: {} });
    provider.people.set('ada', { email: 'ada@elsewhere.test' });
    const second = await signIn('ada', { cookies: [first.session ?? ''] });
    expect(await whoIs(second.session)).toMatchObject({ id: ada['id'], email: 'ada@corp.test' });
    // The one the browser had before has ended.
    expect(await users.isSignedIn(first.session ?? '')).toBe(false);
    const audited = await api.get('audit-log?kind=provider-identity');
    expect((audited.body['auditLog'] as { data: unknown[] }).data).toEqual([
      expect.objectContaining({
        action: 'create',
        actor: expect.objectContaining({ name: '(not signed in)', operation: 'endProviderSignIn' }),
        after: { issuer: provider.issuer, subject: 'ada', userId: ada['id'] },
      }),
    ]);
    expect(provider.asked.filter((path) => /well-known|jwks/.test(path))).toEqual([
      '/.well-known/openid-configuration',
      '/jwks',
    ]);
  });

  it('lets nobody else in', async () => {
    const { email } = await users.create();
    const before = await count();
    const strangers: Record<string, object> = {
      elsewhere: { email: 'eve@elsewhere.test', email_verified: true },
      below: { email: 'eve@below.corp.test', email_verified: true },
      beside: { email: 'eve@corp.test.evil.test', email_verified: true },
      unverified: { email: 'eve@corp.test', email_verified: false },
      unsaid: { email: 'eve@corp.test' },
      said: { email: 'eve@corp.test', email_verified: 'true' },
      nameless: {},
      'unverified member': { email },
      'kelvin sign': { email: `\u212aim@corp.test`, email_verified: true },
      'two of them': { email: 'eve@evil.test@corp.test', email_verified: true },
    };
    for (const [who, claims] of Object.entries(strangers)) {
      provider.people.set(who, claims);
      expect([who, await signIn(who)]).toEqual([
        who,
        expect.objectContaining({ status: 403, type: 'not-admitted', session: undefined }),
      ]);
    }
    provider.people.set('bob', { email: 'bob@corp.test', email_verified: true });
    expect(await signIn('bob', { of: closed })).toMatchObject({ status: 403, type: 'not-admitted' });
    expect(await count()).toBe(before);
  });

  it('binds an account to the person with its verified address, and never to another one who has the address later', async () => {
    const { email, cookie, id } = await users.create({ role: 'member' });
    provider.people.set('kim', { email: email.toUpperCase(), email_verified: true });
    provider.people.set('next', { email, email_verified: true });
    const reset = await api.request('POST', `/rest/v3/users/${id}/reset`);
    const kim = await signIn('kim', { of: closed });
    expect(await whoIs(kim.session)).toMatchObject({ id, role: 'member' });
    // Whoever was signed in may be somebody else.
    expect(await users.isSignedIn(cookie)).toBe(false);
    expect((await users.accept(reset.body['token'] as string)).status).toBe(404);
    expect(await signIn('next')).toMatchObject({ status: 403, type: 'not-admitted', session: undefined });
    expect((await users.signIn(email)).status).toBe(200);
    await api.request('PATCH', `/rest/v3/users/${id}`, { body: { enabled: false } });
    expect(await signIn('kim')).toMatchObject({ status: 403, type: 'not-admitted', session: undefined });
  });

  it('binds an account to the next one who has the address, once an owner has unbound it', async () => {
    const { email, id } = await users.create();
    for (const who of ['first', 'second']) provider.people.set(who, { email, email_verified: true });
    const first = await signIn('first');
    expect(await signIn('second')).toMatchObject({ status: 403, type: 'not-admitted' });
    const unbind = (user = id) => api.request('DELETE', `/rest/v3/users/${user}/provider-identity`);
    const reset = await api.request('POST', `/rest/v3/users/${id}/reset`);
    await api.database.query(`UPDATE users SET totp_secret = '\\x00', totp_confirmed = true WHERE id = $1`, [id]);
    expect((await unbind()).status).toBe(204);
    // The one before is out, and has no way in.
    expect(await users.isSignedIn(first.session ?? '')).toBe(false);
    expect((await users.accept(reset.body['token'] as string)).status).toBe(404);
    expect((await users.signIn(email)).status).toBe(401);
    expect(await whoIs((await signIn('second')).session)).toMatchObject({ id, secondFactor: false });
    expect(await signIn('first')).toMatchObject({ status: 403, type: 'not-admitted', session: undefined });
    const audited = (await api.get('audit-log?kind=provider-identity')).body['auditLog'] as { data: unknown[] };
    const before = { issuer: provider.issuer, subject: 'first', userId: id };
    expect(audited.data).toContainEqual(expect.objectContaining({ action: 'delete', before }));
    expect([(await unbind()).status, (await unbind(0)).status]).toEqual([204, 404]);
  });

  it('signs nobody in who is unbound at that moment', async () => {
    const { email, id } = await users.create();
    provider.people.set('late', { email, email_verified: true });
    await signIn('late');
    const { to, cookies } = await begin();
    const back = await provider.signIn(to, 'late');
    const holder = await api.resources.database.transaction(async (tx) => {
      await tx.query('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [id]);
      const late = open(back, { cookies });
      const isWaiting = async () => (await api.database.query(WAITING)).length > 0;
      await waitUntil(isWaiting, { describe: 'the sign-in waits for the row' });
      await tx.query('DELETE FROM provider_identities WHERE user_id = $1', [id]);
      return { late };
    });
    expect(await holder.late).toMatchObject({ status: 403, type: 'not-admitted', session: undefined });
  });

  it('leads back to pages of this server only', async () => {
    const landed = async (path: string) => {
      const { to, cookies, status } = await begin({ query: `?returnTo=${encodeURIComponent(path)}` });
      return status === 303 ? (await open(await provider.signIn(to, 'ada'), { cookies })).to : status;
    };
    expect(await landed('/dash/links?tag=a#top')).toBe('https://links.test/dash/links?tag=a#top');
    expect(await landed('/a/..//evil.test/')).toBe('https://links.test//evil.test/');
    const others = ['//evil.test', '/\\evil.test', '/\t/evil.test', 'https://evil.test/', 'evil', '\\/evil.test', ''];
    for (const path of others) expect([path, await landed(path)]).toEqual([path, 400]);
  });

  it('asks for PKCE, and names the address of the settings whatever a request says of hosts', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' };
    // fetch() says the host itself.
    const location = await new Promise<string>((resolve, reject) => {
      const asked = get(`${api.url}/rest/v3/session/oidc`, { headers }, (answer) => {
        resolve(answer.headers.location ?? '');
        answer.resume();
      });
      asked.on('error', reject);
    });
    const { searchParams } = new URL(location);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...{ redirect_uri: CALLBACK, response_type: 'code', code_challenge_method: 'S256' },
      ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/) },
    });
  });

  const inBrowser = 'signs a browser in, which keeps the cookie for this host alone, and out';
  (CHROMIUM === undefined ? it.skip : it)(
    inBrowser,
    async () => {
      const local = await TestApi.start({ ...settings, DATABASE_URL: api.database.url, API_PUBLIC_URL: LOCAL });
      const { email } = await users.create({ role: 'member' });
      provider.people.set('browsing', { email, email_verified: true });
      provider.who = 'browsing';
      const seen = await signInAndOut(local.url, LOCAL).finally(() => local.stop());
      const cookie = { name: '__Host-hopcount', domain: 'localhost', path: '/' };
      expect(seen.signedIn).toMatchObject({ at: `${LOCAL}/rest/docs`, status: 200, who: { email, role: 'member' } });
      expect(seen.cookies).toMatchObject([{ ...cookie, httpOnly: true, secure: true, sameSite: 'Lax' }]);
      expect(seen.signedOut).toEqual({ status: 204, cookies: [], after: 401 });
    },
    60_000,
  );
});

describe('what comes back from a provider', () => {
  const refused = { status: 401, type: 'provider-sign-in-failed', session: undefined };

  it('is taken from the browser that began, once, with its own state', async () => {
    const [mine, theirs] = [await begin(), await begin()];
    const back = await provider.signIn(mine.to, 'ada');
    const asked = provider.asked.length;
    expect(await open(back)).toMatchObject(refused);
    expect(await open(back, { cookies: theirs.cookies })).toMatchObject(refused);
    const [name = '', sealed = ''] = mine.cookies[0]?.split('=') ?? [];
    expect(
      await open(back, { cookies: [`${name}=${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`] }),
    ).toMatchObject(refused);
    expect(await open(back.replace('state=', 'state=x'), mine)).toMatchObject(refused);
    expect(await open(back.replace(/state=[^&]*/, ''), mine)).toMatchObject(refused);
    expect(await open(back.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.test'), mine)).toMatchObject(refused);
    expect(
      await open(`${CALLBACK}?error=access_denied&state=${new URL(back).searchParams.get('state')}`, mine),
    ).toMatchObject(refused);
    // No code of theirs was shown to the provider.
    expect(provider.asked).toHaveLength(asked);
    expect(await open(back, mine)).toMatchObject({ status: 303 });
    expect(await open(back, mine)).toMatchObject(refused);
  });

  it.each<[string, (idToken: string) => string]>([
    [
      'of somebody else, under the old signature',
      (token) => `${changed(token, { sub: 'ada' })}.${token.split('.')[2]}`,
    ],
    ['that nobody signed', (token) => `${changed(token, {}, { alg: 'none' })}.`],
    ['for another attempt', (token) => provider.signing({ nonce: 'another' })(token)],
    ['for no attempt', (token) => provider.signing({ nonce: undefined })(token)],
    ['of another issuer', (token) => provider.signing({ iss: 'https://evil.test' })(token)],
    ['for another client', (token) => provider.signing({ aud: 'another' })(token)],
    ['that has ended', (token) => provider.signing({ exp: 1_000 })(token)],
    ['of nobody', (token) => provider.signing({ sub: '' })(token)],
  ])('is refused when it is an ID token %s', async (_, tamper) => {
    provider.tamper = tamper;
    // Who has no account, but may sign in at the provider: ada has one.
    expect(await signIn('elsewhere')).toMatchObject(refused);
  });
});

describe('a provider that does not answer', () => {
  const away = { status: 503, type: 'provider-unavailable', session: undefined };

  it('is a problem that says so, and passwords go on', async () => {
    const { email } = await users.create();
    const { to, cookies } = await begin();
    const back = await provider.signIn(to, 'ada');
    provider.ill = 'refusing';
    expect(await open(back, { cookies })).toMatchObject(away);
    // Asked for the first time by that process, and once for all who come.
    const fresh = await TestApi.start({ ...settings, DATABASE_URL: api.database.url });
    const asked = provider.asked.length;
    const answers = await Promise.all([1, 2, 3].map(() => begin({ of: fresh })));
    for (const answer of answers) expect(answer).toMatchObject(away);
    expect(await begin({ of: fresh })).toMatchObject(away);
    expect(provider.asked.length - asked).toBe(1);
    expect((await users.signIn(email, undefined, { of: fresh })).status).toBe(200);
    await fresh.stop();
  });

  it.each([
    ['silent', 'OAUTH_TIMEOUT'],
    ['endless', 'too large'],
    ['refusing', 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    ['', 'OIDC_CLIENT_SECRET is refused'],
    // openid-client lets some addresses (Microsoft's, and a whole document's) speak for any issuer.
    ['elsewhere', 'another issuer than OIDC_ISSUER'],
  ] as const)('is waited for a bounded time, and the log says why, without a secret: %s', async (ill, why) => {
    const lines: string[] = [];
    const logger = { error: (...said: unknown[]) => lines.push(JSON.stringify(said)) } as unknown as Logger;
    const { settings: whole } = api.resources.provider;
    const clientSecret = 'not the secret of this client, but one';
    const isElsewhere = ill === 'elsewhere';
    const issuer = `${provider.issuer}/.well-known/openid-configuration`;
    const more = { clientSecret, ...(isElsewhere && { issuer }) };
    const timeoutSeconds = ill === 'silent' ? 0.2 : 10;
    const asked = new OpenIdProvider(whole && { ...whole, ...more }, { logger, timeoutSeconds });
    provider.ill = isElsewhere ? '' : ill;
    const attempt = async () => {
      const { address, flow } = await asked.begin();
      return asked.finish(flow, new URL(await provider.signIn(address, 'ada')).search);
    };
    await expect(attempt()).rejects.toMatchObject({ code: 'provider-unavailable', details: {} });
    expect(lines).toEqual([expect.stringContaining(why)]);
    expect(lines[0]).not.toMatch(/not the secret|code=|@/);
  });

  it('and attempts are limited by address, and refused while Redis is away', async () => {
    const from = { 'x-forwarded-for': '203.0.113.9' };
    const answers = await Promise.all(Array.from({ length: 101 }, () => open(CALLBACK, {}, from)));
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    expect((await open(`${PUBLIC}/rest/v3/session/oidc`, {}, from)).status).toBe(429);
    const { to, cookies } = await begin();
    const back = await provider.signIn(to, 'ada');
    await redis.stop();
    expect(await begin()).toMatchObject({ status: 503, type: 'sign-in-unavailable' });
    expect(await open(back, { cookies })).toMatchObject({
      status: 503,
      type: 'sign-in-unavailable',
      session: undefined,
    });
  });
});
