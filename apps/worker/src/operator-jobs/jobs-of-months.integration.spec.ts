import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive } from '@hopcount/archive';
import { DAY_MS, floorTo, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { testRedis, type TestRedis } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { JobsSpec } from './operator-jobs.spec-helpers.js';

const KILLED = ['', 'SIGKILL'];

let spec: JobsSpec;
let redis: TestRedis;
let folder: string;
beforeEach(async () => {
  [spec, redis] = await Promise.all([JobsSpec.open(), testRedis()]);
  folder = mkdtempSync(join(tmpdir(), 'jobs-archive-'));
});
afterEach(async () => {
  await spec.close();
  await redis.close();
  rmSync(folder, { recursive: true });
});

describe('a job that seals', () => {
  it('plans the hours, seals the rest of them after a kill, and adds up what both workers sealed', async () => {
    // Workers also seal by themselves. Here another one seems to be at it, so that only the job seals.
    await redis.client.set('job-lock:{seal-archive}', 'another worker');
    const environment = { ARCHIVE_URL: folder, REDIS_URL: redis.url };
    const today = floorTo(Date.now(), DAY_MS);
    // Six hours that adjoin become one file.
    const hours = [5, 4, 3].flatMap((day) => [1, 2, 3, 4, 5, 6].map((hour) => today - day * DAY_MS + hour * HOUR_MS));
    const visits = hours.flatMap((atMs) => ['1', '2', '3'].map((linkId) => enrichedVisit({ atMs, linkId })));
    await spec.count(visits, BigInt(visits.length));
    await spec.start(environment);
    const job = await spec.planned('seal');
    expect(job).toMatchObject({ state: 'planned', plan: { dueHours: 18 } });
    const filed = () =>
      spec.server.query(`SELECT count(*)::int AS files, sum(visits)::int AS visits FROM archive_files
        WHERE state = 'active'`);
    expect(await filed()).toEqual([{ files: 0, visits: null }]);
    await spec.stopWorkers();
    await spec.jobs.start(job.id, 'spec');
    expect(await spec.killedAt('archive.before-commit', 2, environment)).toEqual(KILLED);
    expect(await filed()).toEqual([{ files: 1, visits: 18 }]);
    await spec.silence();
    await spec.start(environment);
    expect(await spec.ended(job.id)).toMatchObject({
      ...{ state: 'done', error: null },
      counts: { hours: 18, visits: 54, removedVisits: 0, attributed: 0, failed: 0 },
    });
    expect(await filed()).toEqual([{ files: 3, visits: 54 }]);
    const archive = new Archive(spec.database, { root: folder, memoryMb: 128 });
    expect(await archive.verify(today - DAY_MS)).toMatchObject({ differences: [], dueHours: [], visits: 54 });
  });
});

describe('a job that verifies', () => {
  it('is continued after the last month that was compared, with the differences found before', async () => {
    const older = Date.now() - 35 * DAY_MS;
    const visits = [older, Date.now() - HOUR_MS].map((atMs) => enrichedVisit({ atMs }));
    await spec.count(visits, 2n);
    await spec.start();
    const { id } = await spec.planned('verify');
    await spec.stopWorkers();
    await spec.jobs.start(id, 'spec');
    const damage = (by: number) =>
      spec.server.query('UPDATE link_traffic SET visits = visits + $1 WHERE bucket < $2', [by, new Date(older + 1)]);
    await damage(3);
    // All time is the first part, the older month the second.
    expect(await spec.killedAt('verify-part-kept', 2)).toEqual(KILLED);
    // Answers made of these sums are not exact from now on, although the job is not done.
    expect(await spec.server.query('SELECT FROM doubted_sums')).toHaveLength(1);
    const { differences } = (await spec.jobs.get(id)).counts;
    expect(differences).toBeGreaterThan(0);
    await damage(-3);
    await spec.silence();
    await spec.start();
    expect(await spec.ended(id)).toMatchObject({ state: 'mismatch', error: null, counts: { visits: 2, differences } });
  });
});
