import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { onlyAsk, withinRequest } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { Database, type Transaction } from './database.js';

const MAY_LAG = { isolation: 'REPEATABLE READ', mayLag: true } as const;

/** Two databases that differ in what `place` says stand for a primary and its standby. */
describe('a transaction that may lag', () => {
  let primary: TestDatabase;
  let replica: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    primary = await testDatabase();
    replica = await testDatabase();
    await primary.query(`CREATE TABLE place AS SELECT 'primary' AS name`);
    await replica.query(`CREATE TABLE place AS SELECT 'replica' AS name`);
    await beStandby(true);
    database = await connect(replica.url);
  });

  afterEach(async () => {
    await database.close();
    await primary.drop();
    await replica.drop();
  });

  /** As the replica says of itself to sessions that begin from now on. */
  async function beStandby(is: boolean) {
    await replica.query(
      `CREATE OR REPLACE FUNCTION public.pg_is_in_recovery() RETURNS boolean AS 'SELECT ${is}' LANGUAGE sql`,
    );
    await replica.query(`DO $$ BEGIN EXECUTE format(
      'ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`);
  }

  function connect(replicaUrl: string) {
    return Database.connect({ url: primary.url, replicaUrl, applicationName: 'replica-spec' });
  }

  async function place(tx: Pick<Transaction, 'query'>) {
    const [row] = await tx.query<{ name: string }>('SELECT name FROM place');
    return row?.name;
  }

  it('is answered by the replica, and all others by the primary', async () => {
    expect(await database.transaction(place, MAY_LAG)).toBe('replica');
    expect(await database.transaction(place)).toBe('primary');
    expect(await database.transaction(place, { readOnly: true })).toBe('primary');
    expect(await place(database)).toBe('primary');
  });

  it('is answered by the primary while the replica is away, at the start as well', async () => {
    const away = new URL(replica.url);
    away.port = '1';
    await database.close();
    database = await connect(away.href);

    expect(await database.transaction(place, MAY_LAG)).toBe('primary');
  });

  it('is answered by the primary when what was the replica is a server of its own', async () => {
    expect(await database.transaction(place, MAY_LAG)).toBe('replica');
    await beStandby(false);

    expect(await database.transaction(place, MAY_LAG)).toBe('primary');
    expect(await database.replicaState()).toBe('promoted');
  });

  it('is asked instead of a primary that is away by requests that change nothing, and by no others', async () => {
    const away = new URL(primary.url);
    away.port = '1';
    await database.close();
    database = await Database.connect({ url: away.href, replicaUrl: replica.url, applicationName: 'replica-spec' });

    const question = <T>(ask: () => Promise<T>) =>
      withinRequest(() => {
        onlyAsk();
        return ask();
      });
    expect(await question(() => place(database))).toBe('replica');
    expect(await question(() => database.transaction(place))).toBe('replica');
    await expect(question(() => database.query('CREATE TABLE other ()'))).rejects.toThrow(/ECONNREFUSED/);
    await expect(place(database)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('runs anew on the primary when its replica replayed what it was reading away', async () => {
    const removed = `DO $$ BEGIN IF (SELECT name FROM place) = 'replica' THEN
      RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001'; END IF; END $$`;

    const answer = await database.transaction(async (tx) => {
      await tx.query(removed);
      return place(tx);
    }, MAY_LAG);

    expect(answer).toBe('primary');
  });

  it('runs anew on the primary when its replica has not replayed a migration', async () => {
    await replica.query('DROP TABLE place');

    expect(await database.transaction(place, MAY_LAG)).toBe('primary');
  });

  it('writes nowhere', async () => {
    const write = (tx: Transaction) => tx.query(`UPDATE place SET name = 'written'`);

    await expect(database.transaction(write, MAY_LAG)).rejects.toThrow(/read-only/);
    expect(await primary.query('SELECT name FROM place')).toEqual([{ name: 'primary' }]);
  });
});
