import { setTimeout as sleep } from 'node:timers/promises';

import { DEAD_LETTER_HEADERS, JOB_KINDS } from '@hopcount/contracts';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { buildVisitEvent, visitRecord, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { JobsSpec } from './operator-jobs.spec-helpers.js';

const LINKS = 500;
const DAMAGE = 'UPDATE link_traffic SET visits = visits + 3';
const KILLED = ['', 'SIGKILL'];

let spec: JobsSpec;
beforeEach(async () => {
  spec = await JobsSpec.open();
});
afterEach(() => spec.close());

/** One visit of each link, all sums made. */
const countVisits = () => {
  const atMs = Date.now() - 3 * 86_400_000;
  const rows = Array.from({ length: LINKS }, (_, nth) => enrichedVisit({ atMs, linkId: String(nth + 1) }));
  return spec.count(rows, BigInt(LINKS));
};

describe('a job of an operator', () => {
  it('says what a rebuild would change, changes it when started, and leaves word in the audit of operators', async () => {
    await countVisits();
    await spec.start();
    await spec.server.query(DAMAGE);
    const job = await spec.planned('rebuild');
    expect(job).toMatchObject({ state: 'planned', plan: { differences: expect.any(Number) } });
    expect(job.plan?.['differences']).toBeGreaterThanOrEqual(LINKS);
    expect(await spec.server.query('SELECT FROM operator_actions')).toHaveLength(0);
    await spec.jobs.start(job.id, 'an operator');
    expect(await spec.ended(job.id)).toMatchObject({
      ...{ state: 'done', error: null, isHeld: false },
      counts: { links: LINKS, buckets: LINKS, differencesLeft: 0 },
    });
    expect(await spec.differences()).toBe(0);
    expect(await spec.server.query('SELECT command, operator, outcome FROM operator_actions')).toEqual([
      { command: 'rebuild', operator: 'an operator', outcome: 'done' },
    ]);
  });

  it.each([
    ['rebuild-chunk-done', 2],
    ['rebuild-step-done', 3],
  ])('is continued at its checkpoint by the next worker when one is killed at %s', async (point, nth) => {
    await countVisits();
    await spec.server.query(DAMAGE);
    const { id } = await spec.jobs.add('rebuild', {}, 'spec');
    await spec.start();
    await spec.reach(id, 'planned');
    await spec.stopWorkers();
    await spec.jobs.start(id, 'spec');
    expect(await spec.killedAt(point, nth)).toEqual(KILLED);
    const [left] = await spec.server.query<{ checkpoint: { lastLink: string; steps: number } }>(
      'SELECT checkpoint FROM operator_jobs',
    );
    // What was committed last is not in the checkpoint: it is made again, and finds nothing to add.
    expect(left?.checkpoint).toMatchObject(
      point === 'rebuild-chunk-done' ? { lastLink: '200', steps: 0 } : { lastLink: '500', steps: 2 },
    );
    await spec.silence();
    await spec.start();
    expect(await spec.ended(id)).toMatchObject({ state: 'done', error: null, counts: { differencesLeft: 0 } });
    expect(await spec.differences()).toBe(0);
    expect(await spec.server.query('SELECT sum(visits)::integer AS visits FROM link_traffic')).toEqual([
      { visits: LINKS },
    ]);
  });

  it('pauses, resumes, and does not start while another job of its kind runs', async () => {
    await countVisits();
    await spec.server.query(DAMAGE);
    await spec.start();
    const slow = await spec.planned('rebuild', { ratePerSecond: 50 });
    const other = await spec.planned('rebuild');
    await spec.jobs.start(slow.id, 'spec');
    await expect(spec.jobs.start(other.id, 'spec')).rejects.toMatchObject({ code: 'job-conflict' });
    const kept = async () => (await spec.jobs.get(slow.id)).counts['links'] ?? 0;
    await waitUntil(async () => (await kept()) >= 50, { describe: 'a checkpoint', timeoutMs: 30_000 });
    await spec.jobs.pause(slow.id);
    // Its worker lets go of it within two seconds: then no link is corrected any more.
    const corrected = () => spec.server.query('SELECT FROM link_traffic WHERE visits = 1').then((rows) => rows.length);
    await sleep(3_000);
    const atPause = await corrected();
    await sleep(3_000);
    expect([await corrected(), (await spec.jobs.get(slow.id)).state]).toEqual([atPause, 'paused']);
    expect(atPause).toBeLessThan(LINKS);
    await spec.jobs.resume(slow.id);
    expect(await spec.ended(slow.id)).toMatchObject({ state: 'done', counts: { links: LINKS, differencesLeft: 0 } });
    await spec.jobs.cancel(other.id, 'spec');
    await expect(spec.jobs.start(other.id, 'spec')).rejects.toMatchObject({ code: 'job-conflict' });
    expect(await spec.differences()).toBe(0);
  });

  it('sends dead letters again after a kill, each visit counted once, and says whether the count changed as expected', async () => {
    const events = Array.from({ length: 3 }, () => buildVisitEvent());
    const letter = (event: (typeof events)[number]) => ({
      ...visitRecord(event),
      partition: 0,
      headers: {
        [DEAD_LETTER_HEADERS.reason]: 'unstorable',
        [DEAD_LETTER_HEADERS.step]: 'commitVisits',
        [DEAD_LETTER_HEADERS.originalTopic]: spec.visits.name,
      },
    });
    await spec.letters.produce(events.map(letter));
    await spec.start();
    const job = await spec.planned('redrive');
    expect(job).toMatchObject({ state: 'planned', plan: { letters: 3, expectedCountChange: 3 } });
    await spec.stopWorkers();
    await spec.jobs.start(job.id, 'spec');
    expect(await spec.killedAt('redrive-letters-sent', 1)).toEqual(KILLED);
    // One more comes: it was not in the plan's letters.
    await spec.letters.produce([letter(buildVisitEvent())]);
    const [end] = await spec.server.query<{ n: number }>(`SELECT count(*)::integer AS n FROM dead_letter_states`);
    await spec.count(
      events.map(({ eventId, linkId }) => enrichedVisit({ eventId, linkId })),
      3n,
    );
    await spec.silence();
    await spec.start();
    await spec.ended(job.id);
    expect(end).toEqual({ n: 3 });
    expect(await spec.jobs.get(job.id)).toMatchObject({ state: 'done', error: null });
    expect(await spec.server.query('SELECT count(*)::integer AS visits FROM visits')).toEqual([{ visits: 3 }]);
  });

  it('replays what the ledger lacks after a kill, each visit counted once', async () => {
    const events = Array.from({ length: 3 }, () => buildVisitEvent());
    await spec.visits.produce(events.map((event) => ({ ...visitRecord(event), partition: 0 })));
    const commit = (nextOffset: bigint, counted: typeof events) =>
      spec.count(
        counted.map(({ eventId, linkId }) => enrichedVisit({ eventId, linkId })),
        nextOffset,
      );
    // As if a consumer had passed two of them without counting them.
    await commit(3n, events.slice(0, 1));
    await spec.start();
    const job = await spec.planned('replay', { lastHours: 1 });
    expect(job.plan).toMatchObject({ records: 3, counted: 1, missing: 2, expectedCountChange: 2 });
    await spec.stopWorkers();
    await spec.jobs.start(job.id, 'spec');
    expect(await spec.killedAt('replay-records-taken', 1)).toEqual(KILLED);
    await spec.silence();
    await spec.start();
    // Sent twice, once by each worker: the consumer reads both copies.
    const end = async () => (await spec.visits.offsets())[0]?.high;
    await waitUntil(async () => (await end()) === '7', { describe: 'copies', timeoutMs: 60_000 });
    await commit(7n, [...events, ...events.slice(1)]);
    expect(await spec.ended(job.id)).toMatchObject({
      ...{ state: 'done', error: null },
      counts: { expectedCountChange: 2, actualCountChange: 2 },
    });
    expect(await spec.server.query('SELECT count(*)::integer AS visits FROM visits')).toEqual([{ visits: 3 }]);
  });

  it('sends nothing more soon after it was cancelled, however slowly it was to send', async () => {
    const headers = {
      [DEAD_LETTER_HEADERS.reason]: 'unstorable',
      [DEAD_LETTER_HEADERS.step]: 'commitVisits',
      [DEAD_LETTER_HEADERS.originalTopic]: spec.visits.name,
    };
    const letter = () => ({ ...visitRecord(buildVisitEvent()), partition: 0, headers });
    await spec.letters.produce(Array.from({ length: 200 }, letter));
    await spec.start();
    const { id } = await spec.planned('redrive', { ratePerSecond: 5 });
    await spec.jobs.start(id, 'spec');
    const sent = async () => Number((await spec.visits.offsets())[0]?.high);
    await waitUntil(async () => (await sent()) > 2, { describe: 'the first letters', timeoutMs: 60_000 });
    await spec.jobs.cancel(id, 'spec');
    await sleep(4_000);
    const afterwards = await sent();
    await sleep(3_000);
    expect([await sent(), afterwards < 200]).toEqual([afterwards, true]);
  });

  it('replays the hours before it was asked for, not before it was started', async () => {
    await spec.visits.produce([{ ...visitRecord(buildVisitEvent()), partition: 0 }]);
    const { id } = await spec.jobs.add('replay', { lastHours: 1 }, 'spec');
    await spec.server.query(`UPDATE operator_jobs SET created_at = now() + interval '2 hours'`);
    await spec.start();
    await spec.reach(id, 'planned', 'failed');
    expect((await spec.jobs.get(id)).plan).toMatchObject({ records: 0 });
  });

  it.each(JOB_KINDS)('of kind %s can be planned', async (kind) => {
    await spec.start();
    const { state, error } = await spec.planned(kind, kind === 'replay' ? { lastHours: 1 } : {});
    expect([state, error]).toEqual(
      kind === 'seal' ? ['failed', expect.stringContaining('ARCHIVE_URL')] : ['planned', null],
    );
  });

  it('is given up when three workers in a row fell silent at it', async () => {
    const { id } = await spec.jobs.add('verify', {}, 'spec');
    await spec.server.query(`UPDATE operator_jobs SET checkpoint = '{"at": "the beginning"}'`);
    for (const nth of ['1', '2', '3']) {
      const holder = `00000000-0000-4000-8000-00000000000${nth}`;
      expect(await spec.jobs.claim('verify', holder)).toBeDefined();
      // Where it begins is no step forward.
      expect(await spec.jobs.checkpoint(id, holder, { at: 'the beginning' }, {})).toBe(true);
      await spec.silence();
    }
    expect(await spec.jobs.claim('verify', '00000000-0000-4000-8000-000000000004')).toBeUndefined();
    expect(await spec.jobs.get(id)).toMatchObject({ state: 'failed', error: expect.stringContaining('Three tries') });
  });
});
