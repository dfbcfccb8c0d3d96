import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { adviceFor } from '@hopcount/archive';
import { DAY_MS, HOUR_MS, hourOf, PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase, testS3, type TestS3, waitUntil, wrongMetricNames } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { JobsDeps } from '../jobs/start-jobs.js';
import type { RunningWorker } from '../worker.js';
import { createWorkerMetrics } from '../worker.metrics.js';
import { recordedLog, startTestWorker } from '../worker.spec-helpers.js';
import { archiveJobs, openArchive } from './archive-jobs.js';

const TOPIC = 'worker-archive-spec';

describe.each(['a folder', 'a bucket'])('the worker with an archive in %s', (place) => {
  let s3: TestS3 | undefined;
  let server: TestDatabase;
  let database: Database;
  let root: string;
  let worker: RunningWorker | undefined;

  beforeAll(async () => {
    if (place === 'a bucket') s3 = await testS3();
  }, 400_000);
  afterAll(() => s3?.close());
  beforeEach(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'worker-spec' });
    root = mkdtempSync(join(tmpdir(), 'worker-archive-'));
  });
  afterEach(async () => {
    await worker?.stop();
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  it('seals hours that ended SEAL_AFTER ago though Kafka cannot say what is counted, merges days, and measures it', async () => {
    const ref = { group: `group-${TOPIC}`, topic: TOPIC, partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    const day = hourOf(Date.now()) - 3 * DAY_MS;
    const visits = [0, 1, 5].map((hour) => enrichedVisit({ atMs: day - (day % DAY_MS) + hour * HOUR_MS }));
    visits.push(enrichedVisit());
    const batch = { checkpoint, nextOffset: 4n, lastRecordAtMs: Date.now(), visits };
    await new VisitCommitter(database, { slots: 8 }).commit(batch);
    worker = await startTestWorker({
      topic: TOPIC,
      database: server,
      environment: { ...archiveIn(s3, root), SEAL_AFTER: '2h' },
    });
    const page = async () => (await fetch(`${worker?.opsUrl}/metrics`)).text();
    await waitUntil(async () => /^hopcount_archive_visits\{.*\} 3$/m.test(await page()), {
      describe: 'sealed visits',
      timeoutMs: 120_000,
    });
    const files = () =>
      server.query<{ level: string }>(
        `SELECT level, visits::int, state FROM archive_files ORDER BY state, period_start`,
      );
    // What is sealed is measured before the run that seals has merged it.
    await waitUntil(async () => (await files()).some(({ level }) => level === 'day'), {
      describe: 'a day that is merged',
      timeoutMs: 120_000,
    });
    expect(await files()).toEqual([
      { level: 'day', visits: 3, state: 'active' },
      ...Array.from({ length: 3 }, () => ({ level: 'hour', visits: 1, state: 'replaced' })),
    ]);
    const text = await page();
    expect(wrongMetricNames(text)).toEqual([]);
    expect(text).toMatch(/^hopcount_archive_sealed_visits_total\{.*\} 3$/m);
    expect(text).toMatch(/^hopcount_archive_files\{state="damaged",.*\} 0$/m);
    // As a verification or an api leaves it, which is not what was sealed.
    await server.query(
      `UPDATE archive_files SET state = 'damaged', ended_at = now(), sha256 = sha256('another') WHERE state = 'active'`,
    );
    await waitUntil(async () => /^hopcount_archive_files\{state="damaged",.*\} 1$/m.test(await page()), {
      describe: 'the damaged file in the metric that alerts',
      timeoutMs: 60_000,
    });
  });
});

describe('a damaged file of the archive', () => {
  it('is named by the worker in its log, with what every other surface says to do, and in the metric that alerts', async () => {
    const server = await testDatabase();
    const database = await Database.connect({ url: server.url, applicationName: 'worker-spec' });
    const root = mkdtempSync(join(tmpdir(), 'worker-archive-'));
    const registry = new Registry();
    const { errors, logger } = recordedLog();
    const config = { archiveUrl: root, archiveMemory: 128 };
    const deps = { config, database, metrics: createWorkerMetrics(registry), logger } as unknown as JobsDeps;
    const archive = openArchive(deps)!;
    const measure = archiveJobs(deps, archive).find(({ name }) => name === 'measure-archive')!;
    const damaged = async () => {
      await measure.work(new AbortController().signal);
      return /^hopcount_archive_files\{state="damaged"\} (\d+)$/m.exec(await registry.metrics())?.[1];
    };
    const ref = { group: `group-${TOPIC}`, topic: TOPIC, partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    const visits = [enrichedVisit({ atMs: Date.now() - 3 * DAY_MS })];
    await new VisitCommitter(database, { slots: 8 }).commit({ checkpoint, nextOffset: 1n, lastRecordAtMs: 1, visits });
    const before = Date.now() - DAY_MS;
    await archive.seal(await archive.dueHours(before, 'all'));
    expect([await damaged(), errors]).toEqual(['0', []]);
    const [file] = await server.query<{ path: string }>(`SELECT path FROM archive_files WHERE state = 'active'`);
    appendFileSync(join(root, file!.path), 'x');
    await archive.verify(before);
    const [found] = await archive.manifest.damaged();
    expect([await damaged(), errors]).toEqual(['1', [expect.stringContaining(adviceFor(found!))]]);
    expect(errors[0]).toContain(file!.path);
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });
});

describe('the worker, when visits of many days come late', () => {
  let server: TestDatabase;
  let database: Database;
  let root: string;
  let worker: RunningWorker | undefined;

  beforeEach(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'worker-spec' });
    root = mkdtempSync(join(tmpdir(), 'worker-archive-'));
  });
  afterEach(async () => {
    await worker?.stop();
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  it('seals, aggregates and merges those days by itself, though it looked at all of them just before', async () => {
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const days = Array.from({ length: 25 }, (_, n) => today - (4 + n) * DAY_MS);
    let nextOffset = 0n;
    const commit = async (hour: number) => {
      const ref = { group: `group-${TOPIC}`, topic: TOPIC, partition: 0 };
      const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
      const visits = days.map((day) => enrichedVisit({ atMs: day + hour * HOUR_MS }));
      nextOffset += 25n;
      await new VisitCommitter(database, { slots: 8 }).commit({
        checkpoint,
        nextOffset,
        lastRecordAtMs: Date.now(),
        visits,
      });
    };
    /** Days whose aggregates say what was counted, and files that count. */
    const state = async () => {
      const [row] = await server.query<{ days: number; files: number }>(
        `SELECT (SELECT count(*)::int FROM day_aggregates AS day WHERE scope = 'all' AND class = 'all' AND day.visits = (
             SELECT sum(visits) FROM scope_traffic WHERE scope = 'all' AND bucket >= day_start AND bucket < day_end)) AS days,
           (SELECT count(*)::int FROM archive_files WHERE state = 'active') AS files`,
      );
      return row;
    };
    const upToDate = () =>
      waitUntil(async () => (await state())?.days === 25, { describe: 'every day up to date', timeoutMs: 60_000 });
    await commit(1);
    const environment = { ARCHIVE_URL: root, SEAL_AFTER: '2h', SEAL_INTERVAL_MS: '500' };
    worker = await startTestWorker({ topic: TOPIC, database: server, environment });
    await upToDate();
    await commit(5);
    await commit(9);
    await upToDate();
    // As the time of a burst passes.
    await server.query(`UPDATE archive_files SET sealed_at = sealed_at - interval '6 minutes'`);
    await waitUntil(async () => ((await state())?.files ?? 99) <= 25, { describe: 'few files', timeoutMs: 60_000 });
  });
});

function archiveIn(s3: TestS3 | undefined, folder: string): Record<string, string> {
  if (s3 === undefined) return { ARCHIVE_URL: folder };
  return { ARCHIVE_URL: `s3://${s3.bucket}/worker`, ARCHIVE_CACHE: folder, AWS_ENDPOINT_URL_S3: s3.endpoint };
}
