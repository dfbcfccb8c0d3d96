import { brotliCompressSync, gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance } from 'fastify';

import { dashboardFile } from './dashboard-files.js';
import { serveDashboard } from './serve-dashboard.js';

const PAGE = { accept: 'text/html,application/xhtml+xml' };

const file = (path: string, type: string, body: string, compressed: Record<string, Buffer> = {}) =>
  [path, dashboardFile(path, type, Buffer.from(body), compressed)] as const;
const MAIN = { br: brotliCompressSync('main()'), gzip: gzipSync('main()') };

function serve(): FastifyInstance {
  const server = fastify();
  serveDashboard(
    server,
    new Map([
      file('index.html', 'text/html', '<base href="{{base}}"><meta content="{{nonce}}"><i>{{provider}}</i>'),
      file('assets/main-1a2b.js', 'text/javascript', 'main()', MAIN),
      file('icon.svg', 'image/svg+xml', '<svg/>'),
    ]),
    { basePath: '/under/', hasProvider: true },
  );
  server.get('/rest/v3/health', () => 'well');
  return server;
}

describe('the dashboard', () => {
  const server = serve();
  let origin = '';
  beforeAll(async () => {
    origin = await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => server.close());

  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(origin + path, { method, headers });
    return { status: answer.status, body: await answer.text(), headers: Object.fromEntries(answer.headers) };
  };

  it.each(['/', '/links?search=a', '/links/code', '/index.html'])(
    'is one page at %s, each time with another nonce',
    async (url) => {
      const [one, two] = [await get(url, PAGE), await get(url, PAGE)];
      const nonceOf = ({ body }: typeof one) => /content="([^"]+)"/.exec(body)?.[1] ?? 'none';
      expect([one.status, one.headers['cache-control']]).toEqual([200, 'no-cache']);
      expect(one.body).toContain('<base href="/under/">');
      expect(one.body).toContain('<i>yes</i>');
      expect(one.headers['content-security-policy']).toContain(`style-src 'self' 'nonce-${nonceOf(one)}'`);
      expect(one.headers['content-security-policy']).not.toContain('unsafe');
      expect(nonceOf(one)).not.toBe(nonceOf(two));
    },
  );

  it('takes the place of nothing else', async () => {
    expect((await get('/rest/v3/health', PAGE)).body).toBe('well');
    for (const url of ['/rest/v3/nothing', '/rest', '/livez', '/metrics', '/assets/gone-1a2b.js']) {
      expect([url, (await get(url, PAGE)).status]).toEqual([url, 404]);
    }
    expect((await get('/links')).status).toBe(404);
    expect((await get('/links', PAGE, 'POST')).status).toBe(404);
  });

  it('has files that browsers keep for ever where their names say what is in them', async () => {
    const script = await get('/assets/main-1a2b.js', { 'accept-encoding': 'gzip' });
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript',
    });
    const icon = await get('/icon.svg');
    expect([icon.body, icon.headers['cache-control']]).toEqual(['<svg/>', 'no-cache']);
    expect((await get('/icon.svg', { 'if-none-match': String(icon.headers['etag']) })).status).toBe(304);
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('sends what the build compressed to whoever takes it: %s', async (accepted, coding) => {
    const { status, body, headers } = await get('/assets/main-1a2b.js', { 'accept-encoding': accepted });
    expect([status, body, headers['content-encoding']]).toEqual([200, 'main()', coding]);
    expect(headers['vary']).toBe('accept-encoding');
    const known = { 'accept-encoding': accepted, 'if-none-match': headers['etag'] ?? '' };
    expect((await get('/assets/main-1a2b.js', known)).status).toBe(304);
    // What one of them is called says nothing of the others.
    const other = { ...known, 'accept-encoding': coding === 'gzip' ? 'br' : 'gzip' };
    expect((await get('/assets/main-1a2b.js', other)).status).toBe(200);
  });
});
