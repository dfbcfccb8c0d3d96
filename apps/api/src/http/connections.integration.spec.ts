import { createHmac, randomBytes } from 'node:crypto';
import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawExchange, statusesIn } from '@hopcount/testing';

import { TestApi } from '../api.spec-helpers.js';

let api: TestApi;
let port: number;

beforeAll(async () => {
  api = await TestApi.start({ TRUSTED_PROXIES: '127.0.0.1' });
  port = Number(new URL(api.url).port);
});
afterAll(() => api.stop());

const HEALTH = 'GET /rest/v3/health HTTP/1.1\r\nhost: a\r\n\r\n';
const create = (key: string, chunks: string) =>
  `POST /rest/v3/short-urls HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n` +
  `transfer-encoding: chunked\r\n\r\n${chunks}`;

describe('what is no HTTP', () => {
  it.each([
    ['after an answer', () => `${HEALTH}NO HTTP\r\n\r\n`, [200, 400]],
    ['in a head that is too large', () => `${HEALTH}GET / HTTP/1.1\r\na: ${'a'.repeat(40_000)}\r\n\r\n`, [200, 431]],
    ['in a chunk of a body that is read', () => create(api.apiKey, 'zz\r\n'), [400]],
    ['in a chunk of the second request', () => HEALTH + create(api.apiKey, '2\r\n{}\r\nzz\r\n'), [200, 400]],
  ])('%s has one answer to each request', async (_, sent, statuses) => {
    expect(statusesIn(await rawExchange(port, sent()))).toEqual(statuses);
  });

  it.each([
    ['/rest/v3/short-urls', 405, 'GET, HEAD, POST'],
    ['/rest/v1/short-urls/batch?x=1', 405, 'POST'],
    ['/rest/v3/short-urls/abc', 405, 'DELETE, GET, HEAD, PATCH'],
    ['/rest/v3/nothing', 404, undefined],
  ])('but for its method is answered as any other method that %s lacks', async (path, status, allowed) => {
    // One that Node knows, and one that it does not.
    for (const method of ['QUERY', 'FOO']) {
      for (const body of ['', 'connection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n']) {
        const last = `GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;
        const sent = `${method} ${path} HTTP/1.1\r\nhost: a\r\n${body}\r\n${body === '' ? last : '{}'}`;
        const received = await rawExchange(port, HEALTH + sent);
        expect([method, ...statusesIn(received).slice(0, 2)]).toEqual([method, 200, status]);
        expect(/^allow: (.*)\r$/im.exec(received)?.[1]).toBe(allowed);
      }
    }
  });

  it('in a chunk after a whole answer has no other one', async () => {
    expect(statusesIn(await rawExchange(port, create('wrong', ''), 1, 'zz\r\n'))).toEqual([401]);
  });
});

describe('the body of a request', () => {
  it.each([
    ['without a key', 'POST', '/rest/v3/short-urls', '', 'application/json', 401],
    ['with a wrong key', 'POST', '/rest/v3/short-urls', 'x-api-key: wrong\r\n', 'application/json', 401],
    ['without a key, of a type that nothing takes', 'POST', '/rest/v3/short-urls', '', 'text/xml', 401],
    ['without a key, of a file', 'POST', '/rest/v3/imports?source=csv', '', 'text/csv', 401],
    ['without a key, of lines', 'POST', '/rest/v3/hosts/counts', '', 'text/plain', 401],
    ['at no address', 'POST', '/rest/v3/nothing', '', 'application/json', 404],
    ['with a method that the address lacks', 'PUT', '/rest/v3/short-urls', '', 'application/json', 405],
  ])('is not waited for %s', async (_, method, path, more, type, status) => {
    // Only the head is ever sent, and no byte of the body.
    const head = `${method} ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\ncontent-length: 200000\r\n${more}\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(head)).setEncoding('latin1');
    const [answer] = await new Promise<[string]>((resolve) => socket.once('data', (text: string) => resolve([text])));
    socket.destroy();
    expect(statusesIn(answer)).toEqual([status]);
  });

  it('is thrown away after the answer, up to a megabyte: a small one keeps its connection, an endless one loses it', async () => {
    const small = 'x'.repeat(200_000);
    const headOf = (length: number) =>
      `POST /rest/v3/short-urls HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`;
    const last = 'GET /rest/v3/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
    expect(statusesIn(await rawExchange(port, headOf(small.length), small, last))).toEqual([401, 200]);

    let sent = 0;
    const socket = connect(port, '127.0.0.1', () => socket.write(headOf(2 ** 40)));
    const closed = new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    const more = () => {
      sent += 65_536;
      if (!socket.destroyed) socket.write(Buffer.alloc(65_536), more);
    };
    socket.once('data', more);
    await closed;
    expect(statusesIn(received)).toEqual([401]);
    // What the two kernels hold on the way comes on top.
    expect(sent).toBeLessThan(32 * 2 ** 20);
  });

  it('is read with a key, a session or none where none is needed', async () => {
    const body = { longUrl: 'https://example.com/' };
    expect((await api.request('POST', '/rest/v3/short-urls', { body })).status).toBe(200);
    const signIn = { email: 'a@b.test', password: createHmac('sha256', 'a').update(randomBytes(8)).digest('hex') };
    const answer = await api.request('POST', '/rest/v3/session', { body: signIn, headers: { 'x-api-key': '' } });
    expect(answer.body['type']).toBe('urn:hopcount:problem:invalid-credentials');
  });
});

describe('Strict-Transport-Security', () => {
  const headersOf = async (of: TestApi, headers: Record<string, string> = {}) =>
    Promise.all(
      ['/rest/v3/health', '/rest/v3/short-urls', '/rest/v3/nothing', '/rest/docs'].map(async (path) =>
        (await fetch(`${of.url}${path}`, { headers })).headers.get('strict-transport-security'),
      ),
    );
  const [all, none] = [Array<string>(4).fill('max-age=31536000'), Array<null>(4).fill(null)];

  it('is on every answer to a client that a trusted proxy says came by https, and on no other', async () => {
    expect(await headersOf(api)).toEqual(none);
    expect(await headersOf(api, { 'x-forwarded-proto': 'http' })).toEqual(none);
    expect(await headersOf(api, { 'x-forwarded-proto': 'https' })).toEqual(all);
  });

  it('is on every answer where API_PUBLIC_URL is https, and on none where it is http', async () => {
    for (const [url, expected] of [
      ['https://api.test', all],
      ['http://api.test', none],
    ] as const) {
      const told = await TestApi.start({ API_PUBLIC_URL: url });
      expect(await headersOf(told, { 'x-forwarded-proto': 'https' })).toEqual(expected);
      for (const line of ['NO HTTP', 'FOO /rest/v3/health HTTP/1.1', 'FOO /nothing HTTP/1.1']) {
        const answer = await rawExchange(Number(new URL(told.url).port), `${line}\r\nhost: a\r\n\r\n`);
        expect(answer.includes('\r\nstrict-transport-security: ')).toBe(expected === all);
      }
      await told.stop();
    }
  });
});
