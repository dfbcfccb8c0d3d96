import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { DEAD_LETTER_HEADERS, JOB_KINDS, type JobKind } from '@hopcount/contracts';
import { OperatorJobs, PartitionCheckpoints, StatisticsVerifier, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import {
  buildVisitEvent,
  serviceAddress,
  startSourceProcess,
  testDatabase,
  type TestDatabase,
  testTopic,
  type TestTopic,
  visitRecord,
  waitUntil,
} from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { RunningWorker } from '../worker.js';
import { startTestWorker } from '../worker.spec-helpers.js';

const LINKS = 500;
const DAMAGE = 'UPDATE link_traffic SET visits = visits + 3';

let server: TestDatabase;
let database: Database;
let jobs: OperatorJobs;
let visits: TestTopic;
let letters: TestTopic;
const workers: RunningWorker[] = [];

beforeEach(async () => {
  [server, visits, letters] = await Promise.all([
    testDatabase(),
    testTopic({ partitions: 1, label: 'visits' }),
    testTopic({ partitions: 1, label: 'letters' }),
  ]);
  database = await Database.connect({ url: server.url, applicationName: 'operator-jobs-spec' });
  jobs = new OperatorJobs(database);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await database.close();
  await Promise.all([server.drop(), visits.delete(), letters.delete()]);
});

const start = async () =>
  void workers.push(
    await startTestWorker({
      topic: visits.name,
      database: server,
      environment: { DEAD_LETTER_TOPIC: letters.name },
    }),
  );

/** One visit of each link, all sums made. */
async function countVisits(): Promise<void> {
  const ref = { group: `group-${visits.name}`, topic: visits.name, partition: 0 };
  const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
  const atMs = Date.now() - 3 * 86_400_000;
  const rows = Array.from({ length: LINKS }, (_, nth) => enrichedVisit({ atMs, linkId: String(nth + 1) }));
  await new VisitCommitter(database, { slots: 8 }).commit({
    ...{ checkpoint, nextOffset: BigInt(LINKS), lastRecordAtMs: atMs, visits: rows },
  });
}
const differences = async () => (await new StatisticsVerifier(database).verify()).differences.length;
const reach = (id: string, ...states: string[]) =>
  waitUntil(async () => states.includes((await jobs.get(id)).state), {
    describe: `job ${id} to be ${states.join(' or ')}`,
    timeoutMs: 60_000,
  });
async function planned(kind: JobKind, parameters = {}) {
  const { id } = await jobs.add(kind, parameters, 'spec');
  await reach(id, 'planned', 'failed');
  return jobs.get(id);
}

/** A worker in a process of its own, which the failpoint kills. @returns the signal that ended it */
async function killedAt(point: string, nth: number): Promise<unknown> {
  const failpoints = mkdtempSync(join(tmpdir(), 'failpoints-'));
  writeFileSync(join(failpoints, point), `kill:${nth}`);
  const environment = {
    ...{ HOPCOUNT_FAILPOINTS: failpoints, DATABASE_URL: server.url, OPS_PORT: '0', LOG_LEVEL: 'fatal' },
    ...{ KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS'), REDIS_URL: serviceAddress('REDIS_URL') },
    ...{ VISITS_TOPIC: visits.name, DEAD_LETTER_TOPIC: letters.name, CONSUMER_GROUP: `group-${visits.name}` },
    AUDIT_TOPIC: `${visits.name}.no-audits`,
  };
  const child = startSourceProcess(
    `import { armFailpoints, parseConfig } from '@hopcount/runtime';
     import { startWorker } from './apps/worker/src/worker.js';
     import { workerConfigSchema } from './apps/worker/src/worker.config.js';
     armFailpoints(process.env);
     await startWorker(parseConfig(workerConfigSchema, process.env));`,
    { environment },
  );
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)));
  rmSync(failpoints, { recursive: true });
  expect(output).toBe('');
  return signal;
}
/** As if a minute had passed. */
const silence = () => server.query(`UPDATE operator_jobs SET heard_at = heard_at - interval '2 minutes'`);

describe('a job of an operator', () => {
  it('says what a rebuild would change, changes it when started, and leaves word in the audit of operators', async () => {
    await countVisits();
    await start();
    await server.query(DAMAGE);
    const job = await planned('rebuild');
    expect(job).toMatchObject({ state: 'planned', plan: { differences: expect.any(Number) } });
    expect(job.plan?.['differences']).toBeGreaterThanOrEqual(LINKS);
    expect(await server.query('SELECT FROM operator_actions')).toHaveLength(0);
    await jobs.start(job.id, 'an operator');
    await reach(job.id, 'done', 'mismatch', 'failed');
    expect(await jobs.get(job.id)).toMatchObject({
      ...{ state: 'done', error: null, isHeld: false },
      counts: { links: LINKS, buckets: LINKS, differencesLeft: 0 },
    });
    expect(await differences()).toBe(0);
    expect(await server.query('SELECT command, operator, outcome FROM operator_actions')).toEqual([
      { command: 'rebuild', operator: 'an operator', outcome: 'done' },
    ]);
  });

  it.each([
    ['rebuild-chunk-done', 2],
    ['rebuild-step-done', 3],
  ])('is continued at its checkpoint by the next worker when one is killed at %s', async (point, nth) => {
    await countVisits();
    await server.query(DAMAGE);
    const { id } = await jobs.add('rebuild', {}, 'spec');
    await start();
    await reach(id, 'planned');
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await jobs.start(id, 'spec');
    expect(await killedAt(point, nth)).toBe('SIGKILL');
    const [left] = await server.query<{ checkpoint: { lastLink: string; steps: number } }>(
      'SELECT checkpoint FROM operator_jobs',
    );
    // What was committed last is not in the checkpoint: it is made again, and finds nothing to add.
    expect(left?.checkpoint).toMatchObject(
      point === 'rebuild-chunk-done' ? { lastLink: '200', steps: 0 } : { lastLink: '500', steps: 2 },
    );
    await silence();
    await start();
    await reach(id, 'done', 'mismatch', 'failed');
    expect(await jobs.get(id)).toMatchObject({ state: 'done', error: null, counts: { differencesLeft: 0 } });
    expect(await differences()).toBe(0);
    expect(await server.query('SELECT sum(visits)::integer AS visits FROM link_traffic')).toEqual([{ visits: LINKS }]);
  });

  it('pauses, resumes, and does not start while another job of its kind runs', async () => {
    await countVisits();
    await server.query(DAMAGE);
    await start();
    const slow = await planned('rebuild', { ratePerSecond: 50 });
    const other = await planned('rebuild');
    await jobs.start(slow.id, 'spec');
    await expect(jobs.start(other.id, 'spec')).rejects.toMatchObject({ code: 'job-conflict' });
    const kept = async () => (await jobs.get(slow.id)).counts['links'] ?? 0;
    await waitUntil(async () => (await kept()) >= 50, { describe: 'a checkpoint', timeoutMs: 30_000 });
    await jobs.pause(slow.id);
    // Its worker lets go of it within two seconds: then no link is corrected any more.
    const corrected = () => server.query('SELECT FROM link_traffic WHERE visits = 1').then((rows) => rows.length);
    await sleep(3_000);
    const atPause = await corrected();
    await sleep(3_000);
    expect([await corrected(), (await jobs.get(slow.id)).state]).toEqual([atPause, 'paused']);
    expect(atPause).toBeLessThan(LINKS);
    await jobs.resume(slow.id);
    await reach(slow.id, 'done', 'mismatch', 'failed');
    expect(await jobs.get(slow.id)).toMatchObject({ state: 'done', counts: { links: LINKS, differencesLeft: 0 } });
    await jobs.cancel(other.id, 'spec');
    await expect(jobs.start(other.id, 'spec')).rejects.toMatchObject({ code: 'job-conflict' });
    expect(await differences()).toBe(0);
  });

  it('sends dead letters again after a kill, each visit counted once, and says whether the count changed as expected', async () => {
    const events = Array.from({ length: 3 }, () => buildVisitEvent());
    const letter = (event: (typeof events)[number]) => ({
      ...visitRecord(event),
      partition: 0,
      headers: {
        [DEAD_LETTER_HEADERS.reason]: 'unstorable',
        [DEAD_LETTER_HEADERS.step]: 'commitVisits',
        [DEAD_LETTER_HEADERS.originalTopic]: visits.name,
      },
    });
    await letters.produce(events.map(letter));
    await start();
    const job = await planned('redrive');
    expect(job).toMatchObject({ state: 'planned', plan: { letters: 3, expectedCountChange: 3 } });
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await jobs.start(job.id, 'spec');
    expect(await killedAt('redrive-letters-sent', 1)).toBe('SIGKILL');
    // One more comes: it was not in the plan's letters.
    await letters.produce([letter(buildVisitEvent())]);
    // What the consumer does.
    const ref = { group: `group-${visits.name}`, topic: visits.name, partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    const [end] = await server.query<{ n: number }>(`SELECT count(*)::integer AS n FROM dead_letter_states`);
    await new VisitCommitter(database, { slots: 8 }).commit({
      ...{ checkpoint, nextOffset: 3n, lastRecordAtMs: Date.now() },
      visits: events.map(({ eventId, linkId }) => enrichedVisit({ eventId, linkId })),
    });
    await silence();
    await start();
    await reach(job.id, 'done', 'mismatch', 'failed');
    expect(end).toEqual({ n: 3 });
    expect(await jobs.get(job.id)).toMatchObject({ state: 'done', error: null });
    expect(await server.query('SELECT count(*)::integer AS visits FROM visits')).toEqual([{ visits: 3 }]);
  });

  it('replays what the ledger lacks after a kill, each visit counted once', async () => {
    const events = Array.from({ length: 3 }, () => buildVisitEvent());
    await visits.produce(events.map((event) => ({ ...visitRecord(event), partition: 0 })));
    const ref = { group: `group-${visits.name}`, topic: visits.name, partition: 0 };
    const owned = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    // As if a consumer had passed two of them without counting them.
    const committer = new VisitCommitter(database, { slots: 8 });
    const commit = (nextOffset: bigint, counted: typeof events) =>
      committer.commit({
        ...{ checkpoint: owned, nextOffset, lastRecordAtMs: Date.now() },
        visits: counted.map(({ eventId, linkId }) => enrichedVisit({ eventId, linkId })),
      });
    await commit(3n, events.slice(0, 1));
    await start();
    const job = await planned('replay', { lastHours: 1 });
    expect(job.plan).toMatchObject({ records: 3, counted: 1, missing: 2, expectedCountChange: 2 });
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await jobs.start(job.id, 'spec');
    expect(await killedAt('replay-records-taken', 1)).toBe('SIGKILL');
    await silence();
    await start();
    // Sent twice, once by each worker: the consumer reads both copies.
    const end = async () => (await visits.offsets())[0]?.high;
    await waitUntil(async () => (await end()) === '7', { describe: 'copies', timeoutMs: 60_000 });
    const again = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    await committer.commit({
      ...{ checkpoint: again, nextOffset: 7n, lastRecordAtMs: Date.now() },
      visits: [...events, ...events.slice(1)].map(({ eventId, linkId }) => enrichedVisit({ eventId, linkId })),
    });
    await reach(job.id, 'done', 'mismatch', 'failed');
    expect(await jobs.get(job.id)).toMatchObject({
      ...{ state: 'done', error: null },
      counts: { expectedCountChange: 2, actualCountChange: 2 },
    });
    expect(await server.query('SELECT count(*)::integer AS visits FROM visits')).toEqual([{ visits: 3 }]);
  });

  it('sends nothing more soon after it was cancelled, however slowly it was to send', async () => {
    const headers = {
      [DEAD_LETTER_HEADERS.reason]: 'unstorable',
      [DEAD_LETTER_HEADERS.step]: 'commitVisits',
      [DEAD_LETTER_HEADERS.originalTopic]: visits.name,
    };
    const letter = () => ({ ...visitRecord(buildVisitEvent()), partition: 0, headers });
    await letters.produce(Array.from({ length: 200 }, letter));
    await start();
    const { id } = await planned('redrive', { ratePerSecond: 5 });
    await jobs.start(id, 'spec');
    const sent = async () => Number((await visits.offsets())[0]?.high);
    await waitUntil(async () => (await sent()) > 2, { describe: 'the first letters', timeoutMs: 60_000 });
    await jobs.cancel(id, 'spec');
    await sleep(4_000);
    const afterwards = await sent();
    await sleep(3_000);
    expect([await sent(), afterwards < 200]).toEqual([afterwards, true]);
  });

  it('replays the hours before it was asked for, not before it was started', async () => {
    await visits.produce([{ ...visitRecord(buildVisitEvent()), partition: 0 }]);
    const { id } = await jobs.add('replay', { lastHours: 1 }, 'spec');
    await server.query(`UPDATE operator_jobs SET created_at = now() + interval '2 hours'`);
    await start();
    await reach(id, 'planned', 'failed');
    expect((await jobs.get(id)).plan).toMatchObject({ records: 0 });
  });

  it.each(JOB_KINDS)('of kind %s can be planned', async (kind) => {
    await start();
    const { state, error } = await planned(kind, kind === 'replay' ? { lastHours: 1 } : {});
    expect([state, error]).toEqual(
      kind === 'seal' ? ['failed', expect.stringContaining('ARCHIVE_URL')] : ['planned', null],
    );
  });

  it('is given up when three workers in a row fell silent at it', async () => {
    const { id } = await jobs.add('verify', {}, 'spec');
    await server.query(`UPDATE operator_jobs SET checkpoint = '{"at": "the beginning"}'`);
    for (const nth of ['1', '2', '3']) {
      const holder = `00000000-0000-4000-8000-00000000000${nth}`;
      expect(await jobs.claim('verify', holder)).toBeDefined();
      // Where it begins is no step forward.
      expect(await jobs.checkpoint(id, holder, { at: 'the beginning' }, {})).toBe(true);
      await silence();
    }
    expect(await jobs.claim('verify', '00000000-0000-4000-8000-000000000004')).toBeUndefined();
    expect(await jobs.get(id)).toMatchObject({ state: 'failed', error: expect.stringContaining('Three tries') });
  });
});
