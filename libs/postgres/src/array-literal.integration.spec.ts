import { testDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { arrayLiteral } from './array-literal.js';
import { Database } from './database.js';

describe('arrayLiteral', () => {
  let server: Awaited<ReturnType<typeof testDatabase>>;
  let database: Database;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  const sent = async (values: (string | null)[]) => {
    const [row] = await database.query<{ back: (string | null)[] }>('SELECT $1::text[] AS back', [
      arrayLiteral(values),
    ]);
    return row?.back;
  };

  it('arrives in PostgreSQL as the values that went in, whatever they hold', async () => {
    const awkward = fc.constantFrom(
      '',
      'null',
      'NULL',
      '{}',
      '"',
      '\\',
      '\\n',
      '\n\t',
      ',',
      ' a ',
      '🦣',
      '\u2028',
      '\\\\"{',
    );
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\u0000', ''));
    const value = fc.oneof(awkward, text, fc.constant(null));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 20 }), async (values) => {
        expect(await sent(values)).toEqual(values);
      }),
      { numRuns: 200 },
    );
  });

  it('is what a plain batch is written with', () => {
    expect(arrayLiteral(['a', null, 'b"c'])).toBe('{"a",null,"b\\"c"}');
    expect(arrayLiteral([1, 2])).toBe('{1,2}');
    expect(arrayLiteral(['a\nb'])).toEqual(['a\nb']);
  });
});
