import { rmSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  testTopic,
  type TestTopic,
  wrongMetricNames,
} from '@hopcount/testing';

import {
  gatewayEnvironment,
  insertLink,
  startGateway,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36';

describe('gateway', () => {
  let database: TestDatabase;
  let topic: TestTopic;
  let audits: TestTopic;
  let redis: TestRedis;
  let gateway: TestGateway;
  let linkId: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await testDatabase();
    topic = await testTopic({ partitions: 3, label: 'gateway' });
    audits = await testTopic({ label: 'audits' });
    redis = await testRedis();
    linkId = await insertLink(database, { code: 'plain' });
    await insertLink(database, { code: 'Grüße', longUrl: 'https://müller.example/straße?q=ü' });
    await insertLink(database, { code: 'script', longUrl: 'javascript:alert(1)' });
    const campaign = 'https://example.com/sale?utm_source=mail&utm_campaign=spring';
    await insertLink(database, { code: 'sale', longUrl: campaign });
    for (const name of ['other', 'hop', 'shop']) {
      await insertLink(database, { code: 'plain', domain: `${name}.test`, longUrl: `https://example.com/${name}` });
    }
    // On a busy machine 50 ms may pass before the acknowledgement: these visits are to be in Kafka at once.
    const more = {
      TRUSTED_PROXIES: '127.0.0.1',
      REDIS_URL: redis.url,
      ACK_TIMEOUT_MS: '20000',
      CLICK_FLOOD_PER_MINUTE: '15',
    };
    environment = gatewayEnvironment({ database, topic, audits, more });
    gateway = await startGateway(environment);
  });

  afterAll(async () => {
    await gateway?.close();
    await topic?.delete();
    await audits?.delete();
    await redis?.close();
    await database?.drop();
    rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
  });

  const visitOf = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await gateway.ask(path, { headers: { host: TEST_DOMAIN, ...headers } });
    const visit = (await visitsIn(topic)).find(({ eventId }) => eventId === answer.headers['x-visit-id']);
    return { answer, visit };
  };

  it('redirects, and the event is in Kafka before the answer', async () => {
    const { answer, visit } = await visitOf('/plain?utm_source=mail&utm_campaign=a%20b', {
      'user-agent': BROWSER,
      referer: 'https://example.org/page',
      'accept-language': 'de-CH,de;q=0.9',
    });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('https://example.com/target?utm_source=mail&utm_campaign=a%20b');
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(visit).toMatchObject({
      linkId,
      domain: TEST_DOMAIN,
      code: 'plain',
      clientIp: '127.0.0.0',
      userAgent: BROWSER,
      referrer: 'https://example.org/page',
      acceptLanguage: 'de-CH,de;q=0.9',
      utm: { source: 'mail', campaign: 'a b', medium: null },
      truncated: [],
    });
  });

  it("takes the campaign of the link's own target for that of visits without one", async () => {
    const none = { source: null, medium: null, campaign: null, term: null, content: null };
    const asked = ['/sale', '/sale?utm_source=&utm_medium=%20', '/sale/track', '/sale?utm_medium=cpc'];
    const visits = await Promise.all(asked.map(async (path) => (await visitOf(path)).visit));
    const spring = { ...none, source: 'mail', campaign: 'spring' };
    expect(visits.map((visit) => visit?.utm)).toEqual([spring, spring, spring, { ...none, medium: 'cpc' }]);
  });

  it('publishes a record keyed by its event id, with no headers but the trace it came with', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headersOf = async (asked: Record<string, string>) => {
      const { answer } = await visitOf('/plain', asked);
      const record = (await topic.readAll()).find(({ key }) => key?.toString() === answer.headers['x-visit-id']);
      return Object.entries(record?.headers ?? { none: 'record' }).map(([name, value]) => [name, String(value)]);
    };
    expect(await headersOf({ traceparent })).toEqual([['traceparent', traceparent]]);
    expect(await headersOf({})).toEqual([]);
  });

  it('D5: answers HEAD without a visit', async () => {
    const before = (await visitsIn(topic)).length;
    const answer = await gateway.ask('/plain', { method: 'HEAD', headers: { host: TEST_DOMAIN } });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('https://example.com/target');
    expect(answer.headers['x-visit-id']).toBeUndefined();
    expect((await visitsIn(topic)).length).toBe(before);
  });

  it.each(['/none', '/', '/plain/', '/a/b', '/%E0%A4%A', '/%', `/${'x'.repeat(300)}`, '/plain%2F', '/script'])(
    'answers 404 without a location to %s',
    async (path) => {
      const answer = await gateway.ask(path, { headers: { host: TEST_DOMAIN } });
      expect(answer.status).toBe(404);
      expect(answer.headers.location).toBeUndefined();
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).toContain('Link not found');
    },
  );

  it('answers 405 to other methods, whatever they send', async () => {
    for (const method of ['POST', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answer = await gateway.ask('/plain', { method, headers: { host: TEST_DOMAIN, 'content-type': 'x/y' } });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it('finds a code in any spelling of its URL and sends an ASCII location', async () => {
    for (const path of ['/Gr%C3%BC%C3%9Fe', '/Gru%CC%88%C3%9Fe']) {
      const answer = await gateway.ask(path, { headers: { host: TEST_DOMAIN } });
      expect(answer.status).toBe(302);
      expect(answer.headers.location).toBe('https://xn--mller-kva.example/stra%C3%9Fe?q=%C3%BC');
    }
  });

  it.each([
    ['short.test', 'https://example.com/target'],
    ['SHORT.Test.', 'https://example.com/target'],
    ['short.test:80', 'https://example.com/target'],
    ['unknown.example', 'https://example.com/target'],
    ['not a host', 'https://example.com/target'],
    ['OTHER.test', 'https://example.com/other'],
  ])('takes Host %s', async (host, location) => {
    const answer = await gateway.ask('/plain', { headers: { host } });
    expect([answer.status, answer.headers.location]).toEqual([302, location]);
  });

  it('keeps the domains of http and https apart, whichever was asked for first', async () => {
    const target = async (host: string, scheme: string) => {
      const headers = { host, 'x-forwarded-proto': scheme };
      return (await gateway.ask('/plain', { headers })).headers.location;
    };
    expect(await target('hop.test', 'https')).toBe('https://example.com/hop');
    expect(await target('shop.test', 'http')).toBe('https://example.com/shop');
  });

  it('keeps one visitor through the cookie, over links and agents', async () => {
    const first = await visitOf('/plain', { 'user-agent': BROWSER });
    const cookie = String(first.answer.headers['set-cookie']);
    expect(cookie).toMatch(/^hc_visitor=v1\..*; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/);
    const second = await visitOf('/Gr%C3%BC%C3%9Fe', { cookie: cookie.split(';')[0]!, 'user-agent': 'other' });
    expect(String(second.answer.headers['set-cookie'])).not.toContain('hc_visitor');
    expect(second.visit?.visitorId).toBe(first.visit?.visitorId);
  });

  it('does not count a client without cookies more than once a day', async () => {
    const twice = async () => ({
      one: await visitOf('/plain', { 'user-agent': BROWSER }),
      two: await visitOf('/plain', { 'user-agent': BROWSER, cookie: 'hc_visitor=v1.forged' }),
    });
    const days = ({ one, two }: Awaited<ReturnType<typeof twice>>) =>
      new Set([one, two].map(({ visit }) => new Date(visit!.occurredAt).getUTCDate())).size;
    const first = await twice();
    // Midnight UTC came between the two: then it is another day for 24 hours.
    const { one, two } = days(first) === 1 ? first : await twice();
    expect(two.visit?.visitorId).toBe(one.visit?.visitorId);
    expect(two.answer.headers['set-cookie']).not.toEqual(one.answer.headers['set-cookie']);
  });

  it('sets no cookie and names nobody under DNT or GPC', async () => {
    for (const headers of [{ dnt: '1' }, { 'sec-gpc': '1' }]) {
      const { answer, visit } = await visitOf('/plain', headers as unknown as Record<string, string>);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(visit).toMatchObject({ visitorId: null, clientIpHash: null, signals: { doNotTrack: true } });
    }
  });

  it('reads the client address from a trusted proxy', async () => {
    const { visit } = await visitOf('/plain', { 'x-forwarded-for': '6.6.6.6, 198.51.100.77' });
    expect(visit?.clientIp).toBe('198.51.100.0');
    expect(JSON.stringify(visit)).not.toContain('198.51.100.77');
    const secure = await visitOf('/plain', { 'x-forwarded-proto': 'https' });
    expect(String(secure.answer.headers['set-cookie'])).toContain('; Secure');
  });

  it.each([
    ['no agent', {}],
    ['an empty agent', { 'user-agent': '' }],
    ['a 64 KB agent', { 'user-agent': 'x'.repeat(65_536) }],
    ['a binary agent', { 'user-agent': '\x80\xff\xfe' }],
    ['a 1 KB forwarded-for', { 'x-forwarded-for': 'y'.repeat(1_024) }],
    ['a 300-character cookie', { cookie: `hc_visitor=${'z'.repeat(300)}` }],
    ['a hundred cookies', { cookie: 'hc_visitor=v1.a.b.c; '.repeat(100) }],
  ])('L6, L7: counts a visit with %s', async (_name, headers) => {
    const { answer, visit } = await visitOf('/plain', headers);
    expect(answer.status).toBe(302);
    expect(visit?.linkId).toBe(linkId);
    expect(answer.headers['set-cookie']).toBeDefined();
  });

  it('cuts long texts and drops NUL, naming what was cut', async () => {
    const { visit } = await visitOf(`/plain?utm_source=a%00b&utm_term=${'t'.repeat(300)}`, {
      referer: `https://r/${'r'.repeat(2_000)}`,
    });
    expect(visit?.utm).toMatchObject({ source: 'ab', term: 't'.repeat(256) });
    expect(visit?.referrer).toHaveLength(1_024);
    expect(visit?.truncated).toEqual(['referrer', 'utm.term']);
  });

  it('S14, S15, S27: believes neither other headers of proxies nor words that a visit is none', async () => {
    const { visit } = await visitOf('/plain?bot=1&nocount=1', {
      'user-agent': BROWSER,
      ...{ 'cf-connecting-ip': '198.51.100.9', 'true-client-ip': '198.51.100.9', 'x-real-ip': '198.51.100.9' },
      ...{ 'x-client-ip': '198.51.100.9', forwarded: 'for="[2001:db8::1]:443"', 'cf-ipcountry': 'KP' },
      ...{ 'dub-no-track': '1', 'x-bot': '1', 'x-purpose': 'nothing' },
    });
    const plain = await visitOf('/plain', { 'user-agent': BROWSER });
    expect(visit).toMatchObject({
      ...{ clientIp: '127.0.0.0', clientIpHash: plain.visit?.clientIpHash, visitorId: plain.visit?.visitorId },
      signals: { doNotTrack: false },
    });
    expect(JSON.stringify(visit)).not.toMatch(/198\.51|2001:db8|KP/);
  });

  it('S26: serves a flood of clicks like any other visits, and says in each that is too many that it is one', async () => {
    const headers = { host: 'shop.test', 'x-forwarded-for': '93.184.216.77', 'user-agent': BROWSER };
    const ids: unknown[] = [];
    for (let n = 0; n < 17; n += 1) {
      const { status, headers: answered } = await gateway.ask('/plain', { headers });
      expect(status).toBe(302);
      ids.push(answered['x-visit-id']);
    }
    const visits = new Map((await visitsIn(topic)).map((visit) => [visit.eventId as unknown, visit]));
    // A new minute may have begun meanwhile.
    const flooded = ids.filter((id) => visits.get(id)?.isFlood === true);
    expect([ids.filter((id) => visits.has(id)).length, flooded.length <= 2]).toEqual([17, true]);
    if (flooded.length > 0) expect(flooded).toEqual(ids.slice(-flooded.length));
    const metrics = await gateway.operations('/metrics');
    expect(/click_floods_total\{outcome="flagged".*\} (\d+)/.exec(metrics)?.[1]).toBe(String(flooded.length));
  });

  it('S30: tells browsers to do nothing with its pages, and nobody its version', async () => {
    const pages = [
      '/none',
      '/',
      '/%',
      '/livez',
      '/readyz',
      '/robots.txt',
      '/favicon.ico',
      '/rest/v3/health',
      '/plain/track',
    ];
    const asked: [string, string][] = [...pages.map((path): [string, string] => ['GET', path]), ['POST', '/plain']];
    for (const [method, path] of asked) {
      const { headers } = await gateway.ask(path, { method, headers: { host: TEST_DOMAIN } });
      expect([path, headers]).toEqual([
        path,
        expect.objectContaining({
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'content-security-policy': expect.stringMatching(/^default-src 'none';.* frame-ancestors 'none'$/),
        }),
      ]);
      expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['server']));
      expect(headers['x-powered-by']).toBeUndefined();
    }
    const { headers, body } = await gateway.ask('/plain', { headers: { host: TEST_DOMAIN } });
    const names = ['location', 'x-visit-id', 'set-cookie', 'cache-control', 'content-length', 'date', 'connection'];
    expect([Object.keys(headers).sort(), body]).toEqual([names.sort(), '']);
  });

  it('keeps its metrics from the public', async () => {
    expect((await gateway.ask('/metrics')).status).toBe(404);
    const metrics = await gateway.operations('/metrics');
    expect(wrongMetricNames(metrics)).toEqual([]);
    expect(metrics).toMatch(/^hopcount_visits_accepted_total\{path="kafka",.*\} \d+$/m);
    expect((await gateway.ask('/readyz')).status).toBe(200);
    expect((await gateway.ask('/livez')).status).toBe(200);
  });
});
