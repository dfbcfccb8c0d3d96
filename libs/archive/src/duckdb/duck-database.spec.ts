import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isAppError } from '@hopcount/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { DuckDatabase, type DuckSession } from './duck-database.js';
import { readParquetFile } from '../index.spec-helpers.js';
import { ParquetFiles } from '../parquet/parquet-files.js';
import { readCsv } from './read-csv.js';

describe('a session of DuckDB', () => {
  let folder: string;
  let duck: DuckDatabase;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'duckdb-'));
    duck = new DuckDatabase({ memoryMb: 128, threads: 1, spillFolder: join(folder, 'spill') });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('fails with a code and a reason that quotes no row', async () => {
    const path = join(folder, 'rows.csv');
    writeFileSync(path, '"1"\n"198.51.100.7 connection timeout"\n');
    const rows = `SELECT * FROM ${readCsv(path, [{ name: 'n', type: 'BIGINT' }])}`;
    const error = await duck.session((session) => session.rows(rows)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'archive-engine-failed', details: { reason: expect.stringMatching(/./) } });
    expect(isAppError(error) && `${error.message} ${JSON.stringify(error.details)}`).not.toContain('198.51.100.7');
  });

  it('begins no statement any more once it is told to stop', async () => {
    const stop = new AbortController();
    const done: number[] = [];
    const work = duck.session(async (session) => {
      await session.run('SELECT 1');
      done.push(1);
      stop.abort();
      await session.run('SELECT 2');
      done.push(2);
    }, stop.signal);
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(done).toEqual([1]);
  });

  it('of a database that is kept open spills again after its folder was cleared away', async () => {
    const spillFolder = join(folder, 'kept');
    const kept = new DuckDatabase({ memoryMb: 128, threads: 1, spillFolder, keepOpen: true });
    const spill = () =>
      kept.session(async (session) => {
        await session.run(
          'CREATE TEMP TABLE big AS SELECT range AS a, hash(range) AS b, hash(-range) AS c FROM range(8000000) ORDER BY b',
        );
        expect(readdirSync(spillFolder).length).toBeGreaterThan(0);
      });
    await spill();
    rmSync(spillFolder, { recursive: true });
    await spill();
    await kept.close();
    expect(existsSync(spillFolder)).toBe(false);
  });

  it('ends statements that are under way, and those that wait for a thread of their own', async () => {
    const kept = new DuckDatabase({ memoryMb: 128, threads: 1, spillFolder: join(folder, 'kept'), keepOpen: true });
    const stop = new AbortController();
    const endless = 'SELECT max(a.range * b.range) FROM range(1000000) AS a, range(1000000) AS b';
    // Node has four threads for all of them.
    const all = Array.from({ length: 6 }, () => kept.session((session) => session.rows(endless), stop.signal));
    setTimeout(() => stop.abort(), 100);
    for (const one of await Promise.allSettled(all)) expect(one.status).toBe('rejected');
    expect(await kept.session((session) => session.rows('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
    await kept.close();
  });

  it('spills into another folder than the database before, which may still have a session', async () => {
    const kept = new DuckDatabase({ memoryMb: 128, threads: 1, spillFolder: join(folder, 'kept'), keepOpen: true });
    const folderOf = async (session: DuckSession) =>
      (await session.rows<{ path: string }>("SELECT current_setting('temp_directory') AS path"))[0]?.path;
    await kept.session(async (first) => {
      const fails = kept.session((second) => second.run(`SELECT error('broken')`));
      await expect(fails).rejects.toMatchObject({ code: 'archive-engine-failed' });
      expect(await kept.session(folderOf)).not.toBe(await folderOf(first));
    });
    await kept.close();
  });

  it('keeps the footers of files it reads again, of no more than fit', async () => {
    const kept = new DuckDatabase({ memoryMb: 128, threads: 1, spillFolder: join(folder, 'kept'), keepOpen: true });
    const read = (name: string, visits: number) => {
      const local = join(folder, `${name}.parquet`);
      const all = `SELECT count(*)::DOUBLE AS n FROM read_parquet('${local}')`;
      const held = `SELECT memory_usage_bytes::DOUBLE AS bytes FROM duckdb_memory() WHERE tag = 'OBJECT_CACHE'`;
      return kept.session(
        async (session) => {
          await session.run(
            `COPY (SELECT range AS n FROM range(10)) TO '${local}' (FORMAT parquet, KV_METADATA {filler: '${'x'.repeat(50_000)}'})`,
          );
          expect(await session.rows(all)).toEqual([{ n: 10 }]);
          return (await session.rows<{ bytes: number }>(held))[0]?.bytes ?? 0;
        },
        undefined,
        [{ local, stamp: name, visits }],
      );
    };
    const one = await read('a', 32_768 * 1_500);
    const withAnother = await read('b', 32_768 * 500);
    expect(withAnother).toBeGreaterThan(one * 1.5);
    // A third does not fit beside them, a fourth never does.
    expect(await read('c', 32_768 * 1_500)).toBeLessThan(withAnother);
    const full = await read('b', 32_768 * 500);
    expect(await read('d', 32_768 * 2_001)).toBeLessThan(full * 1.1);
    await kept.close();
  });
});

describe('rows as a Parquet file', () => {
  const columns = [
    { name: 'nth', type: 'BIGINT' },
    { name: 'text', type: 'VARCHAR' },
    { name: 'at', type: 'TIMESTAMPTZ' },
  ] as const;
  let root: string;
  const left = () => readdirSync(join(root, 'work'));
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'parquet-files-'));
  });
  afterAll(() => rmSync(root, { recursive: true }));
  const piecesOf = (rows: number, of: number) =>
    (async function* () {
      for (let first = 0; first < rows; first += of) {
        const piece = Array.from(
          { length: Math.min(of, rows - first) },
          (_, nth) => [first + nth, null, null] as const,
        );
        yield await Promise.resolve(piece);
      }
    })();
  const never = new AbortController().signal;

  it('has every text, nothing and instant as it was, in the types of its columns', async () => {
    const rows = [
      [0, '=1+1, "a"\r\nb;\'', '2026-03-29T03:00:00.125+02:00'],
      [-1, '', null],
      [2 ** 53 - 1, null, '1970-01-01T00:00:00Z'],
    ];
    const about = { exact: true, said: "it's" };
    const found = await readParquetFile(await new ParquetFiles({ root }).make({ columns, rows, about }, never));
    expect(found).toEqual({
      types: { nth: 'BIGINT', text: 'VARCHAR', at: 'TIMESTAMP WITH TIME ZONE' },
      rows: [
        { nth: 0, text: rows[0]?.[1], at: '2026-03-29 01:00:00.125+00' },
        { nth: -1, text: '', at: null },
        { nth: 2 ** 53 - 1, text: null, at: '1970-01-01 00:00:00+00' },
      ],
      about,
    });
    const empty = await new ParquetFiles({ root }).make({ columns, rows: [], about }, never);
    expect((await readParquetFile(empty)).rows).toEqual([]);
    expect(left()).toEqual([]);
  });

  it('makes what is in memory one after the other: more than eight are refused, and not for a client that left', async () => {
    const [files, gone] = [new ParquetFiles({ root }), new AbortController()];
    const make = (stop = never) => files.make({ columns, rows: [[1, null, null]], about: {} }, stop);
    const made = [make(), make(gone.signal), ...Array.from({ length: 6 }, () => make())];
    gone.abort();
    await expect(make()).rejects.toMatchObject({ code: 'archive-question-too-large', retryable: true });
    const ends = (await Promise.allSettled(made)).map(({ status }) => status);
    expect(ends).toEqual(ends.map((_, nth) => (nth === 1 ? 'rejected' : 'fulfilled')));
    expect((await readParquetFile(await make())).rows).toHaveLength(1);
    expect(left()).toEqual([]);
  });

  it('keeps the order of many parts, and is gone once it was read', async () => {
    const files = new ParquetFiles({ root, rowsOfAPart: 100 });
    const file = await files.open({ columns, rows: piecesOf(1_050, 40), about: {} }, never);
    expect(left()).toHaveLength(1);
    const { rows } = await readParquetFile(Buffer.concat((await file.toArray()) as Buffer[]));
    expect(rows.map(({ nth }) => nth)).toEqual(Array.from({ length: 1_050 }, (_, nth) => nth));
    while (left().length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('ends where it would be too large, takes too long, or nobody waits for it, and leaves nothing', async () => {
    const rows = () => piecesOf(200, 40);
    const small = new ParquetFiles({ root, rowsOfAPart: 50, rowsAtMost: 199 });
    await expect(small.open({ columns, rows: rows(), about: {} }, never)).rejects.toMatchObject({
      code: 'archive-export-too-large',
    });
    const late = new ParquetFiles({ root, deadlineMs: 0 });
    const endless = async function* () {
      for (;;) yield await new Promise<[]>((resolve) => setTimeout(resolve, 1, []));
    };
    await expect(late.open({ columns, rows: endless(), about: {} }, never)).rejects.toMatchObject({
      code: 'archive-export-too-large',
    });
    const gone = AbortSignal.abort();
    await expect(small.open({ columns, rows: rows(), about: {} }, gone)).rejects.toMatchObject({ name: 'AbortError' });
    expect(left()).toEqual([]);
  });
});
