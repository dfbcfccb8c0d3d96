import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
  await api.create({ longUrl: 'https://example.com/', customSlug: 'größe' });
});
afterAll(() => api.stop());

/** The status line and all that follows, as it is on the wire. */
function send(lines: readonly string[], body = ''): Promise<string> {
  const { port, hostname } = new URL(api.url);
  const head = [...lines, `X-Api-Key: ${api.apiKey}`, 'Connection: close', '', body].join('\r\n');
  return new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from(head)));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('end', () => resolve(received));
    socket.on('error', reject);
  });
}

describe('a request to the api', () => {
  it.each([
    ['bytes that are not encoded', '/rest/v3/short-urls/größe'],
    ['an absolute target', 'http://s.test/rest/v3/short-urls/gr%C3%B6%C3%9Fe'],
    ['an absolute target of an older version', 'https://s.test/rest/v1/short-urls/gr%C3%B6%C3%9Fe?domain=s.test'],
  ])('with %s is served', async (_, target) => {
    const text = await send([`GET ${target} HTTP/1.1`, 'Host: s.test']);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('"shortCode":"größe"');
  });

  it('may have a body beside bytes that are not encoded', async () => {
    const body = '{"title":"Größe"}';
    const lines = ['PATCH /rest/v3/short-urls/größe HTTP/1.1', 'Host: s.test'];
    const text = await send([...lines, `Content-Length: ${Buffer.byteLength(body)}`], body);
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('"title":"Größe"');
  });

  it.each([
    [['GET /rest/v3/short-urls HTTP/1.1', 'Host: s.test', 'Host: evil.test']],
    [['GET /livez HTTP/1.1', 'Host: s.test', 'HOST: s.test']],
    [['GET /nothing/here HTTP/1.1', 'Host: s.test', 'Host: s.test']],
    [['DELETE /rest/v3/short-urls/gr%C3%B6%C3%9Fe HTTP/1.1', 'Host: s.test', 'Host: s.test']],
    [['GET http://user@s.test/rest/v3/short-urls HTTP/1.1', 'Host: s.test']],
  ])('that names no host, or two, is refused and changes nothing: %j', async (lines) => {
    const text = await send(lines);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(text).toContain('"invalidElements":["Host"]');
    expect((await api.get('short-urls/gr%C3%B6%C3%9Fe')).status).toBe(200);
  });
});
