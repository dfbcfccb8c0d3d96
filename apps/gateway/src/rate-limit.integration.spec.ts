import { rmSync } from 'node:fs';

import {
  type TestDatabase,
  testDatabase,
  type TestRedis,
  testRedis,
  type TestTopic,
  testTopic,
} from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  gatewayEnvironment,
  insertLink,
  startGateway,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

describe('limits of requests by client address', () => {
  let database: TestDatabase;
  let topic: TestTopic;
  let audits: TestTopic;
  let redis: TestRedis;
  let gateways: TestGateway[];
  let exposed: TestGateway;
  const folders: string[] = [];

  beforeAll(async () => {
    [database, topic, audits, redis] = await Promise.all([
      testDatabase(),
      testTopic({ label: 'visits' }),
      testTopic({ label: 'audits' }),
      testRedis(),
    ]);
    await insertLink(database, { code: 'plain' });
    const start = (more: Record<string, string>) => {
      // Hardly anything comes back while a test runs.
      const limits = { RATE_LIMIT_REDIRECTS: 'true', REDIRECT_LIMIT: '20:0.01', NOT_FOUND_LIMIT: '5:0.01' };
      const environment = gatewayEnvironment({
        ...{ database, topic, audits },
        more: { REDIS_URL: redis.url, ORPHAN_VISITS_PER_SECOND: '0', ...limits, ...more },
      });
      folders.push(environment['SPOOL_DIR']!);
      return startGateway(environment);
    };
    gateways = [await start({ TRUSTED_PROXIES: '127.0.0.1' }), await start({ TRUSTED_PROXIES: '127.0.0.1' })];
    exposed = await start({});
  });
  afterAll(async () => {
    await Promise.all([...gateways, exposed].map((gateway) => gateway.close()));
    await Promise.all([topic.delete(), audits.delete(), database.drop(), redis.close()]);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const ask = (from: string, path = '/plain', gateway = gateways[0]!, method = 'GET') =>
    gateway.ask(path, { method, headers: { host: TEST_DOMAIN, 'x-forwarded-for': from } });
  const statuses = async (answers: ReturnType<typeof ask>[]) => {
    const counts: Record<number, number> = {};
    for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  it('hold over all gateways, exactly; who is refused is told until when, and is no visit', async () => {
    const visitsBefore = (await visitsIn(topic)).length;
    const asked = Array.from({ length: 60 }, (_, n) => ask('198.51.100.1', '/plain', gateways[n % 2]));
    expect(await statuses(asked)).toEqual({ 302: 20, 429: 40 });
    expect(await visitsIn(topic)).toHaveLength(visitsBefore + 20);
    const refused = await ask('198.51.100.1');
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': '"requests";q=20;w=2000, "not-found";q=5;w=500',
      ratelimit: expect.stringMatching(/^"requests";r=0;t=\d+, "not-found";r=5;t=0$/),
      'retry-after': expect.stringMatching(/^(100|\d\d)$/),
      'cache-control': 'no-store',
    });
    expect(refused.headers['location']).toBeUndefined();
    expect((await ask('198.51.100.2')).status).toBe(302);
    const metrics = await gateways[0]!.operations('/metrics');
    expect(metrics).toMatch(/hopcount_rate_limit_requests_total\{outcome="refused"[^}]*\} \d+/);
    expect(metrics).toMatch(/hopcount_limit_used_ratio\{limit="requests"[^}]*\} 1\n/);
    expect(metrics).toMatch(/hopcount_limit_used_ratio\{limit="not-found"[^}]*\} 0\n/);
    expect(metrics).toMatch(/hopcount_redirects_total\{status="429"[^}]*\} [1-9]/);
  });

  it('are of a whole /64 of IPv6', async () => {
    const asked = Array.from({ length: 30 }, (_, n) => ask(`2001:db8:1:1::${(n + 1).toString(16)}`));
    expect(await statuses(asked)).toEqual({ 302: 20, 429: 10 });
    expect((await ask('2001:db8:1:2::1')).status).toBe(302);
  });

  it.each([
    ['a /56 of IPv6', (n: number) => `2001:db8:56:1${n.toString(16).padStart(2, '0')}::1`, 10],
    ['a /48 of IPv6', (n: number) => `2001:db8:48:${n.toString(16)}00::1`, 15],
    ['a /24 of IPv4', (n: number) => `203.0.114.${n}`, 20],
  ])('S10: refuse who tries codes from all over %s, and no other network', async (_, addressOf, allowed) => {
    const answers: number[] = [];
    for (let n = 1; n <= 25; n += 1) answers.push((await ask(addressOf(n), `/none-${n}`)).status);
    expect(answers).toEqual([...Array<number>(allowed).fill(404), ...Array<number>(25 - allowed).fill(429)]);
    expect((await ask(addressOf(30))).status).toBe(429);
    expect((await ask('2001:db8:49::1')).status).toBe(302);
  });

  it('S14, S25: are not escaped with forwarding headers that a client made up', async () => {
    // Written by the client, before the trusted proxy added whom it saw.
    const behindProxy = Array.from({ length: 30 }, (_, n) => ask(`203.0.113.${n}, 198.51.100.3`));
    expect(await statuses(behindProxy)).toEqual({ 302: 20, 429: 10 });
    const direct = Array.from({ length: 30 }, (_, n) => ask(`203.0.113.${n}`, '/plain', exposed));
    expect(await statuses(direct)).toEqual({ 302: 20, 429: 10 });
  });

  it('S10: refuse whoever tries codes, also what would be found', async () => {
    for (let n = 0; n < 5; n += 1) expect((await ask('198.51.100.4', `/none-${n}`)).status).toBe(404);
    const refused = await ask('198.51.100.4');
    expect([refused.status, refused.headers['ratelimit']]).toEqual([
      429,
      expect.stringMatching(/^"requests";r=15;t=\d+, "not-found";r=0;t=\d+$/),
    ]);
    expect((await ask('198.51.100.4', '/none-6')).status).toBe(429);
    expect((await ask('198.51.100.5')).status).toBe(302);
  });

  it('refuse whoever tries codes with forms', async () => {
    const post = async (path: string) => (await ask('198.51.100.6', path, gateways[0], 'POST')).status;
    for (const path of ['/none-1', '/none-2', '/none-3', '/plain', '/']) expect(await post(path)).toBe(405);
    expect([await post('/none-4'), (await ask('198.51.100.6')).status]).toEqual([429, 429]);
  });

  it('are part of the duration of a redirect: it counts from the first byte of the request', async () => {
    const seconds = async () => {
      const metrics = await gateways[0]!.operations('/metrics');
      return Number(/^hopcount_redirect_duration_seconds_sum\{[^}]*\} (\S+)$/m.exec(metrics)?.[1]);
    };
    const before = await seconds();
    // In a cluster, too, every node is silent.
    redis.freeze();
    try {
      expect((await ask('198.51.100.7')).status).toBe(302);
    } finally {
      redis.thaw();
    }
    // Redis is given 100 ms to answer.
    expect((await seconds()) - before).toBeGreaterThan(0.09);
  });

  it('are open while Redis is away: nobody is refused for its sake', async () => {
    await redis.stop();
    expect(await statuses(Array.from({ length: 40 }, () => ask('198.51.100.1')))).toEqual({ 302: 40 });
    expect(await gateways[0]!.operations('/metrics')).toMatch(
      /hopcount_rate_limit_requests_total\{outcome="open"[^}]*\} [1-9]/,
    );
  });
});
