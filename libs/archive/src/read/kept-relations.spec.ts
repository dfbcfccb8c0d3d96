import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { DuckDatabase, type DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import { type KeptRelation, KeptRelations } from './kept-relations.js';

/** Each file has three values, one of them twice. */
const VALUES = '(VALUES (7), (7), (8), (9))';
/** A table of them: what a table takes, and eight bytes a row. */
const TABLE_BYTES = 2 ** 15 + 3 * 8;

interface Part {
  key: string;
  path: string;
}

describe('partial results over files', () => {
  let folder: string;
  let duck: DuckDatabase;
  let kept: KeptRelations;
  /** Files that were read, in order. */
  let read: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kept-relations-'));
    const maker = new DuckDatabase({ memoryMb: 64, threads: 1, spillFolder: join(folder, 'made') });
    await maker.session(async (session) => {
      for (const name of ['a', 'b', 'c'])
        await session.run(`COPY (SELECT col0 AS value FROM ${VALUES}) TO ${quote(pathOf(name))} (FORMAT parquet)`);
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeEach(() => {
    read = [];
    duck = open();
    kept = new KeptRelations({ mostBytes: 10 * TABLE_BYTES, keepsAtOnce: true });
  });
  afterEach(() => duck.close());

  const pathOf = (name: string) => join(folder, `${name}.parquet`);
  const open = (keepOpen = true) =>
    new DuckDatabase({ memoryMb: 64, threads: 1, spillFolder: join(folder, 'spill'), keepOpen });
  const relation = (name = 'counts'): KeptRelation<Part> => ({
    name,
    read: (parts, then) => {
      read.push(...parts.map(({ key }) => key));
      const paths = parts.map(({ path }) => quote(path)).join(', ');
      return then(`SELECT value, count(*) AS number FROM read_parquet([${paths}]) GROUP BY value`);
    },
    merged: (rows) => `SELECT value, sum(number)::BIGINT AS number FROM (${rows}) GROUP BY value`,
    bytes: '8 * count(*)',
  });

  /** What is known of the files: how often each value. `then`: while it is read. */
  function askIn(session: DuckSession, files: string, then = () => Promise.resolve(), name?: string) {
    const parts = [...files].map((file) => ({ key: file, path: pathOf(file.toLowerCase()) }));
    return kept.use(session, [relation(name)], parts, async (tables) => {
      await then();
      if (tables === undefined) return undefined;
      const rows = await session.rows<{ value: number; number: number }>(
        `SELECT value, number::DOUBLE AS number FROM ${tables[0]} ORDER BY value`,
      );
      return Object.fromEntries(rows.map(({ value, number }) => [value, number]));
    });
  }
  const ask = (files: string, name?: string) => duck.session((session) => askIn(session, files, undefined, name));
  const times = (n: number) => ({ 7: 2 * n, 8: n, 9: n });
  const tables = async () =>
    (await duck.session((session) => session.rows('SELECT table_name FROM duckdb_tables()'))).length;

  it('are kept of what is asked for a second time', async () => {
    kept = new KeptRelations({ mostBytes: TABLE_BYTES });
    expect(await ask('ab')).toBeUndefined();
    expect([await ask('ab'), read]).toEqual([times(2), ['a', 'b']]);
    expect([await ask('ab'), read]).toEqual([times(2), ['a', 'b']]);
  });

  it('grow by the files that came since, and are made anew without those that went', async () => {
    expect([await ask('a'), read]).toEqual([times(1), ['a']]);
    expect([await ask('ab'), read]).toEqual([times(2), ['a', 'b']]);
    expect([await ask('bc'), read]).toEqual([times(2), ['a', 'b', 'b', 'c']]);
    // The same file with other bytes.
    expect([await ask('Bc'), read.slice(4)]).toEqual([times(2), ['B', 'c']]);
    expect(await tables()).toBe(1);
  });

  it('are those of the files asked for, whoever asks at the same time', async () => {
    const together = await Promise.all(['abc', 'c', 'bc', 'a', 'ab', 'abc'].map((files) => ask(files)));
    expect(together).toEqual([3, 1, 2, 1, 2, 3].map(times));
    expect(await tables()).toBe(1);
  });

  it('take no more than they may, and the longest unused go first', async () => {
    kept = new KeptRelations({ mostBytes: 2 * TABLE_BYTES, keepsAtOnce: true });
    for (const name of ['one', 'two', 'one', 'three']) expect(await ask('a', name)).toEqual(times(1));
    expect([await tables(), read.length]).toEqual([2, 3]);
    await ask('a', 'one');
    expect(read.length).toBe(3);
    await ask('a', 'two');
    expect(read.length).toBe(4);
  });

  it('are not kept of too many rows, which are counted no second time for it', async () => {
    kept = new KeptRelations({ mostBytes: TABLE_BYTES - 1, keepsAtOnce: true });
    expect([await ask('a'), await ask('ab'), read, await tables()]).toEqual([undefined, undefined, ['a'], 0]);
  });

  it('stay while they are read, whatever takes their place', async () => {
    kept = new KeptRelations({ mostBytes: TABLE_BYTES, keepsAtOnce: true });
    await duck.session(async (session) => {
      const whileRead = async () => {
        expect(await ask('ab')).toEqual(times(2));
        expect(await ask('c', 'other')).toEqual(times(1));
      };
      expect(await askIn(session, 'a', whileRead)).toEqual(times(1));
    });
    expect(await tables()).toBe(1);
  });

  it('are left to the next question by one that ended meanwhile', async () => {
    const client = new AbortController();
    const leave = async () => {
      await ask('ab');
      client.abort(new Error('the client has gone'));
    };
    await expect(duck.session((session) => askIn(session, 'a', leave), client.signal)).rejects.toThrow();
    expect([await ask('ab'), read]).toEqual([times(2), ['a', 'b']]);
    expect(await tables()).toBe(1);
  });

  it('go when nobody asked for them for an hour, or a file may have been misread', async () => {
    let nowMs = 0;
    kept = new KeptRelations({ mostBytes: 10 * TABLE_BYTES, keepsAtOnce: true, nowMs: () => nowMs });
    await ask('a', 'one');
    nowMs = 3_000_000;
    await ask('a', 'two');
    nowMs = 3_600_001;
    expect([await ask('a', 'two'), await tables(), read.length]).toEqual([times(1), 1, 2]);
    kept.forget();
    expect([await ask('a', 'two'), await tables(), read.length]).toEqual([times(1), 1, 3]);
  });

  it('leave nothing behind where their size cannot be asked for', async () => {
    const broken = { ...relation('broken'), bytes: 'sum(nothing)' };
    const parts = [{ key: 'a', path: pathOf('a') }];
    await duck.session((session) => kept.use(session, [broken], parts, () => Promise.resolve()).catch(() => undefined));
    expect(await tables()).toBe(0);
  });

  it('are not made of a file that cannot be read, nor in a database that is not kept open', async () => {
    expect(await ask('ad')).toBeUndefined();
    expect(await ask('a')).toEqual(times(1));
    expect(await open(false).session((session) => askIn(session, 'a'))).toBeUndefined();
  });
});
