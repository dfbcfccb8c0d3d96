import { connect } from 'node:net';

import { decodeOrphanVisit, type OrphanVisitV1, type VisitEventV1 } from '@hopcount/contracts';
import { BlockStore } from '@hopcount/links';
import { Database } from '@hopcount/postgres';
import { hashPassword } from '@hopcount/runtime';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import {
  GatewayGround,
  insertLink,
  metricOf,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from '../gateway.spec-helpers.js';

const OTHER = 'other.test';
const CONDITIONS = [{ type: 'language', matchKey: null, matchValue: 'de' }];
const RULES = [{ longUrl: 'https://example.com/deutsch', conditions: CONDITIONS }];

let ground: GatewayGround;
/** By what its settings make different. */
let gateways: Record<'usual' | 'secure' | 'limited' | 'refusing' | 'answering', TestGateway>;
let cookie: string;

beforeAll(async () => {
  ground = await GatewayGround.open({ ACK_TIMEOUT_MS: '20000', TRUSTED_PROXIES: '127.0.0.1' });
  const { database } = ground;
  await insertLink(database, { code: 'plain', longUrl: 'https://example.com/größe?a=b' });
  await insertLink(database, { code: 'plain', domain: OTHER, settings: { redirect_status: 301 } });
  await insertLink(database, { code: 'ruled', settings: { redirect_rules: JSON.stringify(RULES) } });
  await insertLink(database, { code: 'limited', settings: { max_visits: 100 } });
  await insertLink(database, { code: 'secret', settings: { password_hash: await hashPassword('a password') } });
  await insertLink(database, { code: 'warned', settings: { warn: true } });
  await insertLink(database, { code: 'blocked' });
  await insertLink(database, { code: 'docs', settings: { extra_path: 'append' } });
  await insertLink(database, { code: 'Größe' });
  const client = await Database.connect({ url: database.url, applicationName: 'test' });
  await new BlockStore(client).add('link', 'blocked', '');
  await client.close();
  const noVisit = { KAFKA_BROKERS: '127.0.0.1:1', SPOOL_MAX_BYTES: '10' };
  gateways = {
    usual: await ground.start(),
    secure: await ground.start({ PUBLIC_SCHEME: 'https', VISITOR_IP: 'full' }),
    limited: await ground.start({ RATE_LIMIT_REDIRECTS: 'true', REDIRECT_LIMIT: '1:0.001' }),
    refusing: await ground.start(noVisit),
    answering: await ground.start({ ...noVisit, VISIT_DURABILITY_FAILURE: 'answer' }),
  };
  const first = await gateways.usual.ask('/plain', { headers: { host: TEST_DOMAIN } });
  cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
  // More than a first visit: of a browser that comes back cookies are counted.
  await gateways.usual.ask('/plain', { headers: { host: TEST_DOMAIN } });
  await gateways.limited.ask('/none', { headers: { host: TEST_DOMAIN } });
  await newEvents(3);
});
afterAll(() => ground.close());

const seen = new Set<string>();

/** So many visits and orphan visits that no earlier call has told of, without what differs from one to the next. */
async function newEvents(count: number): Promise<object[]> {
  let found: (VisitEventV1 | OrphanVisitV1)[] = [];
  const look = async () => {
    const orphans = (await ground.topics.orphans.readAll()).map(({ value }) => decodeOrphanVisit(value));
    found = [
      ...(await visitsIn(ground.topics.visits)),
      ...orphans.flatMap((decoded) => (decoded.outcome === 'ok' ? [decoded.visit] : [])),
    ].filter(({ eventId }) => !seen.has(eventId));
    return found.length >= count;
  };
  await waitUntil(look, { describe: `${count} events` });
  for (const { eventId } of found) seen.add(eventId);
  return found.map((event) => ({ ...event, eventId: '', occurredAt: 0 }));
}

/** The bytes of one answer, without what differs from one to the next. */
function exchange(port: number, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head, 'latin1'));
    let received = '';
    socket.setEncoding('latin1').on('error', reject);
    socket.on('close', () => reject(new Error(`No whole answer: ${received}`)));
    socket.on('data', (chunk: string) => {
      received += chunk;
      const bodyAt = received.indexOf('\r\n\r\n') + 4;
      const length = Number(/^content-length: (\d+)\r$/im.exec(received)?.[1]);
      if (bodyAt < 4 || (!head.startsWith('HEAD') && received.length < bodyAt + length)) return;
      socket.removeAllListeners('close').destroy();
      resolve(
        received
          .replace(/^Date: .*$/im, 'Date')
          .replace(/^x-visit-id: [\da-f-]{36}\r$/m, 'x-visit-id\r')
          .replace(/(hc_visitor=v1)\.[\w-]{22}(\.[\w-]{22})\.[\w-]{22};/, '$1.id$2.signature;'),
      );
    });
  });
}

/** How many requests the front has read, and connections it has handed over. */
function tallyOf(gateway: TestGateway): Promise<number[]> {
  return Promise.all(['requests', 'handovers'].map((what) => metricOf(gateway, `hopcount_front_${what}_total`)));
}

const FORWARDED = 'X-Forwarded-For: 198.51.100.7, 203.0.113.9';

describe("a request that the front reads has the answer and the event that it has through Node's http", () => {
  type Case = [
    what: string,
    path: string,
    fields: string[],
    status: number,
    expected: { events: number } & Partial<Of>,
  ];
  interface Of {
    on: keyof typeof gateways;
    method: string;
    host: string;
  }
  const visit = { events: 1 };
  const none = { events: 0 };

  it.each<Case>([
    ['a visit', '/plain', [], 302, visit],
    ['one with a query', '/plain?utm_source=x&utm_source=%C3%A4&q=a%20b', [], 302, visit],
    ['a HEAD', '/plain', [], 302, { ...none, method: 'HEAD' }],
    ['another domain', '/plain', [], 301, { ...visit, host: `${OTHER.toUpperCase()}:80` }],
    ['an unknown host', '/plain', [], 302, { ...visit, host: 'nobody.test:8080' }],
    ['an encoded code', '/Gr%C3%B6%C3%9Fe', [], 302, visit],
    ['what follows a code', '/docs/a//b?c', [], 302, visit],
    ['a pixel', '/plain/track', [], 200, visit],
    ['a rule that is met', '/ruled', ['Accept-Language: de-CH,de;q=0.9'], 302, visit],
    ['a rule that is not met', '/ruled', ['Accept-Language: en'], 302, visit],
    ['a link with a limit', '/limited', [], 302, visit],
    ['a HEAD of a link with a limit', '/limited', [], 302, { ...none, method: 'HEAD' }],
    ['a password', '/secret?a=b', [], 401, visit],
    ['a HEAD of a password', '/secret', [], 401, { ...none, method: 'HEAD' }],
    ['a warning', '/warned', [], 200, visit],
    ['a blocked link', '/blocked', [], 410, visit],
    ['no link', '/none?a=b', [], 404, visit],
    ['a HEAD of no link', '/none', [], 404, { ...none, method: 'HEAD' }],
    ['no code', '/a/b/c', [], 404, visit],
    ['two slashes', '//plain', [], 404, visit],
    ['damaged encoding', '/%E0%A4%A', [], 404, visit],
    ['a domain itself', '/', [], 404, visit],
    ['a client of a proxy', '/plain', [FORWARDED], 302, visit],
    ['one whose whole address is kept', '/plain', [FORWARDED], 302, { ...visit, on: 'secure' }],
    ['one of https', '/plain', [FORWARDED, 'X-Forwarded-Proto: https'], 302, visit],
    ['no link by https', '/none', ['X-Forwarded-Proto: http, HTTPS '], 404, visit],
    ['http where https is usual', '/plain', ['x-forwarded-proto:http'], 302, { ...visit, on: 'secure' }],
    ['a visitor who opted out', '/plain', ['DNT: 1', FORWARDED], 302, visit],
    ['a visitor who opted out, in no link', '/none', ['Sec-GPC:\t1 ', FORWARDED], 404, visit],
    ['bytes of UTF-8', '/plain', ['User-Agent: Gr\xc3\xb6\xc3\x9fe', 'Referer: https://a.test/\xc3\xa4'], 302, visit],
    ['bytes of Latin-1', '/plain', ['User-Agent: Gr\xf6\xdfe', 'Accept-Language:'], 302, visit],
    ['a text that is too long', '/plain', [`User-Agent: ${'a'.repeat(3_000)}`], 302, visit],
    [
      'hints',
      '/plain',
      ['Sec-CH-UA: "Chromium";v="141"', 'Sec-CH-UA-Mobile: ?1', 'Sec-CH-UA-Platform: "A"'],
      302,
      visit,
    ],
    ['a prefetch', '/plain', ['Purpose: prefetch', 'Sec-Purpose: prefetch;prerender'], 302, visit],
    ['a traceparent', '/plain', ['traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'], 302, visit],
    ['a visitor who comes back', '/plain', ['Cookie: a=b; COOKIE'], 302, visit],
    ['a visitor who is sent in a circle', '/plain', ['Cookie: hc_hops=3; COOKIE'], 302, visit],
    ['a cookie that is none of ours', '/plain', ['Cookie: hc_visitor=v1.a.b.c'], 302, visit],
    ['too many requests', '/plain', [], 429, { ...none, on: 'limited' }],
    ['a visit that cannot be kept', '/plain', [], 503, { ...none, on: 'refusing' }],
    ['a visit that need not be kept', '/plain', [], 302, { ...none, on: 'answering' }],
  ])('%s', async (_, path, fields, status, { events, on = 'usual', method = 'GET', host = TEST_DOMAIN }) => {
    const gateway = gateways[on];
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${host}`,
      ...fields.map((line) => line.replace('COOKIE', cookie)),
    ];
    const before = await tallyOf(gateway);
    const byFront = await exchange(gateway.port, [...lines, '\r\n'].join('\r\n'));
    // Says nothing to the gateway; the front leaves it to Node.
    const byHttp = await exchange(gateway.port, [...lines, 'TE: trailers', '\r\n'].join('\r\n'));
    expect((await tallyOf(gateway)).map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1]);
    expect(byFront).toBe(byHttp);
    expect(byFront).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const [ofFront, ofHttp, ...others] = await newEvents(2 * events);
    expect(ofFront).toEqual(ofHttp);
    expect(others).toEqual([]);
  });
});
