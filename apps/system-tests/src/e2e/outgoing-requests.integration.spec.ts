import type { IncomingMessage, ServerResponse } from 'node:http';

import {
  serviceAddress,
  type TestDatabase,
  testDatabase,
  type TestTopic,
  testTopic,
  waitUntil,
} from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type AppProcess, startApiProcess, startWorkerProcess } from '../harness/app-process.js';
import { runCliWith } from '../harness/cli.js';
import { call } from '../harness/http.js';
import { PUBLIC, TestInternet } from '../harness/internet/test-internet.js';

const START_MS = 120_000;
const KEY = 'the key of another installation';

const NAMES = {
  'public.hopcount-spec.net': [[PUBLIC]],
  'inside.hopcount-spec.net': [['127.0.0.1']],
  'one-of-two.hopcount-spec.net': [[PUBLIC, '10.0.0.5']],
  'mapped.hopcount-spec.net': [['::ffff:7f00:1']],
  'metadata.hopcount-spec.net': [['169.254.169.254']],
  // Public when it is judged, private to whoever asks again.
  'rebinding.hopcount-spec.net': [[PUBLIC], ['127.0.0.1']],
};
const REDIRECTS: Record<string, string> = {
  '/to-private': 'http://127.0.0.1/',
  '/to-decimal': 'http://2130706433/',
  '/to-mapped': 'http://[::ffff:127.0.0.1]/',
  '/to-name': 'http://inside.hopcount-spec.net/',
  '/to-file': 'file:///etc/passwd',
  '/to-safe': 'https://public.hopcount-spec.net/safe',
  '/there': 'http://127.0.0.1/rest/v3/short-urls',
};
const SHLINK_PAGE = {
  data: [{ shortCode: 'theirs', longUrl: 'https://example.com/theirs' }],
  pagination: { pagesCount: 1 },
};

/** Built processes on another internet: what is asked, and what is not. */
describe('requests that leave for addresses of strangers', () => {
  let [internet, database, topic]: [TestInternet?, TestDatabase?, TestTopic?] = [];
  let [api, worker]: [AppProcess?, AppProcess?] = [];
  let headers: Record<string, string>;
  let settings: Record<string, string>;
  const keysSeen: unknown[] = [];

  const outside = ({ url = '', headers: sent }: IncomingMessage, response: ServerResponse) => {
    const path = url.split('?')[0] ?? '';
    if (path === '/rest/v3/short-urls') {
      keysSeen.push(sent['x-api-key']);
      const isThere = sent.host === 'public.hopcount-spec.net';
      if (!isThere) return void response.writeHead(302, { location: REDIRECTS['/there'] }).end();
      return void response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ shortUrls: SHLINK_PAGE }));
    }
    const location = REDIRECTS[path];
    if (location !== undefined) return void response.writeHead(302, { location }).end();
    response.setHeader('content-type', 'text/html').end(`<title>Page ${sent.host}${url}</title>`);
  };

  beforeAll(async () => {
    [internet, database, topic] = await Promise.all([
      TestInternet.start(NAMES, 'public.hopcount-spec.net', outside),
      testDatabase(),
      testTopic({ label: 'visits' }),
    ]);
    settings = { ...internet.environment, AUTO_RESOLVE_TITLES: 'true' };
    [api, worker] = await Promise.all([
      startApiProcess({ database, environment: settings }),
      startWorkerProcess({ topic, database, environment: settings }),
    ]);
    const key = await cli('api-keys', 'create', '--name', 'test', '--scope', 'admin', '-o', 'json');
    headers = { 'x-api-key': /hc_live_\w+/.exec(key.stdout)?.[0] ?? key.stderr, 'content-type': 'application/json' };
    await Promise.all([api.ready(), worker.ready()]);
  }, START_MS);
  afterAll(async () => {
    await Promise.all([api?.stop(), worker?.stop()]);
    internet?.stop();
    await Promise.all([topic?.delete(), database?.drop()]);
  }, START_MS);

  const cli = (...args: string[]) =>
    runCliWith(
      {
        ...{ ...settings, DATABASE_URL: database!.url, REDIS_URL: serviceAddress('REDIS_URL') },
        ...{ KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS'), HOPCOUNT_IMPORT_KEY: KEY },
      },
      ...args,
    );
  const create = async (longUrl: string) => {
    const body = JSON.stringify({ longUrl });
    const answer = await call(`${api!.url}/rest/v3/short-urls`, { method: 'POST', headers, body });
    return (JSON.parse(answer.body) as { shortCode: string }).shortCode;
  };
  const read = async (code: string) =>
    JSON.parse((await call(`${api!.url}/rest/v3/short-urls/${code}`, { headers })).body) as Record<string, unknown>;

  it(
    'S17: for titles reach public pages by http and https, and no private address, however it is called',
    async () => {
      const titles: Record<string, string | null> = {
        'http://public.hopcount-spec.net/': 'Page public.hopcount-spec.net/',
        'https://public.hopcount-spec.net/': 'Page public.hopcount-spec.net/',
        'http://public.hopcount-spec.net/to-safe': 'Page public.hopcount-spec.net/safe',
        'http://rebinding.hopcount-spec.net/': 'Page rebinding.hopcount-spec.net/',
        ...Object.fromEntries(
          ['/to-private', '/to-decimal', '/to-mapped', '/to-name', '/to-file'].map((path) => [
            `http://public.hopcount-spec.net${path}`,
            null,
          ]),
        ),
        ...Object.fromEntries(
          ['inside', 'one-of-two', 'mapped', 'metadata'].map((name) => [`http://${name}.hopcount-spec.net/`, null]),
        ),
      };
      const codes = new Map<string, string>();
      for (const longUrl of Object.keys(titles)) codes.set(longUrl, await create(longUrl));
      const waiting = () => database!.query('SELECT FROM link_titles WHERE due_at IS NOT NULL');
      await waitUntil(async () => (await waiting()).length === 0, { timeoutMs: 30_000, describe: 'no title is due' });
      const found: Record<string, unknown> = {};
      for (const [longUrl, code] of codes) found[longUrl] = (await read(code))['title'];
      expect(found).toEqual(titles);
      expect(internet!.insideAsked).toEqual([]);
    },
    START_MS,
  );

  it(
    'for imports bring the links of another installation over https, with its key, which nobody else is given',
    async () => {
      const imported = await cli('import', 'https://public.hopcount-spec.net', '--from', 'shlink', '--execute');
      expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)]);
      expect(await read('theirs')).toMatchObject({ longUrl: 'https://example.com/theirs' });
      expect(keysSeen).toEqual([KEY]);
      const refused = await cli('import', 'http://rebinding.hopcount-spec.net', '--from', 'shlink', '--execute');
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('not on the public internet')]);
      expect(internet!.insideAsked).toEqual([]);
    },
    START_MS,
  );
});
