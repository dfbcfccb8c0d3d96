import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { areHostSumsExact, DAY_MS, type EnrichedVisit, HOUR_MS } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { startBuiltProcess, testS3, type TestS3, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { ArchiveSpec, eventIdsOf, hourAt } from './archive.spec-helpers.js';
import { expectedSums, keptSums } from './filed-sums/kept-sums.spec-helpers.js';

const DAY = hourAt('10T00');
const LATER = DAY + DAY_MS;
const POINTS = ['archive.before-rename', 'archive.before-commit', 'archive.after-commit'];

describe.each(['a folder', 'a bucket'])('with the archive in %s a process killed while it', (place) => {
  let s3: TestS3 | undefined;
  let spec: ArchiveSpec;
  let failpoints: string;
  beforeAll(async () => {
    if (place === 'a bucket') s3 = await testS3();
  }, 400_000);
  afterAll(() => s3?.close());
  beforeEach(async () => {
    spec = await ArchiveSpec.open({ s3 });
    failpoints = mkdtempSync(join(tmpdir(), 'failpoints-'));
  });
  afterEach(async () => {
    await spec.close();
    rmSync(failpoints, { recursive: true });
  });

  const visitsAt = (atMs: number, count: number, linkId: string) =>
    Array.from({ length: count }, (_, n) => enrichedVisit({ atMs: atMs + n, linkId }));

  /** In a process of its own, which is killed at the point. */
  async function killAt(point: string, work: string): Promise<void> {
    writeFileSync(join(failpoints, point), 'kill:1');
    const script = `
      import { Archive } from '@hopcount/archive';
      import { LedgerRetention } from '@hopcount/ledger';
      import { Database } from '@hopcount/postgres';
      import { armFailpoints } from '@hopcount/runtime';
      armFailpoints(process.env);
      const database = await Database.connect({ url: '${spec.ledger.server.url}', applicationName: 'killed' });
      const archive = new Archive(database, { root: ${JSON.stringify(spec.bucket ?? spec.root)}, memoryMb: 128 });
      ${work};
      console.error('not killed');`;
    const child = startBuiltProcess(script, { environment: { HOPCOUNT_FAILPOINTS: failpoints } });
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)));
    expect([output, signal]).toEqual(['', 'SIGKILL']);
  }
  const seal = `await archive.seal(await archive.dueHours(${LATER}, 'all'))`;
  const merge = `await archive.merge(${LATER}, Date.now())`;

  const drop = `await new LedgerRetention(database, { ledgerDays: 45, archive }).dropMonths(${Date.UTC(2026, 9, 1) + 47 * DAY_MS})`;

  /** Whatever was left: each visit is in one file, and what does not count goes from the disk in time. */
  async function expectWhole(visits: readonly EnrichedVisit[]): Promise<void> {
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    expect(await spec.archive.verify(LATER)).toMatchObject({ differences: [], dueHours: [] });
    await spec.archive.removeFiles(Date.now() + 2 * DAY_MS);
    expect(spec.onDisk()).toEqual((await spec.active()).map(({ path }) => path).sort());
    expect(spec.inWork()).toEqual([]);
  }

  for (const point of POINTS) {
    it(`seals an hour, at ${point}, leaves nothing half`, async () => {
      const counted = point === 'archive.after-commit';
      const visits = [...visitsAt(DAY, 20, '1'), ...visitsAt(DAY + 5_000, 10, '2')];
      await spec.commit(visits);
      await killAt(point, seal);
      expect(await spec.contents()).toEqual(counted ? eventIdsOf(visits) : []);
      expect(await spec.seal(LATER)).toMatchObject({ visits: counted ? 0 : 30, failed: [] });
      await expectWhole(visits);
    });

    it(`merges, at ${point}, leaves the hours or the day`, async () => {
      const visits = [0, 1, 2].flatMap((hour) => visitsAt(DAY + hour * HOUR_MS, 10, '1'));
      await spec.commit(visits);
      await spec.seal(LATER);
      await killAt(point, merge);
      expect(await spec.contents()).toEqual(eventIdsOf(visits));
      await spec.archive.merge(LATER, Date.now());
      expect((await spec.active()).map(({ level, visits: count }) => [level, count])).toEqual([['day', 30]]);
      await expectWhole(visits);
    });
  }

  it('seals late visits or takes purged ones out leaves the file as it was', async () => {
    const visits = [...visitsAt(DAY, 20, '1'), ...visitsAt(DAY + 5_000, 10, '2')];
    await spec.ledger.addLink('1');
    await spec.commit(visits);
    await spec.seal(LATER);
    const late = visitsAt(DAY + 9_000, 3, '2');
    await spec.commit(late);
    await killAt('archive.before-commit', seal);
    expect(await spec.contents()).toEqual(eventIdsOf(visits));
    await spec.seal(LATER);
    await spec.purge('1', LATER);
    await killAt('archive.before-commit', seal);
    expect(await spec.contents()).toEqual(eventIdsOf([...visits, ...late]));
    await spec.seal(LATER);
    await expectWhole([...visits.slice(20), ...late]);
  });

  for (const point of ['retention.after-close', 'retention.before-commit']) {
    it(`drops a month, at ${point}, leaves all of it in the ledger`, async () => {
      const visits = visitsAt(DAY, 20, '1');
      await spec.commit(visits);
      await spec.seal(LATER);
      await killAt(point, drop);
      expect((await spec.where()).ledger).toBe(20);
      expect(await spec.ledger.server.query('SELECT kept_from FROM ledger_retention')).toEqual([]);
      expect(await spec.drop()).toBeNull();
      expect((await spec.where()).ledger).toBe(0);
      await expectWhole(visits);
    });
  }

  for (const point of [
    'archive.before-commit',
    'archive.after-commit',
    'filed-sums.after-read',
    'filed-sums.before-commit',
  ]) {
    it(`takes what was purged out of a dropped month, at ${point}, leaves sums that are right or said not to be exact`, async () => {
      const visits = [...visitsAt(DAY, 20, '1'), ...visitsAt(DAY + 5_000, 10, '2')].map((visit) => ({
        ...visit,
        groupId: '',
      }));
      for (const link of ['1', '2']) await spec.ledger.addLink(link);
      await spec.commit(visits);
      await spec.seal(LATER);
      await spec.drop();
      await spec.purge('1', LATER);
      await killAt(point, seal);
      expect(await areHostSumsExact(spec.ledger.database)).toBe(false);
      expect(await spec.ledger.differences()).toEqual([]);
      expect((await spec.seal(LATER)).failed).toEqual([]);
      expect(await areHostSumsExact(spec.ledger.database)).toBe(true);
      expect(await keptSums(spec.ledger)).toEqual(expectedSums(visits.slice(20)));
      await expectWhole(visits.slice(20));
    });
  }

  for (const point of ['restore.after-load', 'restore.after-sums', 'restore.before-commit']) {
    it(`restores a month, at ${point}, leaves nothing of it`, async () => {
      const visits = visitsAt(DAY, 20, '1');
      await spec.commit(visits);
      await spec.seal(LATER);
      await spec.drop();
      await killAt(point, `await archive.restore(${DAY}, { keepUntilMs: 0 })`);
      const { server } = spec.ledger;
      const left = () =>
        server.query(`SELECT FROM pg_stat_activity WHERE application_name = 'killed' AND datname = current_database()`);
      await waitUntil(async () => (await left()).length === 0, { describe: 'PostgreSQL to notice' });
      expect((await spec.where()).ledger).toBe(0);
      expect(await server.query(`SELECT FROM pg_class WHERE relname = 'visits_2026_09'`)).toEqual([]);
      expect(await spec.archive.restore(DAY, { keepUntilMs: 0 })).toMatchObject({ visits: 20 });
      expect((await spec.where()).ledger).toBe(20);
      await expectWhole(visits);
    });
  }
});
