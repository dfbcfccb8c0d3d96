import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive } from '@hopcount/archive';
import { FILE_CASES, makeFileCases, TOLD_DAMAGED } from '@hopcount/archive/spec-helpers';
import { Database } from '@hopcount/postgres';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { cliOn } from '../cli.spec-helpers.js';

describe('files of the archive, of whatever became of them', () => {
  let server: TestDatabase;
  let database: Database;
  let root: string;
  let hopcount: ReturnType<typeof cliOn>;
  let files: Awaited<ReturnType<typeof makeFileCases>>;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    root = mkdtempSync(join(tmpdir(), 'cli-states-'));
    hopcount = cliOn(server, { ARCHIVE_URL: root });
    files = await makeFileCases({ database, archive: new Archive(database, { root, memoryMb: 128 }), root });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  const doctor = async () => {
    const { stdout } = await hopcount(['doctor', '-o', 'json']);
    const checks = JSON.parse(stdout) as { check: string; status: string; found: string; advice: string | null }[];
    return checks.find(({ check }) => check === 'archive files')!;
  };
  const list = async () => {
    const { stdout, stderr } = await hopcount(['archive', 'list', '-o', 'json']);
    return { rows: JSON.parse(stdout) as { path: string; state: string }[], stderr };
  };

  it('are listed by `archive list` in their states, damaged ones with what to do', async () => {
    const { rows, stderr } = await list();
    const told = [...files].map(([name, { path }]) => ({
      name,
      state: rows.find((row) => row.path === path)?.state,
      lines: stderr.split('\n').filter((line) => line.includes(path)),
    }));
    expect(told.map(({ name }) => name).sort()).toEqual(Object.keys(FILE_CASES).sort());
    for (const { name, state, lines } of told) {
      const { state: expected, advice } = FILE_CASES[name];
      const expectedLines = advice === null ? [] : [expect.stringMatching(`^DAMAGED: .*${advice}`)];
      expect({ name, state, lines }).toEqual({ name, state: expected, lines: expectedLines });
    }
  });

  it('are counted by doctor, which names the worst of them, however many there are, until none is damaged', async () => {
    const caseOf = (text: string) => [...files].find(([, { path }]) => text.includes(path))?.[0];
    // More than are listed, of a later time than those that are lost.
    await server.query(
      `INSERT INTO archive_files
         (id, path, level, period_start, period_end, visits, checksum, bytes, sha256, incarnation, state, ended_at)
       SELECT gen_random_uuid(), 'many/' || nth, level, now() - interval '2 hours', now(), visits, checksum, bytes,
         sha256, incarnation, 'damaged', now()
       FROM archive_files, generate_series(1, 120) AS nth WHERE id = $1`,
      [files.get('active')!.id],
    );
    expect(await doctor()).toMatchObject({
      status: 'fail',
      found: expect.stringMatching(`^${TOLD_DAMAGED + 120} files`),
    });
    await server.query(`DELETE FROM archive_files WHERE path LIKE 'many/%'`);
    for (let left = TOLD_DAMAGED; left > 0; left -= 1) {
      const { status, found, advice } = await doctor();
      const name = caseOf(found)!;
      expect({ name, status, advice }).toEqual({
        ...{ name, status: FILE_CASES[name].doctor },
        advice: expect.stringContaining(FILE_CASES[name].advice!),
      });
      expect(found).toMatch(`${left} file`);
      await server.query('DELETE FROM archive_files WHERE id = $1', [files.get(name)!.id]);
    }
    expect(await doctor()).toMatchObject({ status: 'ok', advice: null });
    expect((await list()).stderr).not.toContain('DAMAGED');
  });
});
