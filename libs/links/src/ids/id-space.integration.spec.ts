import { Database } from '@hopcount/postgres';
import { testDatabase, type TestDatabase } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { measureIdSpaces } from './id-space.js';
import { SNOWFLAKE_END_MS, SNOWFLAKE_EPOCH_MS } from './snowflake.js';

describe('the space of ids', () => {
  let given: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    given = await testDatabase();
    database = await Database.connect({ url: given.url, applicationName: 'spec' });
  });
  afterAll(async () => {
    await database.close();
    await given.drop();
  });

  const withLinks = async (links: number, looseCodes = false) => {
    await given.query('TRUNCATE link_counts');
    await given.query(
      `INSERT INTO link_counts SELECT (SELECT id FROM domains WHERE authority = name), slot, count FROM
       (VALUES ('a.test', 1, $1::bigint / 2), ('a.test', 2, $1::bigint / 2), ('b.test', 1, 5)) AS given (name, slot, count)`,
      [String(links)],
    );
    return (await measureIdSpaces(database, { looseCodes })).codes;
  };

  it('of codes is that of the fullest domain, until codes get one character more', async () => {
    await given.query("INSERT INTO domains (authority) VALUES ('a.test'), ('b.test')");
    // 1 % of 47^7 are 5.07e9.
    expect(await withLinks(1e9)).toEqual({ length: 7, used: expect.closeTo(0.197, 3) });
    expect(await withLinks(5e9)).toEqual({ length: 7, used: expect.closeTo(0.987, 3) });
    expect(await withLinks(5.2e9)).toEqual({ length: 8, used: expect.closeTo(0.0218, 3) });
    // Without the case of letters 28 characters are left: 1 % of 28^7 are 1.35e8.
    expect(await withLinks(1.3e8, true)).toEqual({ length: 7, used: expect.closeTo(0.963, 3) });
  });

  it('of snowflakes is time', async () => {
    const at = async (nowMs: number) => (await measureIdSpaces(database, { looseCodes: false, nowMs })).snowflakes;
    expect(await at(SNOWFLAKE_EPOCH_MS)).toEqual({ endsAtMs: Date.UTC(2094, 8, 7, 15, 47, 35, 552), used: 0 });
    expect((await at(SNOWFLAKE_END_MS)).used).toBe(1);
    expect((await at(Date.UTC(2087, 10, 1))).used).toBeGreaterThan(0.9);
  });
});
