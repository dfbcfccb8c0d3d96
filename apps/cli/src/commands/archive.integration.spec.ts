import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive } from '@hopcount/archive';
import {
  DAY_MS,
  HostFold,
  HOUR_MS,
  hourOf,
  LedgerRebuild,
  LedgerRetention,
  LinkTotals,
  PartitionCheckpoints,
  VisitCommitter,
  VisitPurger,
} from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase, testTopic, type TestTopic } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { cliOn } from '../cli.spec-helpers.js';

describe('archive', () => {
  let server: TestDatabase;
  let topic: TestTopic;
  let root: string;
  let hopcount: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    server = await testDatabase();
    topic = await testTopic();
    root = mkdtempSync(join(tmpdir(), 'cli-archive-'));
    hopcount = cliOn(server, { ARCHIVE_URL: root, VISITS_TOPIC: topic.name, SEAL_AFTER: '1d' });
    const database = await Database.connect({ url: server.url, applicationName: 'spec' });
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(
      { group: 'g', topic: 't', partition: 0 },
      'spec',
    );
    // In the middle of a day, whose hours are one file in the end.
    const hour = Math.floor(Date.now() / DAY_MS) * DAY_MS - 4 * DAY_MS + 10 * HOUR_MS;
    const visits = [hour, hour + 1, hour + HOUR_MS, hourOf(Date.now())].map((atMs) => enrichedVisit({ atMs }));
    await new VisitCommitter(database, { slots: 8 }).commit({
      checkpoint,
      nextOffset: 4n,
      lastRecordAtMs: hour,
      visits,
    });
    await database.close();
  });
  afterAll(async () => {
    await topic.delete();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  const archive = async (...argv: string[]) => {
    const result = await hopcount(['archive', ...argv, '-o', 'json']);
    return { ...result, json: JSON.parse(result.stdout || 'null') as unknown };
  };

  it('seals closed hours with --execute, lists the files and leaves an audit row', async () => {
    const plan = await archive('seal');
    expect([plan.code, plan.json]).toEqual([0, { dueHours: 2 }]);
    expect(plan.stderr).toContain('Nothing was changed');
    expect((await archive('list')).json).toEqual([]);
    expect(await archive('seal', '--execute')).toMatchObject({
      code: 0,
      json: { hours: 2, visits: 3, removedVisits: 0, failed: 0 },
    });
    const listed = await archive();
    expect(listed.json).toMatchObject([
      { level: 'hour', visits: 2, state: 'active' },
      { level: 'hour', visits: 1, state: 'active' },
    ]);
    expect(listed.stderr).toContain('3 visits in 2 active files');
    expect(await server.query('SELECT command, operator, outcome FROM operator_actions')).toEqual([
      { command: 'archive seal', operator: 'spec', outcome: 'done' },
    ]);
  });

  it('names ARCHIVE_URL where it is not set', async () => {
    for (const argv of [['list'], ['seal'], ['compact'], ['verify'], ['restore', '2025-03']]) {
      const result = await hopcount(['archive', ...argv], { ARCHIVE_URL: '' });
      expect([result.code, result.stderr]).toEqual([expect.any(Number), expect.stringContaining('Set ARCHIVE_URL')]);
      expect(result.code).not.toBe(0);
    }
  });

  it('compacts files whatever their age, and says how many there were and are', async () => {
    const plan = await archive('compact');
    expect([plan.code, plan.json]).toEqual([0, { files: 2, bytes: expect.any(Number), toMerge: 2, into: 1 }]);
    expect(await archive('compact', '--execute')).toMatchObject({
      code: 0,
      json: { merged: 2, into: 1, failed: 0, filesBefore: 2, filesAfter: 1 },
    });
    const states = async () => ((await archive('list')).json as { state: string }[]).map(({ state }) => state).sort();
    expect(await states()).toEqual(['active', 'replaced', 'replaced']);
    expect((await archive('compact')).json).toMatchObject({ toMerge: 0 });
    await server.query('UPDATE archive_files SET deleted_at = now() WHERE state <> $1', ['active']);
  });

  it('verifies files, and ends with 3 when one is damaged', async () => {
    expect(await archive('verify')).toMatchObject({
      code: 0,
      json: { differences: [], files: 1, visits: 3, dueHours: [] },
      stderr: expect.stringContaining('Every file is what was sealed'),
    });
    const [file] = (await archive('list')).json as { path: string }[];
    appendFileSync(join(root, file?.path ?? ''), 'x');
    expect(await archive('verify')).toMatchObject({
      code: 3,
      json: { differences: expect.arrayContaining([expect.objectContaining({ check: 'sha-256', where: file?.path })]) },
    });
    expect(await archive('list')).toMatchObject({
      json: [{ state: 'damaged' }],
      stderr: expect.stringContaining('seals its visits again from the ledger'),
    });
    expect(await archive('seal', '--execute')).toMatchObject({ code: 0, json: { visits: 3 } });
    expect(await archive('verify')).toMatchObject({ code: 0, json: { differences: [] } });
  });

  it('ends with 3 when an hour cannot be sealed, and says which', async () => {
    await server.query(
      `INSERT INTO link_traffic VALUES (1001, date_trunc('hour', now()) - interval '50 hours', 0, 0, 5, 5)`,
    );
    const sealed = await archive('seal', '--execute');
    expect(sealed).toMatchObject({ code: 3, json: { failed: 1 } });
    expect(sealed.stderr).toMatch(/:00:00.000Z: What was written does not hold/);
    expect(
      await server.query(
        `SELECT outcome FROM operator_actions WHERE outcome = 'mismatch' AND command = 'archive seal'`,
      ),
    ).toHaveLength(1);
  });
});

describe('a month the ledger dropped', () => {
  let server: TestDatabase;
  let topic: TestTopic;
  let database: Database;
  let root: string;
  let archive: Archive;
  let hopcount: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    topic = await testTopic();
  });
  afterAll(() => topic.delete());
  beforeEach(async () => {
    server = await testDatabase();
    root = mkdtempSync(join(tmpdir(), 'cli-restore-'));
    hopcount = cliOn(server, { ARCHIVE_URL: root, VISITS_TOPIC: topic.name });
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    await server.query("SELECT create_visit_partitions('2025-03-01Z', '2025-04-01Z')");
    const ref = { group: 'g', topic: 't', partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    const visits = ['2025-03-10T10:00Z', '2025-03-31T23:59Z', '2025-04-01T00:00Z'].map((time) =>
      enrichedVisit({ atMs: Date.parse(time) }),
    );
    await new VisitCommitter(database, { slots: 8 }).commit({ checkpoint, nextOffset: 3n, lastRecordAtMs: 1, visits });
    await new LinkTotals(database).refresh();
    archive = new Archive(database, { root, memoryMb: 128 });
    await archive.seal(await archive.dueHours(Date.parse('2025-04-02T00:00Z'), 'all'));
    expect(await dropMarch()).toEqual([{ month: '2025-03', kept: null }]);
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  const dropMarch = () =>
    new LedgerRetention(database, { ledgerDays: 45, archive }).dropMonths(Date.parse('2025-05-20Z'));
  const run = async (...argv: string[]) => {
    const { stdout, ...result } = await hopcount([...argv, '-o', 'json']);
    return { ...result, json: JSON.parse(stdout || 'null') as unknown };
  };

  it('is verified in files: with slots, totals and buckets every number is held against another', async () => {
    const whole = { differences: [], skipped: [], checked: { visits: 1, slots: 1, totals: 1 }, archive: { visits: 3 } };
    expect(await run('verify')).toMatchObject({ code: 0, json: whole });
    expect((await run('verify', '--link', 'none')).code).not.toBe(0);
    expect((await hopcount(['verify', '-o', 'json'], { ARCHIVE_URL: '' })).stderr).toContain(
      'visits before 2025-04-01',
    );
    await server.query('UPDATE link_visit_slots SET visits = visits + 1');
    expect(await run('verify')).toMatchObject({
      code: 3,
      json: { differences: [{ check: 'slots', expected: 3, actual: 4 }] },
    });
    await server.query('UPDATE link_visit_slots SET visits = visits - 1');
    await server.query(`UPDATE link_traffic SET link_id = 7 WHERE bucket = '2025-03-10 10:00Z'`);
    const { json } = await run('verify');
    expect(json).toMatchObject({
      differences: expect.arrayContaining([
        expect.objectContaining({ check: 'archive', unit: '2025-03-10T10:00:00.000Z buckets' }),
      ]),
    });
  });

  it('is named by every surface once a file of it is damaged, with what to do, until the file is back', async () => {
    const [file] = (await run('archive', 'list')).json as { path: string; state: string }[];
    const path = join(root, file!.path);
    const sealed = readFileSync(path);
    appendFileSync(path, 'x');
    const advice = `bring ${file!.path} back from a backup`;
    const ofDoctor = async () =>
      ((await run('doctor')).json as { check: string; status: string; advice: string | null }[]).find(
        ({ check }) => check === 'archive files',
      );
    const stateInList = async () =>
      ((await run('archive', 'list')).json as { path: string; state: string }[]).find(
        ({ path: its }) => its === file!.path,
      );
    expect(await run('archive', 'verify')).toMatchObject({ code: 3, stderr: expect.stringContaining(advice) });
    const surfaces: [string, () => Promise<unknown>, unknown][] = [
      ['doctor', ofDoctor, { status: 'fail', advice: expect.stringContaining(advice) }],
      ['list', stateInList, { state: 'damaged' }],
      ['list, below', () => run('archive', 'list'), { stderr: expect.stringContaining(advice) }],
      ['metric and System page', () => archive.manifest.summary(), { damaged: { files: 1 } }],
      ['verify', () => run('archive', 'verify'), { code: 3, stderr: expect.stringContaining(advice) }],
    ];
    for (const [surface, said, expected] of surfaces)
      expect({ surface, said: await said() }).toMatchObject({ surface, said: expected });
    writeFileSync(path, sealed);
    expect(await run('archive', 'verify')).toMatchObject({ code: 0, json: { differences: [], visits: 3 } });
    expect([await ofDoctor(), await stateInList()]).toMatchObject([
      { status: 'ok', advice: null },
      { state: 'active' },
    ]);
  });

  it('whose sums by group and host are not what its files say is named by verify, and rebuild makes them so', async () => {
    await new HostFold(database).fold();
    // In another group, as many as before.
    await server.query(`UPDATE scope_traffic SET scope_id = 'g' WHERE scope = 'group' AND bucket < '2025-04-01Z'`);
    expect(await run('verify')).toMatchObject({
      code: 3,
      json: { differences: expect.arrayContaining([expect.objectContaining({ check: 'archive' })]) },
    });
    const inDoubt = () => server.query<{ checks: string[] }>('SELECT checks FROM doubted_sums');
    expect(await inDoubt()).toEqual([{ checks: ['archive'] }]);
    const rebuilt = await run('rebuild', '--all', '--execute');
    expect([rebuilt.code, rebuilt.stderr]).toEqual([0, expect.stringContaining('everything kept equals the ledger')]);
    expect(await inDoubt()).toEqual([]);
    expect(await run('verify')).toMatchObject({ code: 0, json: { differences: [] } });
  });

  it('of which visits were purged is said not to be exact by verify, until the next sealing', async () => {
    await server.query(`INSERT INTO domains (authority, is_default) VALUES ('s.test', true)`);
    await server.query(
      `INSERT INTO links (id, domain_id, code, long_url) SELECT 1001, id, 'a', 'https://example.com/' FROM domains`,
    );
    await new LedgerRebuild(database).rebuildScopes();
    const purger = new VisitPurger(
      database,
      { aroundWrite: (_, work) => work(new AbortController().signal) },
      { hasSlots: true },
    );
    await purger.purge('1001', { beforeMs: Date.parse('2025-03-20Z') });
    await new LinkTotals(database).refresh();
    const before = await run('verify');
    expect(before).toMatchObject({ code: 0, json: { checked: { unattributedBuckets: 1 } } });
    expect(before.stderr).toContain('Not exact: sums by group and host of 1 quarter hour');
    expect(before.stderr).not.toContain('Every number equals');
    await archive.seal(await archive.dueHours(Date.parse('2025-04-02T00:00Z'), 'all'));
    const after = await run('verify');
    expect([after.code, after.stderr]).toEqual([0, expect.stringContaining('Every number equals the ledger.')]);
  });

  it('is left out by a verification that goes on behind it', async () => {
    const left = `INSERT INTO operator_actions (command, arguments, operator, counts) VALUES
      ('archive verify', '{}', 'spec', '{"verifiedTo": "2025-04-01T00:00:00.000Z", "differences": 2}')`;
    await server.query(left);
    const resumed = await run('verify', '--resume');
    expect(resumed).toMatchObject({ code: 0, json: { archive: { visits: 1, files: 1 } } });
    expect(resumed.stderr).toContain('Going on with the month from 2025-04-01T00:00:00.000Z; 2 differences');
    // That one came to its end.
    expect(await run('verify', '--resume')).toMatchObject({ code: 0, json: { archive: { visits: 3 } } });
  });

  it('is brought back by a restore with --execute, and kept for so many days', async () => {
    const restore = (...argv: string[]) => run('archive', 'restore', ...argv);
    const inLedger = () => server.query('SELECT count(*)::int AS visits FROM visits');

    expect(await restore('2025-3')).toMatchObject({ code: 2, stderr: expect.stringContaining('Give a month') });
    expect(await restore('2025-02')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('beginning with 2025-03'),
    });
    expect(await restore('2025-03')).toMatchObject({
      code: 0,
      json: { files: 2, visits: 2 },
      stderr: expect.stringContaining('It would restore 2 visits of 2 files'),
    });
    expect(await inLedger()).toEqual([{ visits: 1 }]);
    expect(await restore('2025-03', '--keep-days', '3', '--execute')).toMatchObject({ code: 0, json: { visits: 2 } });
    expect(await inLedger()).toEqual([{ visits: 3 }]);
    expect(await dropMarch()).toMatchObject([{ month: '2025-03', kept: expect.stringContaining('kept until') }]);
    expect(
      await server.query(`SELECT extract(day FROM restored_until - now())::int AS days FROM ledger_retention`),
    ).toEqual([{ days: 2 }]);
    expect(await server.query('SELECT command, arguments, outcome FROM operator_actions')).toEqual([
      { command: 'archive restore', arguments: { month: '2025-03', keepDays: 3 }, outcome: 'done' },
    ]);
  });
});
