import { rmSync } from 'node:fs';

import { decodeOrphanVisit } from '@hopcount/contracts';
import { testDatabase, type TestDatabase, testTopic, type TestTopic, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { gatewayEnvironment, insertLink, startGateway, TEST_DOMAIN, type TestGateway } from './gateway.spec-helpers.js';

const HOME = 'https://example.com/home';

describe('a gateway sends visitors who found nothing', () => {
  let database: TestDatabase;
  let topics: TestTopic[];
  let gateway: TestGateway;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await testDatabase();
    topics = await Promise.all(['visits', 'audits', 'orphans'].map((label) => testTopic({ label })));
    const [topic, audits, orphans] = topics as [TestTopic, TestTopic, TestTopic];
    await insertLink(database, { code: 'plain' });
    await insertLink(database, { code: 'off', settings: { disabled: true } });
    await insertLink(database, { code: 'lesen', domain: 'xn--bcher-kva.example' });
    await database.query(
      `INSERT INTO domains (authority, base_url_redirect, invalid_short_url_redirect)
       VALUES ('go.test', $1, 'https://example.com/{ORIGINAL_PATH}?of={DOMAIN}'), ('loop.test', 'https://go.test/', NULL)`,
      [HOME],
    );
    const more = {
      ACK_TIMEOUT_MS: '20000',
      DEFAULT_BASE_URL_REDIRECT: 'https://example.com/everybody',
      DEFAULT_REGULAR_404_REDIRECT: 'https://example.com/404',
    };
    environment = gatewayEnvironment({ database, topic, audits, orphans, more });
    gateway = await startGateway(environment);
  });
  afterAll(async () => {
    await gateway?.close();
    for (const topic of topics ?? []) await topic.delete();
    await database?.drop();
    rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
  });

  it.each([
    ['go.test', '/', 302, HOME],
    ['go.test', '/nothing?a=b', 302, 'https://example.com/nothing?of=go.test'],
    ['go.test', '/a/b', 302, 'https://example.com/404'],
    ['go.test', '/plain', 302, 'https://example.com/target'],
    ['go.test', '/off', 302, 'https://example.com/off?of=go.test'],
    [TEST_DOMAIN, '/', 302, 'https://example.com/everybody'],
    [TEST_DOMAIN, '/nothing', 404, undefined],
    ['unknown.test', '/', 302, 'https://example.com/everybody'],
    ['loop.test', '/', 404, undefined],
    ['xn--bcher-kva.example', '/lesen', 302, 'https://example.com/target'],
    ['b\u00fccher.example', '/lesen', 302, 'https://example.com/target'],
  ])('of %s%s: %i %s', async (host, path, status, location) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await gateway.ask(path, { method, headers: { host } });
      expect([answer.status, answer.headers.location]).toEqual([status, location]);
      if (path !== '/plain' && path !== '/lesen') expect(answer.headers['x-visit-id']).toBeUndefined();
    }
  });

  it('S10: and answers byte for byte the same for codes that are no links, that are off, and that are of another domain', async () => {
    const answerTo = async (path: string, method: string) => {
      const { headers, ...answer } = await gateway.ask(path, { method, headers: { host: TEST_DOMAIN } });
      return { ...answer, headers: { ...headers, date: '' } };
    };
    for (const method of ['GET', 'HEAD']) {
      const missing = await answerTo('/nothing', method);
      expect(missing.status).toBe(404);
      expect(await answerTo('/off', method)).toEqual(missing);
      expect(await answerTo('/lesen', method)).toEqual(missing);
    }
  });

  it('and records them as it does those who see a page', async () => {
    const recorded = async () =>
      (await topics[2]!.readAll()).map(({ value }) => {
        const decoded = decodeOrphanVisit(value);
        return decoded.outcome === 'ok' ? `${decoded.visit.type} ${decoded.visit.domain}${decoded.visit.path}` : '';
      });
    await gateway.ask('/last', { headers: { host: 'go.test' } });
    await waitUntil(async () => (await recorded()).includes('invalid_short_url go.test/last'), {
      describe: 'the last orphan visit',
    });
    expect((await recorded()).filter((one) => one.includes(' go.test')).sort()).toEqual([
      ...['base_url go.test/', 'invalid_short_url go.test/last', 'invalid_short_url go.test/nothing'],
      ...['invalid_short_url go.test/off', 'regular_404 go.test/a/b'],
    ]);
  });

  it('and tells Shlink’s web client that it is there, on every domain', async () => {
    const headers = { host: 'go.test', origin: 'https://app.example' };
    const answer = await gateway.ask('/rest/v3/health', { headers });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(JSON.parse(answer.body)).toMatchObject({ status: 'pass', version: '5.1.0' });
    const preflight = await gateway.ask('/rest/v3/health', {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-headers': 'x-api-key' },
    });
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, 'x-api-key']);
  });
});
