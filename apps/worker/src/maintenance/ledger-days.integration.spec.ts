import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Archive } from '@hopcount/archive';
import { createMonths, DAY_MS, LedgerRetention, PartitionCheckpoints, VisitCommitter } from '@hopcount/ledger';
import { enrichedVisit } from '@hopcount/ledger/spec-helpers';
import { Database } from '@hopcount/postgres';
import { createLogger, Registry } from '@hopcount/runtime';
import { type TestDatabase, testDatabase } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { createPartitions } from './maintenance-jobs.js';

const logger = createLogger({ name: 'spec', level: 'silent' });

describe('LEDGER_DAYS raised after months were dropped', () => {
  let server: TestDatabase;
  let database: Database;
  let root: string;
  let archive: Archive;

  beforeEach(async () => {
    server = await testDatabase();
    database = await Database.connect({ url: server.url, applicationName: 'spec' });
    root = mkdtempSync(join(tmpdir(), 'ledger-days-'));
    archive = new Archive(database, { root, memoryMb: 128 });
  });
  afterEach(async () => {
    await database.close();
    await server.drop();
    rmSync(root, { recursive: true });
  });

  const commit = async (atMs: number) => {
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(
      { group: 'g', topic: 't', partition: 0 },
      'spec',
    );
    const batch = {
      checkpoint,
      nextOffset: checkpoint.nextOffset ?? 1n,
      lastRecordAtMs: atMs,
      visits: [enrichedVisit({ atMs })],
    };
    return new VisitCommitter(database, { slots: 8 }).commit(batch);
  };
  const retention = (ledgerDays: number) => new LedgerRetention(database, { ledgerDays, archive });
  const run = (ledgerDays: number) => {
    const deps = { config: { ledgerDays }, database, metrics: createWorkerMetrics(new Registry()), logger };
    return createPartitions(deps, retention(ledgerDays), archive).work(new AbortController().signal);
  };

  it('opens those months again, with what they held: visits of them are counted', async () => {
    const old = Date.now() - 150 * DAY_MS;
    await createMonths(database, { ledgerDays: 200 });
    await commit(old);
    await archive.seal(await archive.dueHours(Date.now() - DAY_MS, 'all'));
    expect((await retention(45).dropMonths(Date.now())).every(({ kept }) => kept === null)).toBe(true);
    await run(45);
    await expect(commit(old + 1)).rejects.toMatchObject({ driverError: { code: '23514' } });
    await run(200);
    await commit(old + 1);
    expect(await server.query('SELECT count(*)::int AS visits FROM visits')).toEqual([{ visits: 2 }]);
    expect(await retention(200).dropMonths(Date.now())).toEqual([]);
  });
});
