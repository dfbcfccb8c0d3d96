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
    await server.query(`INSERT INTO fold_candidates (link_id, hour, noted_at)
      VALUES (1, now() - interval '30 days', now() - interval '30 days'), (2, now(), now())`);
    const retention = new LedgerRetention(database, { foldRange: () => Promise.reject(new Error('unused')) }, 400);
    const locks = { acquireRead: () => Promise.reject(new Error('unused')) };
    const logger = createLogger({ name: 'test', level: 'silent' });
    const job = expireVisits(
      { locks, logger },
      {
        dropMonths: () => Promise.reject(new Error('somebody reads the month')),
        deleteRows: (...args) => retention.deleteRows(...args),
      },
    );
    await expect(job.work(new AbortController().signal)).rejects.toThrow('somebody reads the month');
    expect(await server.query('SELECT link_id FROM fold_candidates')).toEqual([{ link_id: '2' }]);
  });
});
