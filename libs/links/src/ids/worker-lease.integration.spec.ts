import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@hopcount/postgres';
import { createLogger } from '@hopcount/runtime';
import { testDatabase, type TestDatabase } from '@hopcount/testing';

import { WorkerLease, type WorkerLeaseOptions } from './worker-lease.js';

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

function newLease(options: Partial<WorkerLeaseOptions> = {}): WorkerLease {
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

  it('takes no id under which others were ahead of its clock, and is refused when there is no other', async () => {
    const [clock] = await given.query<{ ms: string }>('SELECT (extract(epoch FROM now()) * 1000)::bigint AS ms');
    const now = Number(clock?.ms);
    await given.query(
      "INSERT INTO worker_leases SELECT id, 'gone', now() - interval '1 hour', $1 FROM generate_series(0, 1023) AS id",
      [now - 60_000],
    );
    const behind = { wallMs: () => now - 120_000 };
    await expect(newLease(behind).renew()).rejects.toThrow('no snowflake worker id is free');
    await given.query('DELETE FROM worker_leases WHERE worker_id = 77');
    const other = newLease(behind);
    await other.renew();
    expect([other.current(), other.window().fromMs]).toEqual([77, now - 120_000]);
    const right = newLease({ wallMs: () => now });
    await right.renew();
    expect(right.current()).not.toBe(77);
    expect(right.window()).toMatchObject({ fromMs: now, untilMs: now + 30_000 });
  });

  it('says in PostgreSQL how far its ids may go, which never goes back', async () => {
    let now = 1_800_000_000_000;
    const lease = newLease({ leaseMs: 30_000, wallMs: () => now });
    await lease.start();
    for (const [wallMs, untilMs] of [
      [now, now + 30_000],
      [now + 5_000, now + 35_000],
      [now - 3_600_000, now + 35_000],
    ] as const) {
      now = wallMs;
      await lease.renew();
      expect(lease.window().untilMs).toBe(untilMs);
      expect(await given.query('SELECT last_ms FROM worker_leases')).toEqual([{ last_ms: String(untilMs) }]);
    }
  });
});
