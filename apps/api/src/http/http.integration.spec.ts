import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wrongMetricNames } from '@hopcount/testing';
import { healthSchema, problemSchema } from '@hopcount/contracts';
import { isReservedSlug } from '@hopcount/links';

import { ApiModule } from '../api.module.js';
import { TestApi } from '../api.spec-helpers.js';
import { findOperations } from './find-operations.js';

let api: TestApi;
const NO_KEY = { 'x-api-key': '' };

beforeAll(async () => {
  api = await TestApi.start();
});
afterAll(() => api.stop());

describe('authentication', () => {
  it('is asked for on every route but those that say otherwise', async () => {
    const open = /^\/(rest\/(v\d\/)?health|rest\/openapi\.json|rest\/docs.*|livez|readyz)$/;
    // /rest/invite leads on to the dashboard, which is not served here.
    const routes = api.resources.routes.all().filter(({ method, url }) => method !== 'HEAD' && url !== '/rest/invite');
    expect(routes.length).toBeGreaterThan(20);
    for (const { method, url } of routes) {
      // Without a topic the stream of visits does not get so far as to look for its token.
      const query = url.endsWith('/live') ? '?topic=https://shlink.io/new-visit' : '';
      const path = url.replace(':code', 'abc').replace(/\*$/, 'swagger-ui.css') + query;
      const { status, body } = await api.request(method, path, { headers: NO_KEY });
      // Who has a password, or a link, needs nothing else.
      const isSignIn = method === 'POST' && /\/v3\/(session|users\/accept)$/.test(path);
      const refused = isSignIn ? [400, 'invalid-data'] : [401, 'missing-authentication'];
      const isProvider = method === 'GET' && /\/session\/oidc(\/callback)?$/.test(path);
      const closed = isProvider
        ? [404, 'urn:hopcount:problem:no-provider']
        : [refused[0], `https://shlink.io/api/error/${refused[1]}`];
      const expected = open.test(path) ? [] : closed;
      if (expected.length > 0) expect([method, url, status, body['type']]).toEqual([method, url, ...expected]);
      else expect([url, status]).toEqual([url, 200]);
    }
  });

  it('S8: is nowhere in the way of a link: the first word of every route is reserved', () => {
    for (const { url } of api.resources.routes.all()) {
      const word = url.split('/')[1] ?? '';
      expect([url, word === '*' || isReservedSlug(word)]).toEqual([url, true]);
    }
  });

  it('tells a missing key from a wrong one', async () => {
    const missing = await api.get('short-urls', NO_KEY);
    expect(missing.body).toMatchObject({ status: 401, expectedHeaders: ['X-Api-Key'] });
    for (const key of ['x', `${api.apiKey}x`, api.apiKey.replace(/.$/, '!'), `hc_live_${'a'.repeat(36)}`]) {
      const { status, body } = await api.get('short-urls', { 'x-api-key': key });
      expect([status, body['type']]).toEqual([401, 'https://shlink.io/api/error/invalid-api-key']);
    }
  });
});

describe('problems', () => {
  it.each([
    ['GET', '/', 404, 'not-found'],
    ['GET', '/rest/v4/short-urls', 404, 'not-found'],
    ['POST', '/rest/v3/nothing', 404, 'not-found'],
    ['DELETE', '/rest/v3/short-urls', 405, 'method-not-allowed'],
    ['PUT', '/rest/v3/short-urls/abc', 405, 'method-not-allowed'],
    ['POST', '/rest/v3/short-urls/abc/stats', 405, 'method-not-allowed'],
    ['POST', '/livez', 405, 'method-not-allowed'],
    ['PROPFIND', '/rest/v3/short-urls', 405, 'method-not-allowed'],
    ['SEARCH', '/rest/v2/short-urls/abc', 405, 'method-not-allowed'],
    ['PROPFIND', '/rest/v3/nothing', 404, 'not-found'],
    ['GET', '/rest/docs/static/nothing.js', 404, 'not-found'],
    ['GET', '/rest/v3/visits?startDate=2026-01-01', 400, 'invalid-data'],
    ['DELETE', '/rest/v3/visits/orphan?type=base_url', 400, 'invalid-data'],
    ['GET', '/rest/v3/short-urls/%E0%A4%A', 400, 'malformed-request-body'],
  ])('%s %s is %i %s', async (method, path, status, code) => {
    const answer = await api.request(method, path, {
      headers: { 'x-request-id': 'given-1', origin: 'http://a.example' },
    });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('access-control-allow-origin')).toBe(path.startsWith('/rest') ? '*' : null);
    expect(problemSchema.parse(answer.body)).toMatchObject({ status, instance: 'given-1' });
    expect([answer.status, answer.body['type']]).toEqual([status, expect.stringMatching(new RegExp(`[/:]${code}$`))]);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/GET/);
  });

  it('name the parameter that holds what PostgreSQL cannot take', async () => {
    const name = async (path: string) => {
      const { status, body } = await api.get(path);
      return [path, status, body['type'], body['invalidElements']];
    };
    const invalid = 'https://shlink.io/api/error/invalid-data';
    const texts = ['searchTerm', 'domain', 'startDate', 'endDate', 'tags[]', 'tags[3]', 'tags', 'orderBy', 'page'];
    for (const text of [...texts, 'itemsPerPage', 'tagsMode']) {
      const path = `short-urls?${text}=a%00`;
      expect(await name(path)).toEqual([path, 400, invalid, [text.replace(/\[.*/, '')]]);
    }
    for (const text of ['domain', 'startDate', 'endDate']) {
      const path = `short-urls/abc/visits?${text}=%00`;
      expect(await name(path)).toEqual([path, 400, invalid, [text]]);
    }
  });

  it.each([
    ['GET', 'short-urls/a%00', 404],
    ['DELETE', 'short-urls/a%00', 404],
    ['GET', 'short-urls/a%00/stats', 404],
    ['GET', 'short-urls/a%00/visits', 404],
    ['DELETE', 'short-urls/a%00/visits', 404],
    ['GET', 'short-urls/a?domain=%00', 400],
    ['DELETE', 'short-urls/a?domain=%00', 400],
    ['DELETE', 'short-urls/a/visits?domain=%00', 400],
    ['GET', 'short-urls/a/stats?domain=%00', 400],
    ['GET', 'short-urls/a/stats?startDate=%00', 400],
    ['GET', 'short-urls/a/stats?timeZone=%00', 400],
    ['GET', 'short-urls/a/stats?interval=%00', 400],
    ['GET', 'visits/orphan?type=%00', 400],
    ['GET', 'visits/orphan?startDate=%00', 400],
    ['GET', 'visits/orphan?excludeBots=%00', 200],
    ['GET', 'short-urls?%00=a&tags%00[]=b', 400],
    // Percent escapes of half a surrogate pair are no UTF-8: an address with them cannot be read, a query
    // parser leaves them as they are written.
    ['GET', 'short-urls/%ED%A0%80', 400],
    ['GET', 'short-urls?searchTerm=%ED%A0%80&tags[]=%ED%A0%80', 200],
  ])('%s %s is %i, and never 500', async (method, path, status) => {
    const answer = await api.request(method, `/rest/v3/${path}`);
    expect(answer.status).toBe(status);
  });

  it('name what an operation would ignore: of a body that it does not take, of a query without a key', async () => {
    const operations = findOperations(ApiModule).filter(({ takesFile, isHidden }) => !(takesFile ?? isHidden));
    const pathOf = ({ path }: { path: string }) => path.replace(/:\w+/g, 'abc');
    const bodiless = operations.filter(({ method, body, scope }) => method !== 'GET' && !body && scope !== 'user');
    expect(bodiless.length).toBeGreaterThan(10);
    for (const operation of bodiless) {
      // The one whose query has to say something.
      const path = `${pathOf(operation)}${operation.id === 'deleteTags' ? '?tags[]=a' : ''}`;
      const answer = await api.request(operation.method, path, { body: { reason: 'x' } });
      expect([operation.id, answer.status, answer.body['invalidElements']]).toEqual([operation.id, 400, ['reason']]);
    }
    for (const body of ['', '{}'])
      expect((await api.request('DELETE', '/rest/v3/short-urls/abc', { body })).status).toBe(404);
    // What comes back from a provider is the provider's.
    const open = operations.filter(({ scope, redirects }) => scope === 'public' && redirects !== true);
    expect(open.length).toBeGreaterThan(3);
    for (const operation of open) {
      const { status, body } = await api.request(operation.method, `${pathOf(operation)}?unknown=1`, {
        headers: NO_KEY,
      });
      expect([operation.id, status, body['invalidElements']]).toEqual([
        ...[operation.id, 400, expect.arrayContaining(['unknown'])],
      ]);
    }
  });

  it('are answered to what is no HTTP', async () => {
    const { port, hostname } = new URL(api.url);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('NO HTTP AT ALL\r\n\r\n'));
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('end', () => resolve(received));
      socket.on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('content-type: application/problem+json');
    expect(text).toContain(`x-content-type-options: nosniff\r\n`);
    expect(text).not.toMatch(/^(server|x-powered-by):/im);
  });

  it('carry a request id, the given one when it is short and plain', async () => {
    for (const id of ['abc', 'a-b_c.d:e/1']) {
      expect((await api.get('short-urls/nope', { 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
    }
    for (const id of ['a b', 'x'.repeat(200), '<script>', '']) {
      const { headers, body } = await api.get('short-urls/nope', { 'x-request-id': id });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
      expect(body['instance']).toBe(headers.get('x-request-id'));
    }
  });
});

describe('every answer', () => {
  it.each([
    ['GET', '/rest/v3/short-urls', 200],
    ['GET', '/rest/v3/short-urls/nope', 404],
    ['DELETE', '/rest/v3/short-urls', 405],
    ['POST', '/rest/v3/short-urls', 400],
    ['OPTIONS', '/rest/v3/short-urls', 204],
    ['GET', '/', 404],
    ['GET', '/livez', 200],
    ['GET', '/rest/openapi.json', 200],
    ['GET', '/rest/docs', 200],
    ['GET', '/rest/docs/static/swagger-ui.css', 200],
  ])(
    'to %s %s keeps browsers from guessing, framing and telling; and says no version',
    async (method, path, status) => {
      const headers = { 'x-api-key': api.apiKey, origin: 'http://a.example', 'access-control-request-method': 'GET' };
      const answer = await fetch(`${api.url}${path}`, { method, headers });
      await answer.arrayBuffer();
      expect([answer.status, Object.fromEntries(answer.headers)]).toEqual([
        status,
        expect.objectContaining({
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
        }),
      ]);
      expect(answer.headers.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe/);
      for (const name of ['server', 'x-powered-by', 'via']) expect(answer.headers.get(name)).toBeNull();
    },
  );
});

describe('CORS', () => {
  it('answers a preflight without a key, with the headers that were asked for', async () => {
    const { status, headers } = await api.request('OPTIONS', '/rest/v3/short-urls/abc/visits', {
      headers: { ...NO_KEY, origin: 'http://a.example', 'access-control-request-headers': 'x-api-key,content-type' },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-headers')).toBe('x-api-key,content-type');
    expect(headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(headers.get('access-control-max-age')).toBe('3600');
  });

  it('is on errors too, and only when there is an origin', async () => {
    const wrongKey = { 'x-api-key': 'x', origin: 'http://a.example' };
    expect((await api.get('short-urls', wrongKey)).headers.get('access-control-allow-origin')).toBe('*');
    expect((await api.get('short-urls')).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('S30: names one origin when only some are allowed', async () => {
    const strict = await TestApi.start({ CORS_ORIGINS: 'http://a.example,http://b.example' });
    try {
      const allowed = await strict.get('short-urls', { origin: 'http://b.example' });
      expect(allowed.headers.get('access-control-allow-origin')).toBe('http://b.example');
      expect(allowed.headers.get('vary')).toBe('Origin');
      const other = await strict.get('short-urls', { origin: 'http://evil.example' });
      expect(other.headers.get('access-control-allow-origin')).toBeNull();
      const preflight = await strict.request('OPTIONS', '/rest/v3/short-urls', {
        headers: { ...NO_KEY, origin: 'http://evil.example', 'access-control-request-method': 'POST' },
      });
      expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([405, null]);
    } finally {
      await strict.stop();
    }
  });
});

describe('operations', () => {
  it('report health without a key', async () => {
    for (const path of ['/rest/health', '/rest/v1/health', '/rest/v3/health']) {
      const { status, headers, body } = await api.request('GET', path, { headers: NO_KEY });
      expect([status, headers.get('content-type')]).toEqual([200, 'application/health+json']);
      expect(healthSchema.parse(body)).toMatchObject({
        status: 'pass',
        version: expect.stringMatching(/^5\.\d+\.\d+$/),
      });
    }
  });

  it('are alive and ready', async () => {
    for (const path of ['/livez', '/readyz']) {
      expect((await api.request('GET', path, { headers: NO_KEY })).status).toBe(200);
    }
  });

  it('show metrics at the operations port only', async () => {
    await api.get('short-urls/nope');
    expect((await api.request('GET', '/metrics', { headers: NO_KEY })).status).toBe(404);
    const metrics = await api.operations('/metrics');
    expect(wrongMetricNames(metrics)).toEqual([]);
    const lines = metrics.split('\n');
    const counted = lines.find((line) =>
      /_seconds_count.*route="\/rest\/v3\/short-urls\/:code",status="404"/.test(line),
    );
    expect(Number(counted?.split(' ').at(-1))).toBeGreaterThan(0);
  });

  it('say that the database is away', async () => {
    const lost = await TestApi.start();
    try {
      await lost.database.drop();
      const health = await lost.request('GET', '/rest/health');
      expect([health.status, health.body['status']]).toEqual([503, 'fail']);
      const ready = await lost.request('GET', '/readyz');
      expect([ready.status, ready.body['checks']]).toMatchObject([503, { postgres: { status: 'fail' } }]);
      expect(JSON.stringify(ready.body)).not.toContain('detail');
      expect(JSON.parse(await lost.operations('/readyz'))).toMatchObject({
        checks: { postgres: { status: 'fail', detail: expect.stringContaining('does not exist') } },
      });
      expect((await lost.request('GET', '/livez')).status).toBe(200);
      const list = await lost.get('short-urls');
      expect([list.status, list.body['type']]).toEqual([503, 'urn:hopcount:problem:service-unavailable']);
      expect(list.headers.get('retry-after')).toBe('1');
    } finally {
      await lost.stop();
    }
  });
});
