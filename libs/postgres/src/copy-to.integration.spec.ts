import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from './database.js';

const ROWS = 100_000;
const COPY_ROWS = `COPY (SELECT n, repeat('x', 100) FROM generate_series(1, ${ROWS}) AS n) TO STDOUT`;

describe('copying out of a transaction', () => {
  let server: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    server = await testDatabase({ schema: 'empty' });
    // One place in the pool: a connection that is lost or leaked would be the only one.
    database = await Database.connect({ url: server.url, applicationName: 'copy-spec', poolSize: 1 });
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
  });

  it('streams what the transaction sees, in its snapshot, and goes on with it', async () => {
    const sink = new PassThrough();
    const kept = text(sink);
    await database.transaction(async (tx) => {
      await tx.query('CREATE TABLE notes (note text)');
      await tx.query(`INSERT INTO notes VALUES ('a"b'), (NULL), ('')`);
      expect(await tx.copyTo('COPY notes TO STDOUT (FORMAT csv, FORCE_QUOTE *)', sink)).toBe(3);
      await tx.query(`INSERT INTO notes VALUES ('later')`);
    });
    expect(await kept).toBe('"a""b"\n\n""\n');
    expect(await database.query('SELECT count(*)::int AS n FROM notes')).toEqual([{ n: 4 }]);
  });

  it('takes rows at the pace of the sink', async () => {
    let rows = 0;
    const slow = new Writable({
      write(chunk: Buffer, _encoding, done) {
        rows += chunk.toString().split('\n').length - 1;
        setImmediate(done);
      },
    });
    expect(await database.transaction((tx) => tx.copyTo(COPY_ROWS, slow))).toBe(ROWS);
    expect(rows).toBe(ROWS);
  });

  it('ends with the error of a sink that fails, or of the statement, and the pool goes on', async () => {
    const full = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
      },
    });
    await expect(database.transaction((tx) => tx.copyTo(COPY_ROWS, full))).rejects.toMatchObject({ code: 'ENOSPC' });
    const wrong = database.transaction((tx) => tx.copyTo('COPY nothing TO STDOUT', new PassThrough()));
    await expect(wrong).rejects.toMatchObject({ code: '42P01' });
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('ends when told to while the sink is silent, and the pool goes on', async () => {
    const stop = new AbortController();
    const silent = new Writable({ write: () => stop.abort() });
    const copy = database.transaction((tx) => tx.copyTo(COPY_ROWS, silent, stop.signal));
    await expect(copy).rejects.toMatchObject({ name: 'AbortError' });
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
