import { readDoubted, trustSums } from '@hopcount/ledger';
import { enrichedVisit, Ledger } from '@hopcount/ledger/spec-helpers';
import { Registry } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { createWorkerMetrics } from '../worker.metrics.js';
import { recordedLog } from '../worker.spec-helpers.js';
import { watchSums } from './maintenance-jobs.js';

describe('the worker, comparing sums with their visits', () => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await Ledger.open();
    await (
      await ledger.consumer()
    )(Array.from({ length: 5 }, () => enrichedVisit({ atMs: Date.now() - 3_600_000 })));
  });
  afterEach(() => ledger.close());

  it('notes a wrong sum, logs it and says so in the metric that alerts, until sums are right again', async () => {
    const { database, server } = ledger;
    const registry = new Registry();
    const { errors, logger } = recordedLog();
    const metrics = createWorkerMetrics(registry);
    const compare = async () => {
      // Each job begins with a sweep that has not rested yet.
      await watchSums({ database, metrics, logger }).work(new AbortController().signal);
      return /^hopcount_sums_doubted (\d+)$/m.exec(await registry.metrics())?.[1];
    };
    expect([await compare(), errors]).toEqual(['0', []]);
    await server.query(`UPDATE scope_traffic SET visits = visits + 1 WHERE scope = 'domain'`);
    expect([await compare(), errors]).toEqual(['1', [expect.stringContaining('"check":"scopes"')]]);
    const doubted = await readDoubted(database);
    expect(doubted?.checks).toEqual(['scopes']);
    await server.query(`UPDATE scope_traffic SET visits = visits - 1 WHERE scope = 'domain'`);
    // Only a verification of everything knows that all sums are right.
    expect(await compare()).toBe('1');
    await trustSums(database, await readDoubted(database), { archived: false });
    expect(await compare()).toBe('0');
  });
});
