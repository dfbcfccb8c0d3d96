import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { POSTGRES } from './dialect.js';
import { filterVisits } from './visit-filters.js';

describe('texts in statements of PostgreSQL', () => {
  let server: TestDatabase;
  beforeAll(async () => {
    server = await testDatabase({ schema: 'empty' });
  });
  afterAll(() => server.drop());

  it.each(['', "it's", "\\'; --", 'a\\x41\\101\\n\n', 'Größe 日本 🦣', '$1 %s {,"}'])(
    'mean what they are: %j',
    async (text) => {
      expect(await server.query(`SELECT ${POSTGRES.text(text)} AS text`)).toEqual([{ text }]);
    },
  );

  it('are constants, of which nothing is left to do for each row', async () => {
    const filter = filterVisits(
      [{ dimension: 'country', values: ['DE', 'FR'], prefixes: [], isExcluded: false }],
      POSTGRES,
    );
    const visits = '(SELECT n::text AS country FROM generate_series(1, 2) AS n) AS visit';
    const plan = await server.query(`EXPLAIN (VERBOSE, COSTS OFF) SELECT FROM ${visits} WHERE ${filter}`);
    expect(JSON.stringify(plan)).toContain("'{DE,FR}'::text[]");
  });
});
