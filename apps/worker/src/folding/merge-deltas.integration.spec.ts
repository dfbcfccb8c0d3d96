import { HotFolds } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { parseConfig, Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { workerConfigSchema } from '../worker.config.js';
import { createWorkerMetrics } from '../worker.metrics.js';
import { mergeDeltas } from './folding-jobs.js';

const NOW = Date.parse('2026-09-10T12:40:00Z');
const HOUR = new Date('2026-09-10T12:00:00Z');

describe('the merge of what commits added to hot hours', () => {
  let server: TestDatabase;
  let database: Database;

  beforeEach(async () => {
    server = await testDatabase();
    const settings = { applicationName: 'merge-spec', statementTimeoutMs: 1_000 };
    database = await Database.connect({ url: server.url, ...settings });
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
  });

  it('delays only the link whose merge takes too long, and counts each failure', async () => {
    for (const link of [1, 2, 3]) await server.query('INSERT INTO link_heat VALUES ($1, 9, 8, $2)', [link, HOUR]);
    const commit = await openLedger(database);
    await commit(['1', '2', '3'].map((linkId) => enrichedVisit({ linkId, atMs: NOW })));
    await server.query(`
      CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
      CREATE TRIGGER take_long BEFORE INSERT ON link_folds FOR EACH ROW WHEN (NEW.link_id = 2)
        EXECUTE FUNCTION take_long();`);
    const registry = new Registry();
    const parts = { config: parseConfig(workerConfigSchema, {}), metrics: createWorkerMetrics(registry) };
    const job = mergeDeltas(parts, new HotFolds(database, { leastRows: 1 }), () => NOW);
    const run = () => job.work(new AbortController().signal);
    const links = (table: string) => server.query(`SELECT link_id, visits::int FROM ${table} ORDER BY link_id`);
    const failures = async () => (await registry.getSingleMetric('hopcount_fold_failures_total')!.get()).values;

    await run();
    expect(await links('link_folds')).toEqual(['1', '3'].map((link_id) => ({ link_id, visits: 1 })));
    expect(await links('link_fold_deltas')).toEqual([{ link_id: '2', visits: 1 }]);
    expect(await failures()).toMatchObject([{ value: 1 }]);
    await run();
    expect(await failures()).toMatchObject([{ value: 2 }]);

    await server.query('DROP TRIGGER take_long ON link_folds');
    await run();
    expect(await links('link_folds')).toEqual(['1', '2', '3'].map((link_id) => ({ link_id, visits: 1 })));
    expect([await links('link_fold_deltas'), await failures()]).toMatchObject([[], [{ value: 2 }]]);
  });
});
