import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { WorkerLease } from './worker-lease.js';

const logger = createLogger({ name: 'test', level: 'silent' });
let given: TestDatabase;
let database: Database;
const open: WorkerLease[] = [];

beforeAll(async () => {
  given = await testDatabase();
  database = await Database.connect({ url: given.url, applicationName: 'test' });
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((lease) => lease.close()));
  await given.query('DELETE FROM worker_leases');
});
afterAll(async () => {
  await database.close();
  await given.drop();
});

function newLease(options: { leaseMs?: number; restMs?: number; nowMs?: () => number } = {}): WorkerLease {
  const lease = new WorkerLease(database, { logger, marginMs: 0, ...options });
  open.push(lease);
  return lease;
}

describe('a worker lease', () => {
  it('is held by one process at a time', async () => {
    const leases = Array.from({ length: 12 }, () => newLease());
    await Promise.all(leases.map((lease) => lease.start()));
    const ids = leases.map((lease) => lease.current());
    expect(ids.every((id) => id !== undefined && id >= 0 && id < 1_024)).toBe(true);
    expect(new Set(ids).size).toBe(12);
  });

  it('says nothing before it is held and after it was closed', async () => {
    const lease = newLease();
    expect(lease.current()).toBeUndefined();
    await lease.start();
    expect(lease.current()).toBeDefined();
    await lease.close();
    expect(lease.current()).toBeUndefined();
  });

  it('ends on time without PostgreSQL, and goes on with another id after it was lost', async () => {
    let nowMs = 0;
    const lease = newLease({ leaseMs: 10_000, nowMs: () => nowMs });
    await lease.start();
    const first = lease.current();
    nowMs = 9_999;
    expect(lease.current()).toBe(first);
    nowMs = 10_000;
    expect(lease.current()).toBeUndefined();
    await given.query("UPDATE worker_leases SET expires_at = now() - interval '1 second'");
    await lease.renew();
    expect(lease.current()).toBeDefined();
    expect(lease.current()).not.toBe(first);
  });

  it('is prolonged by a renewal', async () => {
    let nowMs = 0;
    const lease = newLease({ leaseMs: 10_000, nowMs: () => nowMs });
    await lease.start();
    const first = lease.current();
    nowMs = 9_000;
    await lease.renew();
    nowMs = 18_000;
    expect(lease.current()).toBe(first);
  });

  it('takes an id that ended only after its rest', async () => {
    await given.query(
      "INSERT INTO worker_leases SELECT id, 'gone', now() - interval '30 seconds' FROM generate_series(0, 1023) AS id",
    );
    await expect(newLease({ restMs: 60_000 }).renew()).rejects.toThrow('no snowflake worker id is free');
    const lease = newLease({ restMs: 20_000 });
    await lease.renew();
    expect(lease.current()).toBeDefined();
  });
});
