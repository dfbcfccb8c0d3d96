import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  buildVisitEvent,
  type TestDatabase,
  testDatabase,
  testApiKey,
  type TestTopic,
  testTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { rssMb } from '../bench/process-usage.js';
import {
  type AppProcess,
  startApiProcess,
  startConsumerProcess,
  startGatewayProcess,
  startWorkerProcess,
} from '../harness/app-process.js';
import { call } from '../harness/http.js';
import { SilentClients } from '../harness/silent-clients.js';

const START_MS = 120_000;
const HOST = 'unread.test';
const LINKS = 10_000;
const VISITS = 5_000;
/** What a link's target may be long: the exports and lists are as large as they come. */
const TARGET_CHARACTERS = 300;
const CROWD = { connections: 4, requests: 1_400 };
/** Above the memory of the idle process; without a bound it is gigabytes. */
const MOST_MB = 50;
/** V8 may grow its heap in one of them. */
const ATTEMPTS = 3;
/** How long the memory is watched: answers would be made by then, and kept. */
const WATCHED_MS = 2_500;
const STEP_MS = 50;
/** Of the same number of clients that do read: what answering so many at once takes is no answer that is kept. */
const WARM_UP = 6;

const APPS = ['gateway', 'api', 'consumer', 'worker'] as const;
type App = (typeof APPS)[number];
type Port = 'url' | 'opsUrl';

const of = (app: App, ...paths: string[]) => paths.map((path) => ({ app, port: 'url' as const, path }));
const DAYS = 'startDate=2026-01-01&endDate=2026-12-31';

const LARGE: { app: App; port: Port; path: string; crowd?: typeof CROWD }[] = [
  ...of('gateway', '/robots.txt', '/none', '/code-1'),
  ...of('api', '/rest/openapi.json', '/rest/docs/yaml', '/rest/docs/static/swagger-ui-bundle.js', '/', '/invite'),
  ...of('api', '/rest/v3/exports/links?format=csv', '/rest/v3/exports/links?format=jsonl', '/rest/v3/exports/visits'),
  ...of('api', '/rest/v3/short-urls?itemsPerPage=5000', '/rest/v3/visits/non-orphan?itemsPerPage=5000'),
  ...of(
    'api',
    '/rest/v3/short-urls/code-1/qr-code?size=1000',
    '/rest/v3/short-urls/code-1/qr-code?size=1000&format=svg',
  ),
  // The pixels of a picture are 6 MB until they are packed.
  {
    app: 'api',
    port: 'url',
    path: '/rest/v3/short-urls/code-1/qr-code?size=1000&margin=200',
    crowd: { connections: 300, requests: 1 },
  },
  ...of('api', `/rest/v3/statistics/series?interval=hour&${DAYS}`, `/rest/v3/statistics/links?${DAYS}`),
  ...of('api', '/rest/v3/statistics/live/stream', '/rest/v3/hosts/alerts/stream'),
  ...APPS.map((app) => ({ app, port: 'opsUrl' as const, path: '/metrics' })),
];

/** As an attacker would, or a client that hangs: whatever is asked, what is made of it waits for the client. */
describe('clients that send requests and never read an answer', () => {
  let [database, topic, letters]: [TestDatabase?, TestTopic?, TestTopic?] = [];
  let folder: string;
  let key: string;
  const apps = new Map<App, AppProcess>();
  const clients = new SilentClients();

  beforeAll(async () => {
    [database, topic, letters, folder] = await Promise.all([
      testDatabase(),
      testTopic({ partitions: 1, label: 'visits' }),
      testTopic({ partitions: 1, label: 'letters' }),
      mkdtemp(join(tmpdir(), 'hopcount-unread-')),
    ]);
    await makeLinks(database);
    ({ key } = await testApiKey(database));
    const parts = { database, topic, deadLetters: letters, spoolFolder: folder };
    for (const [app, starting] of [
      ['gateway', startGatewayProcess({ ...parts, environment: { DEFAULT_DOMAIN: HOST } })],
      ['api', startApiProcess({ database, environment: { DEFAULT_DOMAIN: HOST, VISITS_TOPIC: topic.name } })],
      ['consumer', startConsumerProcess(parts)],
      ['worker', startWorkerProcess(parts)],
    ] as const) {
      apps.set(app, await starting);
    }
    await Promise.all([...apps.values()].map((app) => app.ready()));
    await makeVisits(topic, (apps.get('api') as AppProcess).url, { 'x-api-key': key });
  }, START_MS);
  afterAll(async () => {
    clients.leave();
    await Promise.all([...apps.values()].map((app) => app.stop()));
    await Promise.all([topic?.delete(), letters?.delete(), database?.drop(), rm(folder, { recursive: true })]);
  });

  it.each(LARGE.map((row) => ({ crowd: CROWD, ...row })))(
    'take a bounded part of the memory of the $app ($path, $crowd.connections connections), which serves others meanwhile',
    async (asked) => {
      const app = apps.get(asked.app) as AppProcess;
      const url = app[asked.port ?? 'url'];
      const headers = {
        host: asked.app === 'gateway' ? HOST : new URL(url).host,
        'x-api-key': key,
        accept: 'text/html, */*',
      };
      const ask = asked.path.endsWith('/stream') ? expectStream : expectAnswer;
      for (let n = 0; n < WARM_UP; n += 1) {
        const readers = Array.from({ length: CROWD.connections }, () => ask(`${url}${asked.path}`, headers));
        await Promise.all(readers);
      }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const grewMb: number[] = [];
      do {
        const idleMb = rssMb(app.pid);
        await clients.ask(url, `GET ${asked.path} HTTP/1.1\r\n${lines.join('')}\r\n`, asked.crowd);
        grewMb.push((await mostMb(app)) - idleMb);
        expect((await call(`${app.opsUrl}/livez`)).status).toBe(200);
        expect((await call(`${app.url}/livez`)).status).toBe(200);
        clients.leave();
      } while (grewMb.length < ATTEMPTS && (grewMb.at(-1) ?? 0) >= MOST_MB);
      expect(Math.min(...grewMb)).toBeLessThan(MOST_MB);
    },
  );
});

async function mostMb({ pid }: AppProcess): Promise<number> {
  let most = 0;
  for (let ms = 0; ms < WATCHED_MS; ms += STEP_MS) {
    most = Math.max(most, rssMb(pid));
    await sleep(STEP_MS);
  }
  return most;
}

/** 503 means busy: one export of a key at a time, and a machine that has more to do than these tests. */
async function expectAnswer(url: string, headers: Record<string, string>): Promise<void> {
  const isAnswered = async () => {
    const { status, body } = await call(url, { headers });
    if (![200, 302, 404, 503].includes(status)) throw new Error(`${url} answered ${status}: ${body}`);
    return status !== 503;
  };
  await waitUntil(isAnswered, { describe: `an answer of ${url}`, timeoutMs: 60_000 });
}

async function expectStream(url: string, headers: Record<string, string>): Promise<void> {
  const stop = new AbortController();
  const { status } = await fetch(url, { headers, signal: stop.signal });
  stop.abort();
  expect([url, status]).toEqual([url, 200]);
}

async function makeLinks(database: TestDatabase): Promise<void> {
  await database.query('INSERT INTO domains (authority, is_default) VALUES ($1, true)', [HOST]);
  await database.query(
    `INSERT INTO links (id, domain_id, code, long_url, crawlable)
     SELECT n, (SELECT id FROM domains WHERE authority = $1), 'code-' || n, rpad('https://example.com/' || n || '/', $3, 'x'), true
     FROM generate_series(1, $2) n`,
    [HOST, LINKS, TARGET_CHARACTERS],
  );
}

async function makeVisits(topic: TestTopic, apiUrl: string, headers: Record<string, string>): Promise<void> {
  const about = { linkId: '1', domain: HOST, code: 'code-1' };
  await topic.produce(Array.from({ length: VISITS }, () => visitRecord(buildVisitEvent(about))));
  const isCounted = async () => {
    const { body } = await call(`${apiUrl}/rest/v3/visits`, { headers });
    return (
      (JSON.parse(body) as { visits: { nonOrphanVisits: { total: number } } }).visits.nonOrphanVisits.total === VISITS
    );
  };
  await waitUntil(isCounted, { timeoutMs: 60_000, everyMs: 200, describe: 'the visits are counted' });
}
