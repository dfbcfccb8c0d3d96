import { LedgerRetention } from '@hopcount/ledger';
import { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { expireVisits } from './maintenance-jobs.js';

describe('the expiry of visits', () => {
  let server: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'expiry-spec' });
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
  });

  it('deletes rows beyond the retention also while a month cannot be dropped, and fails all the same', async () => {
    await server.query(`INSERT INTO link_folds
      VALUES (1, now() - interval '3 days', 1, 1, '{}', '{}', 1), (2, now(), 1, 1, '{}', '{}', 1)`);
    const retention = new LedgerRetention(database, () => Promise.reject(new Error('unused')), 400);
    const logger = createLogger({ name: 'test', level: 'silent' });
    const job = expireVisits(
      { logger },
      {
        dropMonths: () => Promise.reject(new Error('somebody reads the month')),
        deleteRows: (...args) => retention.deleteRows(...args),
      },
    );
    await expect(job.work(new AbortController().signal)).rejects.toThrow('somebody reads the month');
    expect(await server.query('SELECT link_id FROM link_folds')).toEqual([{ link_id: '2' }]);
  });
});
