import { mkdtemp, rm, writeFile } from 'node:fs/promises';
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

import { type AppProcess, startApiProcess, startWorkerProcess } from '../harness/app-process.js';
import { runCli } from '../harness/cli.js';
import { FailpointFolder } from '../harness/failpoint-folder.js';

const LINKS = 1_700;
const VISITS = 600;
const ROWS = LINKS + VISITS;

describe('an import whose worker is killed', () => {
  let [topic, database, redis, folder]: [TestTopic?, TestDatabase?, TestRedis?, string?] = [];
  let failpoints: FailpointFolder;
  let api: AppProcess | undefined;

  beforeEach(async () => {
    [topic, database, redis, folder] = await Promise.all([
      testTopic({ label: 'visits' }),
      testDatabase(),
      testRedis(),
      mkdtemp(join(tmpdir(), 'hopcount-imports-')),
    ]);
    failpoints = new FailpointFolder(join(folder, 'failpoints'));
    // Files the default domain, as on every installation.
    api = await startApiProcess({ database });
    await api.ready();
  });
  afterEach(async () => {
    await api?.stop();
    await Promise.all([topic?.delete(), database?.drop(), redis?.close(), rm(folder!, { recursive: true })]);
  });

  it('before and after a COMMIT goes on with the next worker, and each link and visit is there once', async () => {
    const file = join(folder!, 'links.csv');
    const links = Array.from(
      { length: LINKS },
      (_, n) => `https://example.com/${n},${n % 2 === 0 ? `code-${n}` : ''},`,
    );
    // Twenty of a kind, over two chunks, in a month nobody made yet.
    const visits = Array.from({ length: VISITS }, (_, n) => `,code-0,2025-03-04T05:06:${10 + (n % 30)}Z`);
    await writeFile(file, ['longUrl,shortCode,date', ...links, ...visits, ''].join('\n'));
    const services = { databaseUrl: database!.url, redisUrl: '', kafkaBrokers: '' };
    await runCli(services, 'import', file, '--from', 'csv', '--no-wait', '--execute');
    const environment = { HOPCOUNT_FAILPOINTS: failpoints.path, REDIS_URL: redis!.url };
    for (const [point, nth] of [
      ['import.before-commit', 2],
      ['import.visits-counted', 1],
      ['import.after-chunk', 1],
    ] as const) {
      failpoints.arm(point, 'kill', nth);
      const worker = await startWorkerProcess({ topic: topic!, database: database!, environment });
      await waitUntil(() => failpoints.fired(point) > 0, { describe: `${point} to fire`, timeoutMs: 30_000 });
      await worker.stop();
      // The lease of the job that was killed lasts 30 s; what the next worker does without it is the same.
      await redis!.client.flushall();
    }
    const last = await startWorkerProcess({ topic: topic!, database: database!, environment });
    const read = async () =>
      (
        await database!.query(
          'SELECT state, rows_done, created, updated, existing, visits, existing_visits, skipped FROM imports',
        )
      )[0];
    await waitUntil(async () => ((await read()) as { state: string }).state === 'done', {
      describe: 'the import to end',
      timeoutMs: 60_000,
    });
    await last.stop();
    expect(await read()).toEqual({
      state: 'done',
      rows_done: `${ROWS}`,
      created: `${ROWS}`,
      updated: '0',
      existing: '0',
      visits: `${VISITS}`,
      existing_visits: '0',
      skipped: '0',
    });
    const [counted] = await database!.query(
      'SELECT count(*)::int AS links, count(DISTINCT long_url)::int AS urls FROM links',
    );
    expect(counted).toEqual({ links: LINKS, urls: LINKS });
    const [visited] = await database!.query(
      `SELECT (SELECT count(*)::int FROM visits) AS rows, (SELECT sum(visits)::int FROM link_traffic) AS counted,
         (SELECT count(*)::int FROM import_identities) AS identities`,
    );
    expect(visited).toEqual({ rows: VISITS, counted: VISITS, identities: 0 });
  }, 120_000);
});
