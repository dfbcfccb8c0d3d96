import { StatementPool } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { type TestDatabase, testDatabase, waitUntil } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { GatewayGround } from '../gateway.spec-helpers.js';
import { StateReports } from './state-reports.js';

const LOGGER = createLogger({ name: 'spec', level: 'silent' });

describe('what a gateway says of its spool', () => {
  let database: TestDatabase;
  let pool: StatementPool;

  beforeAll(async () => {
    database = await testDatabase();
    pool = new StatementPool({ url: database.url, applicationName: 'spec' });
  });
  afterEach(() => database.query('TRUNCATE gateway_states'));
  afterAll(async () => {
    await pool.close();
    await database.drop();
  });

  const reportsOf = (source: string, pendingEvents: number, adopted: string[] = []) => {
    const spool = { pendingEvents, adoptedOwners: new Set(adopted) };
    return { spool, reports: new StateReports(pool, source, spool, LOGGER) };
  };
  const rows = async () =>
    (
      await database.query<{ row: string }>(
        `SELECT source || ' ' || spooled_visits AS row FROM gateway_states ORDER BY source COLLATE "C"`,
      )
    ).map(({ row }) => row);

  it('is its last word, and gone with a process that leaves nothing behind', async () => {
    const [first, second] = [reportsOf('first', 7), reportsOf('second', 0)];
    await first.reports.report();
    await second.reports.report();
    expect(await rows()).toEqual(['first 7', 'second 0']);
    first.spool.pendingEvents = 3;
    await first.reports.stop();
    await second.reports.stop();
    expect(await rows()).toEqual(['first 3']);
  });

  it('comes from a gateway that runs, and goes with it', async () => {
    const ground = await GatewayGround.open();
    try {
      const gateway = await ground.start();
      const said = () => ground.database.query<{ source: string }>('SELECT source FROM gateway_states');
      const [row] = await waitUntil(async () => ((await said()).length > 0 ? said() : undefined), {
        describe: 'the row of the gateway',
      });
      expect(row?.source).toMatch(/^gw-.+@.+/);
      await gateway.close();
      expect(await said()).toEqual([]);
    } finally {
      await ground.close();
    }
  });

  it('takes away what is said of those whose visits another one took over, and of those long gone', async () => {
    await database.query(
      `INSERT INTO gateway_states VALUES ('killed', 5, now()), ('elsewhere', 2, now()),
         ('old', 1, now() - interval '25 hours')`,
    );
    const { spool, reports } = reportsOf('next', 5, ['killed']);
    await reports.report();
    expect(await rows()).toEqual(['elsewhere 2', 'next 5']);
    expect(spool.adoptedOwners.size).toBe(0);
  });

  it('remembers whose visits were taken over until PostgreSQL has been told', async () => {
    const { spool, reports } = reportsOf('next', 5, ['killed']);
    await database.query('ALTER TABLE gateway_states RENAME TO away');
    await expect(reports.report()).rejects.toThrow('gateway_states');
    expect([...spool.adoptedOwners]).toEqual(['killed']);
    await reports.stop();
    await database.query('ALTER TABLE away RENAME TO gateway_states');
  });
});
