import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { IMPORT_SOURCES } from '@hopcount/transfer';

import { type CliResult, cliOn } from '../cli.spec-helpers.js';

describe('hopcount import', () => {
  let [database, folder, file]: [TestDatabase?, string?, string?] = [];
  let cli: (argv: string[], environment?: Record<string, string>) => Promise<CliResult>;
  beforeAll(async () => {
    database = await testDatabase();
    cli = cliOn(database);
    folder = await mkdtemp(join(tmpdir(), 'hopcount-import-'));
    file = join(folder, 'links.csv');
    await writeFile(file, 'longUrl,colour\nhttps://example.com/,red\n,blue\n');
  });
  afterAll(() => Promise.all([database!.drop(), rm(folder!, { recursive: true })]));
  const rows = (table: string) => database!.query(`SELECT * FROM ${table}`);

  it('says what is in a file, and changes nothing without --execute', async () => {
    const { code, stdout, stderr } = await cli(['import', file!, '--from', 'csv', '-o', 'json']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Nothing was changed')]);
    expect(JSON.parse(stdout)).toEqual({
      ...{ rows: 2, links: 1, visits: 0, refused: 1, 'reason missing-field': 1, 'reason field-not-imported': 1 },
    });
    expect(await rows('imports')).toEqual([]);
  });

  it('plans and uploads a gzip file as the file that is in it, and refuses a damaged one', async () => {
    const packed = join(folder!, 'links.csv.gz');
    const bytes = gzipSync(await readFile(file!));
    await writeFile(packed, bytes);
    const plan = await cli(['import', packed, '--from', 'csv', '-o', 'json']);
    expect(JSON.parse(plan.stdout)).toMatchObject({ rows: 2, links: 1, refused: 1 });
    expect((await cli(['import', packed, '--from', 'csv', '--name', 'gz', '--no-wait', '--execute'])).code).toBe(0);
    expect(await rows('imports')).toMatchObject([{ name: 'gz', state: 'waiting', bytes: '46' }]);
    await database!.query('DELETE FROM imports');
    await writeFile(packed, bytes.subarray(0, 20));
    for (const execute of [[], ['--execute']])
      expect(await cli(['import', packed, '--from', 'csv', ...execute])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The gzip file is damaged or incomplete') as unknown,
      });
    await database!.query('DELETE FROM imports');
    await database!.query('DELETE FROM operator_actions');
  });

  it('hands the file to the workers, and keeps who did it', async () => {
    const { code } = await cli(['import', file!, '--from', 'csv', '--name', 'old', '--no-wait', '--execute']);
    expect(code).toBe(0);
    expect(await rows('imports')).toMatchObject([{ source: 'csv', name: 'old', state: 'waiting', bytes: '46' }]);
    expect(await rows('operator_actions')).toMatchObject([
      { command: 'import', outcome: 'done', arguments: { name: 'old' } },
    ]);
  });

  it('waits for them, and tells what was left out or why it ended', async () => {
    const report = join(folder!, 'report.csv');
    const importing = cli(['import', file!, '--from', 'csv', '--report', report, '--execute']);
    const ended = (async () => {
      for (;;) {
        const [open] = await database!.query<{ id: string }>(
          `SELECT max(id) AS id FROM imports WHERE state = 'waiting' AND name = 'csv'`,
        );
        if (open?.id != null) return open.id;
      }
    })();
    await database!.query(
      `INSERT INTO import_skips (import_id, row, line, field, reason, detail)
       VALUES ($1, 2, 3, 'longUrl', 'missing-field', 'no longUrl')`,
      [await ended],
    );
    await database!.query(`UPDATE imports SET state = 'done', created = 1 WHERE id = $1`, [await ended]);
    expect(await importing).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('line 3: missing-field: no longUrl') as unknown,
    });
    expect(await readFile(report, 'utf8')).toBe('line,row,field,reason,detail\n3,2,longUrl,missing-field,no longUrl\n');
  });

  it('finds out the character set, says which it assumed, and takes the one that is named', async () => {
    const western = join(folder!, 'western.csv');
    await writeFile(western, Buffer.from('longUrl,title\nhttps://example.com/,\u00e9\n', 'latin1'));
    expect((await cli(['import', western, '--from', 'csv'])).stderr).toContain('was read as windows-1252');
    const named = await cli(['import', western, '--from', 'csv', '--charset', 'iso-8859-2']);
    expect([named.code, named.stderr]).toEqual([0, expect.not.stringContaining('was read as')]);
    expect(await cli(['import', western, '--from', 'csv', '--charset', 'utf-8'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('line 2') as unknown,
    });
  });

  it.each([
    [['import', '/nowhere/at/all.csv', '--from', 'csv', '--execute'], 'no file'],
    [['import', 'https://s.example', '--from', 'shlink', '--execute'], 'HOPCOUNT_IMPORT_KEY'],
    [['import', 'x', '--from', 'dub'], '--from'],
    [['import', 'x', '--from', 'csv', '--report', 'y', '--no-wait', '--execute'], '--no-wait'],
  ])('%j is wrong usage', async (argv, why) => {
    expect(await cli(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as unknown });
  });

  it('asks no private address without being told so', async () => {
    const result = await cli(['import', 'http://127.0.0.1:9', '--from', 'kutt', '--execute'], {
      HOPCOUNT_IMPORT_KEY: 'k',
    });
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be asked') as unknown });
    expect(result.stderr + result.stdout).not.toContain('HOPCOUNT_IMPORT_KEY');
  });

  it('offers every source there is', async () => {
    const { stdout } = await cli(['import', '--help']);
    for (const source of IMPORT_SOURCES) expect(stdout).toContain(`"${source}"`);
  });
});
