import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type TestDatabase, testDatabase, type TestTopic, testTopic, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type AppProcess, startApiProcess, startConsumerProcess, startWorkerProcess } from '../harness/app-process.js';
import { runCli, servicesOf, verifyLedger } from '../harness/cli.js';
import { FailpointFolder } from '../harness/failpoint-folder.js';

const TEST_MS = 180_000;
const CONSUMER_POINTS = ['after-poll', 'mid-transaction', 'before-commit', 'after-commit'].map(
  (point) => `consumer.feed-${point}`,
);

/** Built processes, ended with kill -9 between any two steps of a batch of counts. */
describe('counts of hosts', () => {
  let [topic, deadLetters, counts]: (TestTopic | undefined)[] = [];
  let database: TestDatabase;
  let folder: string;
  let failpoints: FailpointFolder;
  let environment: Record<string, string>;
  const running: AppProcess[] = [];

  beforeEach(async () => {
    [topic, deadLetters, counts, database, folder] = await Promise.all([
      testTopic({ label: 'visits' }),
      testTopic({ label: 'letters' }),
      testTopic({ label: 'counts' }),
      testDatabase(),
      mkdtemp(join(tmpdir(), 'hopcount-counts-')),
    ]);
    failpoints = new FailpointFolder(join(folder, 'failpoints'));
    environment = { HOST_COUNTS_TOPIC: counts.name, HOPCOUNT_FAILPOINTS: failpoints.path };
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.stop()));
    const topics = [topic, deadLetters, counts].map((one) => one?.delete());
    await Promise.all([...topics, database.drop(), rm(folder, { recursive: true })]);
  });

  const started = async (starting: Promise<AppProcess>) => {
    const app = await starting;
    running.push(app);
    return app;
  };
  const startApi = async () => {
    const api = await started(startApiProcess({ database, environment }));
    await api.ready();
    return api;
  };
  /** Of a group of its own: it reads the topic from the beginning. */
  const startConsumer = (group: string) =>
    started(
      startConsumerProcess({
        ...{ topic: topic!, deadLetters: deadLetters!, database },
        environment: { ...environment, CONSUMER_GROUP: `${topic!.name}-${group}` },
      }),
    );

  it(
    'are counted once, whichever process is killed where, while the topic is read from the beginning each time',
    async () => {
      const { stdout } = await runCli(servicesOf(database), 'api-keys', 'create', '--name', 'spec', '-o', 'json');
      const { apiKey } = JSON.parse(stdout) as { apiKey: string };
      const feed = (api: AppProcess, key: string, text: string) =>
        fetch(`${api.url}/rest/v3/hosts/counts`, {
          ...{ method: 'POST', body: text },
          headers: { 'x-api-key': apiKey, 'idempotency-key': key, 'content-type': 'text/plain' },
        });
      const stateOf = async (api: AppProcess, key: string) => {
        const url = `${api.url}/rest/v3/hosts/counts/batches/${key}`;
        return ((await (await fetch(url, { headers: { 'x-api-key': apiKey } })).json()) as { state: string }).state;
      };

      failpoints.arm('api.host-counts-published', 'kill', 1);
      const first = await startApi();
      await expect(feed(first, 'no-answer', '1 api.example')).rejects.toThrow();
      expect(await first.ended).toBe('SIGKILL');
      const api = await startApi();
      // Sent again, as it has to be.
      expect((await feed(api, 'no-answer', '1 api.example')).status).toBe(202);

      for (const point of CONSUMER_POINTS) {
        expect((await feed(api, point, `1 ${point}.example\n1 all.example`)).status).toBe(202);
        failpoints.arm(point, 'kill', 1);
        expect(await (await startConsumer(point)).ended).toBe('SIGKILL');
      }
      await startConsumer('last');
      for (const key of ['no-answer', ...CONSUMER_POINTS]) {
        const isCounted = async () => (await stateOf(api, key)) === 'counted';
        await waitUntil(isCounted, { timeoutMs: 60_000, describe: `${key} is counted` });
      }
      const worker = await started(startWorkerProcess({ topic: topic!, database }));
      await worker.ready();
      const waiting = 'SELECT FROM host_changes WHERE folded_at IS NULL';
      const isFolded = async () => (await database.query(waiting)).length === 0;
      await waitUntil(isFolded, { timeoutMs: 60_000, describe: 'all is folded' });
      const sums = await database.query(
        `SELECT name, sum(p - n)::int AS visits FROM host_totals JOIN hosts ON hosts.id = host_id WHERE hosts.kind = 3 GROUP BY 1 ORDER BY 1`,
      );
      const names = CONSUMER_POINTS.map((point) => `example.${point.split('.')[1]!}.consumer`);
      expect(sums).toEqual(
        ['example.all', 'example.api', ...names]
          .sort()
          .map((name) => ({ name, visits: name === 'example.all' ? CONSUMER_POINTS.length : 1 })),
      );
      expect(await verifyLedger(database)).toBe('clean');
    },
    TEST_MS,
  );
});
