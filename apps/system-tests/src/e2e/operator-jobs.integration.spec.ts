import { setTimeout as sleep } from 'node:timers/promises';

import type { Job } from '@hopcount/contracts';
import { type TestDatabase, testDatabase, type TestTopic, testTopic, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type AppProcess, startApiProcess, startWorkerProcess } from '../harness/app-process.js';
import { runCli, servicesOf } from '../harness/cli.js';
import { call } from '../harness/http.js';

const TEST_MS = 180_000;
const LINKS = 1_000;
/** So that the job is still running when the last api asks. */
const RATE_PER_SECOND = 15;
/** A worker lets go of its job within two seconds. */
const RELEASED_MS = 4_000;

describe('a job that was started over REST', () => {
  let database: TestDatabase;
  let topic: TestTopic;
  let apiKey: string;
  let api: AppProcess;
  const running: AppProcess[] = [];

  beforeEach(async () => {
    [database, topic] = await Promise.all([testDatabase(), testTopic({ label: 'visits' })]);
    const { stdout } = await runCli(servicesOf(database), 'api-keys', 'create', '--name', 'spec', '-o', 'json');
    apiKey = (JSON.parse(stdout) as { apiKey: string }).apiKey;
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.stop()));
    await Promise.all([database.drop(), topic.delete()]);
  });

  const started = async (starting: Promise<AppProcess>) => {
    const app = await starting;
    running.push(app);
    await app.ready();
    return app;
  };
  const startApi = async () => void (api = await started(startApiProcess({ database })));
  const killApi = async () => {
    api.signal('SIGKILL');
    expect(await api.ended).toBe('SIGKILL');
  };
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
    const answer = await call(`${api.url}/rest/v3/jobs${path}`, { method, headers, body: JSON.stringify(body) });
    expect([answer.status, path]).toEqual([200, path]);
    return JSON.parse(answer.body) as Job;
  };
  /** Links whose number is right by now. */
  const corrected = async () => {
    const [wrong] = await database.query<{ links: number }>(
      'SELECT count(*)::int AS links FROM link_traffic WHERE visits = 3',
    );
    return LINKS - wrong!.links;
  };
  const untilMoreThan = (links: number) =>
    waitUntil(async () => (await corrected()) > links, { timeoutMs: 60_000, describe: `more than ${links} links` });
  const untilReleased = async () => {
    await sleep(RELEASED_MS);
    const before = await corrected();
    await sleep(RELEASED_MS / 2);
    expect(await corrected()).toBe(before);
    return before;
  };

  it(
    'continues while its api is killed, and the next api reads, pauses, resumes and cancels it',
    async () => {
      // Numbers without visits: a rebuild takes them away.
      await database.query(
        `INSERT INTO link_traffic
         SELECT id, date_bin('15 minutes', now() - interval '3 days', '2000-01-01Z'), 0, 0, 3, 0 FROM generate_series(1, $1::int) AS id`,
        [LINKS],
      );
      await startApi();
      await started(startWorkerProcess({ topic, database }));
      const { id } = await ask('POST', '', { kind: 'rebuild', ratePerSecond: RATE_PER_SECOND });
      const isPlanned = async () => (await ask('GET', `/${id}`)).state === 'planned';
      await waitUntil(isPlanned, { timeoutMs: 60_000, describe: 'a plan' });
      await ask('POST', `/${id}/start`);
      await untilMoreThan(0);

      await killApi();
      const atKill = await corrected();
      await untilMoreThan(atKill + 2 * RATE_PER_SECOND);
      await startApi();
      const job = await ask('GET', `/${id}`);
      expect(job).toMatchObject({ state: 'running', isHeld: true, step: 'links', error: null });
      expect(job.counts['links']).toBeGreaterThan(atKill);

      expect(await ask('POST', `/${id}/pause`)).toMatchObject({ state: 'paused' });
      await killApi();
      const atPause = await untilReleased();
      await startApi();
      expect(await ask('GET', `/${id}`)).toMatchObject({ state: 'paused', isHeld: false });
      expect(await ask('POST', `/${id}/resume`)).toMatchObject({ state: 'running' });
      await untilMoreThan(atPause);

      await killApi();
      await startApi();
      expect(await ask('POST', `/${id}/cancel`)).toMatchObject({ state: 'cancelled' });
      expect(await untilReleased()).toBeLessThan(LINKS);
      expect(await ask('GET', `/${id}`)).toMatchObject({ state: 'cancelled', isHeld: false });
      expect(await database.query('SELECT command, outcome, error FROM operator_actions')).toEqual([
        { command: 'rebuild', outcome: 'failed', error: expect.stringMatching(/^Cancelled by /) },
      ]);
    },
    TEST_MS,
  );
});
