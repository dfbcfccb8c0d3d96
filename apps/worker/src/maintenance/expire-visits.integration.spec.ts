import { LedgerRetention, PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { createLogger, Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { expireAuditLog, expireVisits } from './maintenance-jobs.js';

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

  it('deletes rows beyond the retention also while a month cannot be dropped, fails all the same and says how many wait', async () => {
    await server.query(`INSERT INTO link_folds
      VALUES (1, now() - interval '3 days', 1, 1, '{}', '{}', 1), (2, now(), 1, 1, '{}', '{}', 1)`);
    await server.query("SELECT create_visit_partitions('2025-01-01Z', '2025-02-01Z')");
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(
      { group: 'g', topic: 't', partition: 0 },
      'spec',
    );
    const visits = [enrichedVisit({ atMs: Date.UTC(2025, 0, 7) }), enrichedVisit({ atMs: Date.UTC(2025, 1, 7) })];
    await new VisitCommitter(database, { slots: 8 }).commit({ checkpoint, nextOffset: 2n, lastRecordAtMs: 1, visits });
    const archive = { examine: () => Promise.reject(new Error('somebody reads the month')) };
    const retention = new LedgerRetention(database, { ledgerDays: 400, archive });
    const registry = new Registry();
    const deps = {
      logger: createLogger({ name: 'test', level: 'silent' }),
      metrics: createWorkerMetrics(registry),
    };
    const job = expireVisits(deps, retention);
    await expect(job.work(new AbortController().signal)).rejects.toThrow('somebody reads the month');
    expect(await server.query('SELECT link_id FROM link_folds')).toEqual([{ link_id: '2' }]);
    expect(await registry.metrics()).toMatch(/^hopcount_ledger_overdue_months 2$/m);
  });

  it('of the audit log keeps the newest rows by number, too, and counts those that went before their days', async () => {
    await server.query(`DELETE FROM audit_log`);
    await server.query(`INSERT INTO audit_log (at, actor, kind, action, object)
      SELECT date_trunc('milliseconds', now() - age), '{"kind":"system","name":"x"}'::jsonb, 'tag', 'create', age::text
      FROM unnest(ARRAY['3 days', '23 hours', '22 hours', '22 hours', '1 hour']::interval[]) AS age`);
    const registry = new Registry();
    const job = expireAuditLog({
      config: { auditDays: 1, auditRows: 2 },
      database,
      logger: createLogger({ name: 'test', level: 'silent' }),
      metrics: createWorkerMetrics(registry),
    });
    for (let run = 0; run < 2; run += 1) await job.work(new AbortController().signal);
    const left = await server.query<{ object: string }>('SELECT object FROM audit_log ORDER BY at, id');
    expect(left.map(({ object }) => object)).toEqual(['22:00:00', '01:00:00']);
    expect(await registry.metrics()).toMatch(/^hopcount_audit_log_dropped_rows_total 2$/m);
  });
});
