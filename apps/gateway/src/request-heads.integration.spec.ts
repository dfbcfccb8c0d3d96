import { connect, type Socket } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@hopcount/testing';

import {
  ask,
  formOf,
  GatewayGround,
  insertLink,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from './gateway.spec-helpers.js';

const OTHER = 'other.test';

function receive(port: number, write: (socket: Socket) => void): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => write(socket));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
}

/** What is on the wire, byte by byte: clients of Node write a request as it should be. */
async function send(
  port: number,
  head: string,
): Promise<{ status: number; location: string | undefined; id: string | undefined }> {
  const text = await receive(port, (socket) => socket.write(Buffer.from(`${head}\r\nConnection: close\r\n\r\n`)));
  const header = (name: string) => new RegExp(`^${name}: (.*)\\r$`, 'im').exec(text)?.[1];
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]),
    location: header('location'),
    id: header('x-visit-id'),
  };
}

describe('a gateway', () => {
  let ground: GatewayGround;
  let gateway: TestGateway;
  let slashed: TestGateway;

  beforeAll(async () => {
    ground = await GatewayGround.open({ ACK_TIMEOUT_MS: '20000' });
    const { database } = ground;
    await insertLink(database, { code: 'Größe-🦣', longUrl: 'https://example.com/größe' });
    await insertLink(database, { code: 'plain', longUrl: 'https://example.com/here' });
    await insertLink(database, { code: 'plain', domain: OTHER, longUrl: 'https://example.com/other' });
    await insertLink(database, { code: 'docs', settings: { extra_path: 'append' } });
    await insertLink(database, { code: 'any', settings: { extra_path: 'ignore' } });
    gateway = await ground.start();
    slashed = await ground.start({ SHORT_URL_TRAILING_SLASH: 'true' });
  });
  afterAll(() => ground?.close());

  const domainsOfVisits = async () =>
    (await visitsIn(ground.topics.visits)).map(({ eventId, domain }) => [eventId, domain]);
  const pathOf = (value: Buffer | null) => (JSON.parse(String(value)) as { path: string }).path;

  it.each([
    ['/Größe-🦣', 'https://example.com/gr%C3%B6%C3%9Fe'],
    ['/Gro\u0308ße-🦣?q=ä', 'https://example.com/gr%C3%B6%C3%9Fe?q=%C3%A4'],
    ['/Gr%C3%B6ße-%F0%9F%A6%A3', 'https://example.com/gr%C3%B6%C3%9Fe'],
  ])('finds the link of %s, in bytes of UTF-8 that are not encoded', async (target, location) => {
    const answer = await send(gateway.port, `GET ${target} HTTP/1.1\r\nHost: ${TEST_DOMAIN}`);
    expect([answer.status, answer.location]).toEqual([302, location]);
    expect(await domainsOfVisits()).toContainEqual([answer.id, TEST_DOMAIN]);
  });

  it.each([
    [`http://${OTHER}/plain`, TEST_DOMAIN, 'https://example.com/other', OTHER],
    [`HTTP://${OTHER.toUpperCase()}:80/plain?a=b`, TEST_DOMAIN, 'https://example.com/other?a=b', OTHER],
    [`https://${OTHER}:443/plain`, TEST_DOMAIN, 'https://example.com/other', OTHER],
    [`http://${TEST_DOMAIN}/plain`, OTHER, 'https://example.com/here', TEST_DOMAIN],
  ])('serves the absolute target %s sent to %s', async (target, host, location, domain) => {
    const answer = await send(gateway.port, `GET ${target} HTTP/1.1\r\nHost: ${host}`);
    expect([answer.status, answer.location]).toEqual([302, location]);
    expect(await domainsOfVisits()).toContainEqual([answer.id, domain]);
    expect((await send(gateway.port, `HEAD ${target} HTTP/1.1\r\nHost: ${host}`)).location).toBe(location);
  });

  it('serves its other pages at absolute targets, too', async () => {
    for (const page of ['livez', 'robots.txt', 'rest/v3/health']) {
      const answer = await send(gateway.port, `GET http://${TEST_DOMAIN}/${page} HTTP/1.1\r\nHost: ${TEST_DOMAIN}`);
      expect([page, answer.status]).toEqual([page, 200]);
    }
    const nothing = await send(gateway.port, `GET http://${TEST_DOMAIN} HTTP/1.1\r\nHost: ${TEST_DOMAIN}`);
    expect(nothing.status).toBe(404);
  });

  it.each([
    [`GET /plain HTTP/1.1\r\nHost: ${TEST_DOMAIN}\r\nHost: ${OTHER}`],
    [`GET /plain HTTP/1.1\r\nHost: ${TEST_DOMAIN}\r\nhOsT: ${TEST_DOMAIN}`],
    [`GET /nothing HTTP/1.1\r\nHost: ${TEST_DOMAIN}\r\nHost: ${OTHER}`],
    [`GET /livez HTTP/1.1\r\nHost: ${TEST_DOMAIN}\r\nHost: ${OTHER}`],
    [`POST /plain HTTP/1.1\r\nHost: ${TEST_DOMAIN}\r\nHost: ${OTHER}\r\nContent-Length: 0`],
    [`GET http://${OTHER}/plain HTTP/1.1\r\nHost: ${TEST_DOMAIN}\r\nHost: ${OTHER}`],
    [`GET http://user@${OTHER}/plain HTTP/1.1\r\nHost: ${TEST_DOMAIN}`],
    [`GET http:///plain HTTP/1.1\r\nHost: ${TEST_DOMAIN}`],
    [`GET ftp://${OTHER}/plain HTTP/1.1\r\nHost: ${TEST_DOMAIN}`],
  ])('refuses %j, and records nothing', async (head) => {
    const visits = await ground.topics.visits.readAll();
    expect(await send(gateway.port, head)).toEqual({ status: 400, location: undefined, id: undefined });
    // Orphan visits come after their answers, in the order of these.
    const marker = `/marker-${Math.random()}`;
    expect((await send(gateway.port, `GET ${marker} HTTP/1.1\r\nHost: ${TEST_DOMAIN}`)).status).toBe(404);
    const paths = () => ground.topics.orphans.readAll().then((all) => all.map(({ value }) => pathOf(value)));
    await waitUntil(async () => (await paths()).includes(marker), { describe: 'the orphan visit behind it' });
    expect((await paths()).filter((path) => !path.startsWith('/marker-') && path !== '/')).toEqual([]);
    expect(await ground.topics.visits.readAll()).toHaveLength(visits.length);
  });

  it('counts each target of unencoded bytes once that comes behind other requests, in one packet or in its own', async () => {
    const host = `HTTP/1.1\r\nHost: ${TEST_DOMAIN}\r\n\r\n`;
    const first = Buffer.from(`GET /plain ${host}GET /plain ${host}`);
    const raw = Buffer.from(`GET /Größe-🦣 ${host}`);
    const together = await receive(gateway.port, (socket) => socket.write(Buffer.concat([first, raw])));
    const later = await receive(gateway.port, (socket) => {
      socket.write(first);
      socket.once('data', () => socket.write(raw));
    });
    for (const text of [together, later]) {
      expect(text.match(/^location: .*(?=\r$)/gim)).toEqual([
        'location: https://example.com/here',
        'location: https://example.com/here',
        'location: https://example.com/gr%C3%B6%C3%9Fe',
      ]);
      const ids = [...text.matchAll(/^x-visit-id: (.*)\r$/gim)].map(([, id]) => id);
      const counted = (await visitsIn(ground.topics.visits)).map(({ eventId }) => eventId);
      expect(counted.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
      expect(ids).toHaveLength(3);
    }
  });

  it.each([
    ['/plain/', 404, 302, 'https://example.com/here'],
    ['/plain/?a=b', 404, 302, 'https://example.com/here?a=b'],
    ['/plain//', 404, 404, undefined],
    ['/plain/more', 404, 404, undefined],
    ['/plain/more/', 404, 404, undefined],
    ['/none/', 404, 404, undefined],
    ['/docs/', 302, 302, 'https://example.com/target/'],
    ['/any/', 302, 302, 'https://example.com/target'],
    ['/plain', 302, 302, 'https://example.com/here'],
  ])('answers %s with %i, and with SHORT_URL_TRAILING_SLASH with %i', async (path, usual, ignoring, location) => {
    const of = ({ port }: TestGateway) => ask(port, path, { headers: { host: TEST_DOMAIN } });
    expect((await of(gateway)).status).toBe(usual);
    const answer = await of(slashed);
    expect([answer.status, answer.headers['location']]).toEqual([ignoring, location]);
    const visits = (await visitsIn(ground.topics.visits)).filter(
      ({ eventId }) => eventId === answer.headers['x-visit-id'],
    );
    expect(visits).toHaveLength(ignoring === 302 ? 1 : 0);
  });

  it('leads on from the page that a link shows first, with a slash behind it', async () => {
    await insertLink(ground.database, { code: 'warned', settings: { warn: true } });
    const headers = { host: TEST_DOMAIN, origin: `http://${TEST_DOMAIN}` };
    const page = await ask(slashed.port, '/warned/', { headers });
    const sent = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    const pressed = await ask(slashed.port, '/warned/', {
      method: 'POST',
      headers: sent,
      body: formOf(page).toString(),
    });
    const cookie = [pressed.headers['set-cookie'] ?? []].flat()[0] ?? '';
    const [pair = '', ...rules] = cookie.split('; ');
    expect([pressed.status, rules]).toEqual([303, expect.arrayContaining(['Path=/warned'])]);
    const followed = await ask(slashed.port, '/warned/', { headers: { ...headers, cookie: pair } });
    expect(followed.headers['location']).toBe('https://example.com/target');
  });
});
