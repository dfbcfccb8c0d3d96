import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  type TestDatabase,
  testDatabase,
  type TestRedis,
  testRedis,
  type TestTopic,
  testTopic,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type AppProcess, startApiProcess, startGatewayProcess, startWorkerProcess } from '../harness/app-process.js';
import { runCli } from '../harness/cli.js';
import { FailpointFolder } from '../harness/failpoint-folder.js';
import { call } from '../harness/http.js';
import { LinksApi } from '../harness/links.js';

const TEST_MS = 120_000;
const FOLLOWED_WITHIN_MS = 60_000;
const OLD = 'https://example.com/old';
const NEW = 'https://example.com/new';

describe('an edit and a deletion, answered by an api process that then dies', () => {
  let [topic, database, redis, folder]: [TestTopic?, TestDatabase?, TestRedis?, string?] = [];
  let apiKey: string;
  let api: AppProcess;
  const running: AppProcess[] = [];

  beforeEach(async () => {
    [topic, database, redis, folder] = await Promise.all([
      testTopic({ label: 'visits' }),
      testDatabase(),
      testRedis(),
      mkdtemp(join(tmpdir(), 'hopcount-changes-')),
    ]);
    const services = { databaseUrl: database.url, redisUrl: '', kafkaBrokers: '' };
    const { stdout } = await runCli(services, 'api-keys', 'create', '--name', 'spec', '-o', 'json');
    apiKey = (JSON.parse(stdout) as { apiKey: string }).apiKey;
    api = await started(startApiProcess({ database, environment: environment() }));
  });
  afterEach(async () => {
    redis?.thaw();
    await Promise.all(running.splice(0).map((app) => app.stop()));
    await Promise.all([topic?.delete(), database?.drop(), redis?.close(), rm(folder!, { recursive: true })]);
  });

  const environment = () => ({ REDIS_URL: redis!.url, LINK_CHECK_MS: '3000' });
  const started = async (starting: Promise<AppProcess>) => {
    const app = await starting;
    running.push(app);
    await app.ready();
    return app;
  };
  const startGateway = () =>
    started(
      startGatewayProcess({ topic: topic!, database: database!, spoolFolder: folder!, environment: environment() }),
    );
  const change = async (code: string, method: string, body?: object) => {
    const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
    const url = `${api.url}/rest/v3/short-urls/${code}`;
    return (await call(url, { method, headers, body: JSON.stringify(body) })).status;
  };
  const answerOf = async (gateway: AppProcess, code: string) => {
    const { status, headers } = await call(`${gateway.url}/${code}`);
    return status === 302 ? String(headers['location']) : status;
  };
  const untilFollowed = (gateway: AppProcess) =>
    waitUntil(async () => (await answerOf(gateway, 'edited')) === NEW && (await answerOf(gateway, 'deleted')) === 404, {
      timeoutMs: FOLLOWED_WITHIN_MS,
      everyMs: 50,
      describe: 'both changes followed',
    });

  it(
    'are followed by every gateway while Redis is frozen and when it is back with the old copies, and are announced',
    async () => {
      const links = new LinksApi({ apiUrl: api.url, apiKey });
      for (const customSlug of ['edited', 'deleted']) await links.create({ longUrl: OLD, customSlug });
      const gateway = await startGateway();
      for (const code of ['edited', 'deleted']) expect(await answerOf(gateway, code)).toBe(OLD);
      const copies = async () => (await redis!.client.keys('hc:link2:*')).length;
      await waitUntil(async () => (await copies()) === 2, { describe: 'both copies in Redis' });

      redis!.freeze();
      expect([await change('edited', 'PATCH', { longUrl: NEW }), await change('deleted', 'DELETE')]).toEqual([
        200, 204,
      ]);
      api.signal('SIGKILL');
      await api.ended;
      await untilFollowed(gateway);
      redis!.thaw();
      await untilFollowed(gateway);
      await untilFollowed(await startGateway());

      const waiting = async () => Number((await database!.query('SELECT count(*) AS n FROM link_outbox'))[0]?.['n']);
      expect(await waiting()).toBe(2);
      const failpoints = new FailpointFolder(join(folder!, 'failpoints'));
      failpoints.arm('links.after-announce-before-commit', 'kill', 1);
      const dying = await started(
        startWorkerProcess({
          topic: topic!,
          database: database!,
          environment: { ...environment(), HOPCOUNT_FAILPOINTS: failpoints.path },
        }),
      );
      expect(await dying.ended).toBe('SIGKILL');
      expect(await waiting()).toBe(2); // announced, and to be announced once more
      await started(startWorkerProcess({ topic: topic!, database: database!, environment: environment() }));
      await waitUntil(async () => (await waiting()) === 0, { timeoutMs: 20_000, describe: 'no announcement left' });
      await untilFollowed(await startGateway());
    },
    TEST_MS,
  );
});
