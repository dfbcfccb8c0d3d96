import { Readable } from 'node:stream';

import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from './database.js';

const COPY_ROWS = 'COPY notes FROM STDIN (FORMAT csv)';

describe('copying into a transaction', () => {
  let server: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    server = await testDatabase({ schema: 'empty' });
    // One place in the pool: a connection that is lost or leaked would be the only one.
    database = await Database.connect({ url: server.url, applicationName: 'copy-spec', poolSize: 1 });
    await database.query('CREATE TABLE notes (n integer, note text)');
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
  });

  const notes = () => database.query('SELECT * FROM notes ORDER BY n');

  it('is part of it: seen by its next statement, and gone when it is rolled back', async () => {
    const copy = (rolledBack: boolean) =>
      database.transaction(async (tx) => {
        expect(await tx.copyFrom(COPY_ROWS, Readable.from(['1,"a""b"\n2,\n3', ',""\n']))).toBe(3);
        expect(await tx.query('SELECT count(*)::int AS n FROM notes')).toEqual([{ n: 3 }]);
        if (rolledBack) throw new Error('not that');
      });
    await expect(copy(true)).rejects.toThrow('not that');
    expect(await notes()).toEqual([]);
    await copy(false);
    expect(await notes()).toEqual([
      { n: 1, note: 'a"b' },
      { n: 2, note: null },
      { n: 3, note: '' },
    ]);
  });

  it('takes far more than a connection holds at once', async () => {
    const rows = Readable.from(
      (function* () {
        for (let n = 0; n < 200_000; n += 1_000) yield `${n},${'x'.repeat(100)}\n`.repeat(1_000);
      })(),
    );
    expect(await database.transaction((tx) => tx.copyFrom(COPY_ROWS, rows))).toBe(200_000);
  });

  it('leaves nothing when a row is refused, the source fails or it is told to stop, and the pool goes on', async () => {
    const stop = new AbortController();
    const silent = new Readable({ read: () => setImmediate(() => stop.abort()) });
    const broken = new Readable({
      read() {
        this.destroy(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
      },
    });
    for (const [source, refusal] of [
      [Readable.from(['1,fine\nno number,x\n']), { code: '22P02' }],
      [broken, { code: 'ENOENT' }],
      [silent, { name: 'AbortError' }],
    ] as const) {
      const copied = database.transaction((tx) => tx.copyFrom(COPY_ROWS, source, stop.signal));
      await expect(copied).rejects.toMatchObject(refusal);
      expect(await notes()).toEqual([]);
    }
  });
});
