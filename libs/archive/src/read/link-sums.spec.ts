import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { DuckDatabase, type DuckSession } from '../duckdb/duck-database.js';
import { quote } from '../duckdb/quoting.js';
import { type KnownLinks, LinkSums } from './link-sums.js';

/** Each file has 4 rows: three links, one of them with visits of two classes. */
const VISITS = '(VALUES (7, 0), (7, 0), (7, 1), (8, 0), (9, 2))';
const ROWS = 4;

describe('visits by link of whole files', () => {
  let folder: string;
  let duck: DuckDatabase;
  let files: { id: string; local: string; stamp: string; visits: number }[];
  let sums: LinkSums;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'link-sums-'));
    files = ['a', 'b', 'c'].map((id) => ({ id, local: join(folder, `${id}.parquet`), stamp: '1', visits: 5 }));
    const maker = new DuckDatabase({ memoryMb: 64, threads: 1, spillFolder: join(folder, 'made') });
    await maker.session(async (session) => {
      for (const { local } of files)
        await session.run(
          `COPY (SELECT col0::BIGINT AS link_id, col1::UTINYINT AS class FROM ${VISITS}) TO ${quote(local)} (FORMAT parquet)`,
        );
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeEach(() => {
    duck = new DuckDatabase({ memoryMb: 64, threads: 1, spillFolder: join(folder, 'spill'), keepOpen: true });
    sums = new LinkSums();
  });
  afterEach(() => duck.close());

  /** Which files were known, and what was known of them: visits by link and class. */
  async function ask(names: string, session: DuckSession, then?: () => Promise<void>) {
    const asked = files.filter(({ id }) => names.includes(id));
    return sums.use(session, asked, async (known) => {
      await then?.();
      return known && { files: [...known.files].join(''), ...(await rowsOf(session, known)) };
    });
  }
  const once = (names: string) => duck.session((session) => ask(names, session));

  async function rowsOf(session: DuckSession, { relation }: KnownLinks) {
    const rows = await session.rows<{ key: string; visits: number }>(
      `SELECT link_id || '/' || class AS key, sum(visits)::DOUBLE AS visits FROM ${relation} GROUP BY ALL ORDER BY 1`,
    );
    return { visits: Object.fromEntries(rows.map(({ key, visits }) => [key, visits])) };
  }
  const times = (n: number) => ({ '7/0': 2 * n, '7/1': n, '8/0': n, '9/2': n });
  const tables = () =>
    duck.session((session) =>
      session.rows(`SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'link_sums%'`),
    );

  it('are those of the files asked for, whichever were asked for before, or are at the same time', async () => {
    expect(await once('ab')).toEqual({ files: 'ab', visits: times(2) });
    expect(await once('b')).toEqual({ files: 'b', visits: times(1) });
    const together = await Promise.all(['abc', 'c', 'bc', 'a'].map(once));
    expect(together.map((answer) => answer?.visits)).toEqual([times(3), times(1), times(2), times(1)]);
    expect(await tables()).toHaveLength(1);
  });

  it('are not known of files with more rows than there is room for', async () => {
    sums = new LinkSums(2 * ROWS + 1);
    expect(await once('abc')).toEqual({ files: 'ab', visits: times(2) });
    expect(await once('abc')).toEqual({ files: 'ab', visits: times(2) });
    sums = new LinkSums(ROWS - 1);
    expect(await once('a')).toBeUndefined();
  });

  it('make way for those of other files, but not under who reads them', async () => {
    sums = new LinkSums(ROWS);
    await duck.session((session) =>
      expect(
        ask('a', session, async () => {
          expect(await once('b')).toEqual({ files: 'b', visits: times(1) });
          expect(await tables()).toHaveLength(2);
        }),
      ).resolves.toEqual({ files: 'a', visits: times(1) }),
    );
    expect(await tables()).toHaveLength(1);
    expect(await once('c')).toEqual({ files: 'c', visits: times(1) });
    expect(await tables()).toHaveLength(1);
  });

  it('are made anew after a question that ended while they were', async () => {
    const client = new AbortController();
    const ended = duck.session((session) => {
      const answer = ask('abc', session);
      client.abort(new Error('the client has gone'));
      return answer;
    }, client.signal);
    await expect(ended).rejects.toThrow();
    expect(await once('abc')).toEqual({ files: 'abc', visits: times(3) });
  });

  it('are not made of a file that cannot be read, nor in a database that is not kept', async () => {
    const broken = { id: 'd', local: join(folder, 'none.parquet'), stamp: '1', visits: 5 };
    const known = await duck.session((session) => sums.use(session, [...files, broken], (it) => Promise.resolve(it)));
    expect(known).toBeUndefined();
    expect(await once('abc')).toEqual({ files: 'abc', visits: times(3) });
    const other = new DuckDatabase({ memoryMb: 64, threads: 1, spillFolder: join(folder, 'spill') });
    expect(await other.session((session) => ask('abc', session))).toBeUndefined();
  });
});
