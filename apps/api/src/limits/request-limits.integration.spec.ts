import { announceLimits, type LimitName, StoredLimits } from '@hopcount/links';
import { createRedis, waitForRedis } from '@hopcount/redis';
import { createLogger } from '@hopcount/runtime';
import { testApiKey, testRedis, type TestRedis, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

describe('limits of API keys', () => {
  let redis: TestRedis;
  let api: TestApi;

  beforeAll(async () => {
    redis = await testRedis();
    // Hardly anything comes back while a test runs.
    api = await TestApi.start({
      REDIS_URL: redis.url,
      API_RATE_LIMITS: 'true',
      READ_LIMIT: '10:0.01',
      WRITE_LIMIT: '20:0.01',
      CREATE_LIMIT: '6:0.01',
      FAILED_KEY_LIMIT: '3:0.01',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  afterAll(async () => {
    await api.stop();
    await redis.close();
  });

  const newKey = async (): Promise<Record<string, string>> => ({
    'x-api-key': (await testApiKey(api.database)).key,
  });
  const statuses = async (count: number, path: string, headers: Record<string, string>) => {
    const answers = await Promise.all(Array.from({ length: count }, () => api.get(path, headers)));
    return [200, 401, 429].map((wanted) => answers.filter(({ status }) => status === wanted).length);
  };

  it('S25: are apart for reading, writing and creating, and for each key', async () => {
    const key = await newKey();
    expect(await statuses(15, 'tags', key)).toEqual([10, 0, 5]);
    const refused = await api.get('tags', { ...key, origin: 'https://client.example' });
    expect(refused.body).toMatchObject({ status: 429, type: 'urn:hopcount:problem:too-many-requests' });
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': expect.stringMatching(/^(100|\d\d)$/),
      'ratelimit-policy': '"reads";q=10;w=1000',
      ratelimit: expect.stringMatching(/^"reads";r=0;t=(9\d\d|1000)$/),
      'access-control-expose-headers': expect.stringContaining('RateLimit'),
    });
    const written = await api.request('PUT', '/rest/v3/tags', { body: { oldName: 'a', newName: 'b' }, headers: key });
    expect([written.status, written.headers.get('ratelimit')]).toEqual([404, '"writes";r=19;t=100']);
    expect(await statuses(1, 'tags', await newKey())).toEqual([1, 0, 0]);
    const metrics = await api.operations('/metrics');
    expect(metrics).toMatch(/hopcount_api_rate_limited_total\{limit="reads"[^}]*\} 6/);
    expect(metrics).toMatch(/hopcount_limit_used_ratio\{limit="reads"[^}]*\} 1\n/);
    expect(metrics).toMatch(/hopcount_limit_used_ratio\{limit="writes"[^}]*\} 0.05/);
  });

  it('hold for those who follow visits with a token, which the guard does not know', async () => {
    const { token } = (await api.get('mercure-info', await newKey())).body as { token: string };
    const live = `/rest/v3/live?topic=https://shlink.io/new-visit&authorization=${token}`;
    const answers: number[] = [];
    for (let n = 0; n < 9; n += 1) answers.push((await fetch(`${api.url}${live}`, { method: 'HEAD' })).status);
    expect(answers).toEqual(Array.from({ length: 9 }, () => 200));
    const refused = await api.request('GET', live, { headers: { 'x-api-key': '' } });
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([
      ...[429, expect.stringContaining('"reads";r=0')],
    ]);
  });

  it('count the links of a batch, which is admitted whole or creates nothing', async () => {
    const headers = await newKey();
    const batch = (count: number) =>
      api.request('POST', '/rest/v3/short-urls/batch', {
        body: { shortUrls: Array.from({ length: count }, () => ({ longUrl: 'https://example.com/limited' })) },
        headers,
      });
    expect((await batch(7)).body).toMatchObject({ status: 400, invalidElements: ['shortUrls'] });
    expect((await batch(4)).status).toBe(200);
    expect((await batch(4)).status).toBe(429);
    const one = () =>
      api.request('POST', '/rest/v3/short-urls', { body: { longUrl: 'https://example.com/limited' }, headers });
    const answers = [await one(), await one(), await one()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    const [created] = await api.database.query<{ links: number }>(
      `SELECT count(*)::int AS links FROM links WHERE long_url = 'https://example.com/limited'`,
    );
    expect(created?.links).toBe(6);
  });

  it('hold for wrong keys by address, whatever a client writes into headers; a key that is right is not held back', async () => {
    const wrong = (forwardedFor: string) => ({ 'x-api-key': 'no key', 'x-forwarded-for': forwardedFor });
    expect(await statuses(8, 'tags', wrong('192.0.2.9, 198.51.100.1'))).toEqual([0, 3, 5]);
    expect(await statuses(1, 'tags', wrong('192.0.2.8, 198.51.100.1'))).toEqual([0, 0, 1]);
    expect(await statuses(1, 'tags', wrong('198.51.100.2'))).toEqual([0, 1, 0]);
    expect(await statuses(4, 'tags', wrong('2001:db8:1:1::1'))).toEqual([0, 3, 1]);
    expect(await statuses(1, 'tags', wrong('2001:db8:1:1:ffff::9'))).toEqual([0, 0, 1]);
    for (let n = 0; n < 4; n += 1) await statuses(1, 'tags', wrong('198.51.100.4'));
    expect(await statuses(1, 'tags', { ...(await newKey()), 'x-forwarded-for': '198.51.100.4' })).toEqual([1, 0, 0]);
    const known = await newKey();
    expect(await statuses(1, 'tags', { ...known, 'x-forwarded-for': '198.51.100.3' })).toEqual([1, 0, 0]);
    expect(await statuses(1, 'tags', { ...known, 'x-forwarded-for': '198.51.100.1' })).toEqual([1, 0, 0]);
  });

  it.each([
    ['a /56 of IPv6', (n: number) => `2001:db8:5:a0${n}::1`, 6],
    ['a /48 of IPv6', (n: number) => `2001:db8:6:${n}00::1`, 9],
    ['a /24 of IPv4', (n: number) => `203.0.115.${n}`, 12],
  ])('hold for wrong keys from all over %s, and for no other network', async (_, addressOf, allowed) => {
    const [unauthorized, limited] = [0, 0];
    const seen = { unauthorized, limited };
    for (let n = 0; n < 25; n += 1) {
      const headers = { 'x-api-key': 'no key', 'x-forwarded-for': addressOf(n % 5) };
      const { status } = await api.get('tags', headers);
      seen[status === 401 ? 'unauthorized' : 'limited'] += 1;
    }
    expect(seen).toEqual({ unauthorized: allowed, limited: 25 - allowed });
    const elsewhere = {
      'x-api-key': 'no key',
      'x-forwarded-for': addressOf(0).replace('db8', 'db9').replace('203', '202'),
    };
    expect(await statuses(1, 'tags', elsewhere)).toEqual([0, 1, 0]);
  });

  it('hold for wrong tokens of live streams by address; a right one is not held back', async () => {
    const { token } = (await api.get('mercure-info', await newKey())).body as { token: string };
    const follow = async (authorization: string, from = '198.51.100.77') => {
      const path = `/rest/v3/live?topic=https://shlink.io/new-visit&authorization=${authorization}`;
      return (await fetch(`${api.url}${path}`, { method: 'HEAD', headers: { 'x-forwarded-for': from } })).status;
    };
    const answers: number[] = [];
    for (let n = 0; n < 5; n += 1) answers.push(await follow('none'));
    expect(answers).toEqual([401, 401, 401, 429, 429]);
    expect([await follow(token), await follow('none', '198.51.101.78')]).toEqual([200, 401]);
  });

  it.each([
    ['key', async () => await newKey(), 'FROM api_keys'],
    ['session', () => ({ 'x-api-key': '', cookie: `__Host-hopcount=${'a'.repeat(43)}` }), 'FROM sessions'],
  ])('hold before a %s that could be one is looked for, but for a few', async (kind, made, from) => {
    const headers = { ...(await made()), 'x-forwarded-for': `203.0.113.2${kind.length}` };
    await api.database.query(`DELETE FROM api_keys WHERE id = (SELECT max(id) FROM api_keys) AND $1 = 'key'`, [kind]);
    const { database } = api.resources;
    const query = jest.spyOn(database, 'query');
    const startedMs = performance.now();
    for (let asked = 0; asked < 30; asked += 1) {
      expect(await statuses(1, 'tags', headers)).toEqual(asked < 3 ? [0, 1, 0] : [0, 0, 1]);
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const { length } = query.mock.calls.filter(([text]) => text.includes(from));
    // Three that count as wrong, then five at once and five a second.
    expect(length).toBeGreaterThanOrEqual(8);
    expect(length).toBeLessThanOrEqual(8 + Math.ceil(5 * seconds));
    query.mockRestore();
  });

  it('hold for links that make accounts by address, before one is looked for', async () => {
    const invite = await api.request('POST', '/rest/v3/users/invites', { body: { role: 'viewer' } });
    const accept = async (token: string, from: string) => {
      const body = { token, email: `limited-${Date.now()}@x.test`, name: 'Ada', password: 'a rather long one' };
      const headers = { 'x-api-key': '', 'x-forwarded-for': from };
      return (await api.request('POST', '/rest/v3/users/accept', { body, headers })).status;
    };
    const right = invite.body['token'] as string;
    const tries = ['x', 'a'.repeat(43), 'x', 'x', right];
    const answers: number[] = [];
    for (const token of tries) answers.push(await accept(token, '203.0.113.9'));
    expect(answers).toEqual([404, 404, 404, 429, 429]);
    expect(await accept(right, '203.0.113.10')).toBe(200);
  });

  it('change without a restart, and are those of the environment again when the stored ones are taken away', async () => {
    const client = createRedis({
      url: redis.url,
      name: 'test',
      logger: createLogger({ name: 'test', level: 'silent' }),
    });
    await waitForRedis(client, 5_000);
    const stored = new StoredLimits(api.resources.database);
    const policy = async () => (await api.get('tags', await newKey())).headers.get('ratelimit-policy');
    const set = async (name: LimitName, value: string | null, wanted: string | null) => {
      await stored.set(name, value);
      await announceLimits(client);
      await waitUntil(async () => (await policy()) === wanted, { describe: `the policy ${wanted}` });
    };
    await set('READ_LIMIT', '4:0.01', '"reads";q=4;w=400');
    expect(await statuses(6, 'tags', await newKey())).toEqual([4, 0, 2]);
    await set('API_RATE_LIMITS', 'false', null);
    expect(await statuses(6, 'tags', await newKey())).toEqual([6, 0, 0]);
    await set('API_RATE_LIMITS', null, '"reads";q=4;w=400');
    await set('READ_LIMIT', null, '"reads";q=10;w=1000');
    client.disconnect();
  });

  it('are those of the process alone while Redis is away', async () => {
    const key = await newKey();
    await redis.stop();
    expect(await statuses(15, 'tags', key)).toEqual([10, 0, 5]);
    expect(await api.operations('/metrics')).toMatch(/hopcount_api_rate_limits_alone_total\{[^}]*\} [1-9]/);
  });
});
