import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { Database, type Transaction } from './database.js';

/** Fails like a deadlock (40P01) the first time. */
const FAIL = `DO $$ BEGIN RAISE EXCEPTION 'two transactions wait for each other' USING ERRCODE = '40P01'; END $$`;

describe('a transaction that meets a conflict', () => {
  let server: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'transaction-spec', poolSize: 1 });
    await server.query('CREATE TABLE tried (attempt integer)');
  });
  afterAll(async () => {
    await database.close();
    await server.drop();
  });

  function failing(times: number) {
    let attempts = 0;
    return async (tx: Transaction) => {
      attempts += 1;
      await tx.query('INSERT INTO tried VALUES ($1)', [attempts]);
      if (attempts <= times) await tx.query(FAIL);
      return attempts;
    };
  }

  it('is run again as often as its caller says, and only the last run is kept', async () => {
    expect(await database.transaction(failing(2), { conflictRetries: 2 })).toBe(3);
    expect(await server.query('SELECT attempt FROM tried')).toEqual([{ attempt: 3 }]);
    await expect(database.transaction(failing(3), { conflictRetries: 2 })).rejects.toThrow('wait for each other');
  });

  it('is not run again unless its caller says so, nor after another error', async () => {
    await expect(database.transaction(failing(1))).rejects.toThrow('wait for each other');
    let runs = 0;
    const broken = (tx: Transaction) => tx.query(`SELECT ${(runs += 1)}::integer / 0`);
    await expect(database.transaction(broken, { conflictRetries: 2 })).rejects.toThrow('division by zero');
    expect(runs).toBe(1);
  });
});
