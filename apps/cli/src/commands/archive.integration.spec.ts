import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DAY_MS, HOUR_MS, hourOf, PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase, testTopic, type TestTopic } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

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
    const hour = hourOf(Date.now()) - 3 * DAY_MS;
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
    for (const argv of [['list'], ['seal'], ['verify']]) {
      const result = await hopcount(['archive', ...argv], { ARCHIVE_URL: '' });
      expect([result.code, result.stderr]).toEqual([expect.any(Number), expect.stringContaining('Set ARCHIVE_URL')]);
      expect(result.code).not.toBe(0);
    }
  });

  it('verifies files, and ends with 3 when one is damaged', async () => {
    expect(await archive('verify')).toMatchObject({
      code: 0,
      json: { differences: [], files: 2, visits: 3, dueHours: [] },
      stderr: expect.stringContaining('Every file is what was sealed'),
    });
    const [file] = (await archive('list')).json as { path: string }[];
    appendFileSync(join(root, file?.path ?? ''), 'x');
    expect(await archive('verify')).toMatchObject({
      code: 3,
      json: { differences: expect.arrayContaining([expect.objectContaining({ check: 'sha-256', where: file?.path })]) },
    });
    expect((await archive('list')).json).toMatchObject([{ state: 'active' }, { state: 'active' }]);
  });

  it('ends with 3 when an hour cannot be sealed, and says which', async () => {
    await server.query(
      `INSERT INTO link_traffic VALUES (1001, date_trunc('hour', now()) - interval '50 hours', 0, 0, 5, 5)`,
    );
    const sealed = await archive('seal', '--execute');
    expect(sealed).toMatchObject({ code: 3, json: { failed: 1 } });
    expect(sealed.stderr).toMatch(/:00:00.000Z: What was written does not hold/);
    expect(await server.query(`SELECT outcome FROM operator_actions WHERE outcome = 'mismatch'`)).toHaveLength(1);
  });
});
