import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawExchange, statusesIn, waitUntil } from '@hopcount/testing';

import {
  GatewayGround,
  insertLink,
  metricOf,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

let ground: GatewayGround;
let gateway: TestGateway;

beforeAll(async () => {
  ground = await GatewayGround.open({ TRUSTED_PROXIES: '127.0.0.1' });
  gateway = await ground.start();
  await insertLink(ground.database, { code: 'plain' });
  // From memory: it is answered before a body.
  expect((await gateway.ask('/plain', { headers: { host: TEST_DOMAIN } })).status).toBe(302);
});
afterAll(() => ground.close());

const GET = `GET /plain HTTP/1.1\r\nhost: ${TEST_DOMAIN}\r\n\r\n`;
const withBody = (chunks: string, method = 'GET', path = '/plain') =>
  `${method} ${path} HTTP/1.1\r\nhost: ${TEST_DOMAIN}\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`;

describe('what is no HTTP', () => {
  it.each([
    ['from the start', ['NO HTTP\r\n\r\n'], [400]],
    ['behind two redirects', [`${GET}${GET}NO HTTP\r\n\r\n`], [302, 302, 400]],
    ['but for its method', [`${GET}FOO /plain HTTP/1.1\r\nhost: a\r\n\r\n`], [302, 405]],
    ['in a head that is too large', [`${GET}GET / HTTP/1.1\r\na: ${'a'.repeat(200_000)}\r\n\r\n`], [302, 431]],
    ['in a chunk after a whole redirect', [withBody('2\r\nab\r\n'), 1, 'zz\r\n'], [302]],
    ['in a chunk after a refusal', [withBody('2\r\nab\r\n', 'PUT'), 1, 'zz\r\n'], [405]],
    ['in a chunk behind a target that is not encoded', [withBody('zz\r\n', 'GET', '/caf\xe9')], [404]],
    ['in a chunk of a form of no link', [withBody('zz\r\n', 'POST', '/none')], [400]],
    ['at the operations port', ['GET /livez HTTP/1.1\r\nhost: a\r\n\r\nNO HTTP\r\n\r\n'], [200, 400]],
  ])('%s has one answer to each request, in their order', async (at, sent, statuses) => {
    const port = at.includes('operations') ? gateway.opsPort : gateway.port;
    expect(statusesIn(await rawExchange(port, ...sent))).toEqual(statuses);
  });
});

describe('Strict-Transport-Security', () => {
  const ask = async (of: TestGateway, path: string, method: string, headers: Record<string, string> = {}) =>
    (await of.ask(path, { method, headers: { host: TEST_DOMAIN, ...headers } })).headers['strict-transport-security'];

  it.each([
    ['a redirect', '/plain', 'GET'],
    ['a HEAD', '/plain', 'HEAD'],
    ['what is not there', '/none', 'GET'],
    ['robots.txt', '/robots.txt', 'GET'],
    ['health', '/livez', 'GET'],
    ["Shlink's health", '/rest/v3/health', 'GET'],
    ['the icon', '/favicon.ico', 'GET'],
    ['a method that is none', '/plain', 'PUT'],
    ['a form of nothing', '/none', 'POST'],
  ])('is on %s that was asked for by https, and not by http', async (_, path, method) => {
    const secure = await ground.start({ PUBLIC_SCHEME: 'https' });
    const told = 'max-age=31536000';
    expect([await ask(gateway, path, method), await ask(secure, path, method)]).toEqual([undefined, told]);
    expect([
      await ask(gateway, path, method, { 'x-forwarded-proto': 'https' }),
      await ask(secure, path, method, { 'x-forwarded-proto': 'http' }),
    ]).toEqual([told, undefined]);
    await secure.close();
  });

  it.each([
    ['what is no HTTP', 'NO HTTP\r\n\r\n'],
    ['a method that HTTP does not know', 'FOO /plain HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['two hosts', 'GET /plain HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n'],
  ])('is on the answer to %s where PUBLIC_SCHEME is https', async (_, sent) => {
    const secure = await ground.start({ PUBLIC_SCHEME: 'https' });
    expect(await rawExchange(gateway.port, sent)).not.toContain('strict-transport-security');
    expect(await rawExchange(secure.port, sent)).toContain('\r\nstrict-transport-security: max-age=31536000\r\n');
    await secure.close();
  });

  it('is on a refusal of too many requests', async () => {
    const strict = await ground.start({
      PUBLIC_SCHEME: 'https',
      RATE_LIMIT_REDIRECTS: 'true',
      REDIRECT_LIMIT: '1:0.001',
    });
    await strict.ask('/plain', { headers: { host: TEST_DOMAIN } });
    const { status, headers } = await strict.ask('/plain', { headers: { host: TEST_DOMAIN } });
    expect([status, headers['strict-transport-security']]).toEqual([429, 'max-age=31536000']);
    await strict.close();
  });
});

describe('a gateway that stops', () => {
  it('answers a client that connected before its listener closed and asks afterwards, and takes no other', async () => {
    const stopping = await ground.start();
    const client = connect(stopping.port, '127.0.0.1');
    await once(client, 'connect');
    const stopped = stopping.stop();
    const isRefused = () =>
      stopping.ask('/plain').then(
        () => false,
        () => true,
      );
    await waitUntil(isRefused, { describe: 'a listener that is closed' });
    client.write(GET);
    expect(statusesIn(await text(client))).toEqual([302]);
    await stopped;
  });
});

describe('a connection', () => {
  it('is kept for longer than it says, for a request that is on its way, and then ends', async () => {
    const startedMs = performance.now();
    expect(statusesIn(await rawExchange(gateway.port, GET, 1, GET))).toEqual([302, 302]);
    expect(performance.now() - startedMs).toBeGreaterThan(5_500);
  });

  it("that is new and silent becomes Node's, whose time for a first request then applies, and is answered by it", async () => {
    const handovers = () => metricOf(gateway, 'hopcount_front_handovers_total');
    const before = await handovers();
    const socket = connect(gateway.port, '127.0.0.1');
    const isHandedOver = async () => (await handovers()) === before + 1;
    await waitUntil(isHandedOver, { timeoutMs: 60_000, describe: "a connection that is Node's" });
    socket.write(GET);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(statusesIn(String(answer))).toEqual([302]);
    socket.destroy();
  });

  it('whose client sends nothing more, but reads, has its answer', async () => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(GET);
    expect(statusesIn(await text(socket))).toEqual([302]);
  });

  it('whose client goes before its answer is a visit, and takes nothing else with it', async () => {
    const socket = connect(gateway.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(GET.replace('/plain', '/plain?utm_source=gone'), () => socket.destroy());
    const isVisit = async () => (await visitsIn(ground.topics.visits)).some(({ utm }) => utm?.source === 'gone');
    await waitUntil(isVisit, { describe: 'the visit' });
    expect((await gateway.ask('/plain', { headers: { host: TEST_DOMAIN } })).status).toBe(302);
  });
});
