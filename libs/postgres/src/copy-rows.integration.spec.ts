import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CopiedRow, CopyRows } from './copy-rows.js';
import { Database } from './database.js';
import { classifyPostgresError } from './postgres.errors.js';

const COPY = `CREATE TEMPORARY TABLE IF NOT EXISTS staged (
  at timestamptz, id uuid, number smallint, share real, note text, other text
) ON COMMIT DELETE ROWS; DELETE FROM staged; COPY staged FROM STDIN (FORMAT binary)`;
const READ = `SELECT (extract(epoch FROM at) * 1000)::bigint::text AS "atMs", id::text, number, share, note, other FROM staged`;
/** From 1 BC to the last time JavaScript has: beyond 2285 microseconds are no safe integers. */
const EARLIEST_MS = -62_167_219_200_000;
const LATEST_MS = 8_640_000_000_000_000;

interface Row {
  atMs: number;
  id: string;
  number: number;
  share: number | null;
  note: string | null;
  other: string | null;
}

describe('rows in COPY’s binary format', () => {
  let server: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await testDatabase({ schema: 'empty' });
    // One place in the pool: a connection that is lost or in the wrong state would be the only one.
    database = await Database.connect({ url: server.url, applicationName: 'copy-rows-spec', poolSize: 1 });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  function bytesOf(rows: readonly Row[]) {
    const copied = new CopyRows(6);
    for (const row of rows) {
      copied.beginRow();
      copied.instant(row.atMs);
      copied.uuid(row.id);
      copied.smallint(row.number);
      copied.real(row.share);
      copied.text(row.note);
      copied.text(row.other);
    }
    return copied.end();
  }
  const copy = (rows: readonly Row[]) =>
    database.transaction(async (tx) => {
      expect(await tx.copyRows(COPY, bytesOf(rows).bytes)).toBe(rows.length);
      const back = await tx.query<Omit<Row, 'atMs'> & { atMs: string }>(READ);
      // Written with as few digits as tell it from other numbers of its size.
      return back.map((one) => ({ ...one, share: one.share && Math.fround(one.share) }));
    });

  const awkward = fc.constantFrom(
    '',
    '\\N',
    '\t\r\n',
    '\\.',
    'é',
    '🦣',
    '\ud800',
    'a\udc00b',
    '\u{10ffff}',
    'ü'.repeat(24),
    'x'.repeat(24),
    'x'.repeat(25),
  );
  const text = fc.oneof(awkward, fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 2_000 }));
  const storable = text.map((value) => value.replaceAll('\0', ''));
  const row: fc.Arbitrary<Row> = fc.record({
    atMs: fc.oneof(fc.integer({ min: EARLIEST_MS, max: LATEST_MS }), fc.constantFrom(0, 946_684_800_000, LATEST_MS)),
    id: fc.uuid(),
    number: fc.integer({ min: -0x8000, max: 0x7fff }),
    share: fc.option(fc.float({ noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value))),
    note: fc.option(storable),
    other: fc.option(storable),
  });

  const wellFormed = (value: string | null) => value && value.replace(/\p{Surrogate}/gu, '\ufffd');

  it('arrive in PostgreSQL as the values that went in, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), async (rows) => {
        expect(await copy(rows)).toEqual(
          rows.map((one) => ({
            ...one,
            atMs: String(one.atMs),
            note: wellFormed(one.note),
            other: wellFormed(one.other),
          })),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('are read again as they were written, fields left out between', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
        const { bytes, starts } = bytesOf(rows);
        const read = [...starts].map((start) => {
          const one = new CopiedRow(Buffer.from(bytes.buffer), start);
          const atMs = one.instant();
          one.skip();
          const number = one.smallint();
          const share = one.real();
          one.skip();
          return { atMs, number, share, other: one.text() };
        });
        const wanted = rows.map(({ atMs, number, share, other }) => ({
          atMs,
          number,
          share,
          other: wellFormed(other),
        }));
        expect(read).toEqual(wanted);
      }),
    );
  });

  it('may be more than an encoder has room for at first', async () => {
    const long = {
      atMs: 0,
      id: '0190163d-8694-739b-aea5-966c26f8ad91',
      number: 1,
      share: null,
      note: 'ü'.repeat(500_000),
      other: null,
    };
    const rows = await copy([long, { ...long, note: 'y'.repeat(3_000_000) }, long]);
    expect(rows.map(({ note }) => note?.length)).toEqual([500_000, 3_000_000, 500_000]);
  });

  it('are refused whole as data when one text has U+0000, and the connection goes on', async () => {
    const good = {
      atMs: 0,
      id: '0190163d-8694-739b-aea5-966c26f8ad91',
      number: 1,
      share: null,
      note: 'a',
      other: null,
    };
    const refused = copy([good, { ...good, note: 'a\0b' }, ...Array.from({ length: 5_000 }, () => good)]);
    expect(classifyPostgresError(await refused.catch((error: unknown) => error))).toBe('data');
    expect(await copy([good])).toHaveLength(1);
  });

  it('of an earlier batch are gone, in the same transaction and in the next', async () => {
    const good = {
      atMs: 0,
      id: '0190163d-8694-739b-aea5-966c26f8ad91',
      number: 1,
      share: null,
      note: 'a',
      other: null,
    };
    await database.transaction(async (tx) => {
      await tx.copyRows(COPY, bytesOf([good, good]).bytes);
      await tx.copyRows(COPY, bytesOf([good]).bytes);
      expect(await tx.query(READ)).toHaveLength(1);
    });
    await database.transaction(async (tx) => expect(await tx.query('SELECT FROM staged')).toEqual([]));
  });
});
