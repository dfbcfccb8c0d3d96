import { setTimeout as sleep } from 'node:timers/promises';

import { Database, type Transaction } from '@hopcount/postgres';
import { assertSameIds, buildVisitEvent, visitRecord, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ConsumerBench, consumerBench, ledgerIds, metricOf } from './consumer.spec-helpers.js';

const TEST_MS = 90_000;
const LINKS = ['1001', '1002'] as const;
const AN_HOUR_AGO = () => Date.now() - 3_600_000;

/** What PostgreSQL may do to a consumer in the middle of its work. */
describe('the consumer and PostgreSQL', () => {
  let bench: ConsumerBench;
  let other: Database;

  beforeEach(async () => {
    bench = await consumerBench({ partitions: 1 });
    other = await Database.connect({ url: bench.database.url, applicationName: 'the-other', poolSize: 2 });
  });

  afterEach(async () => {
    await other.close();
    await bench.close();
  });

  async function produce(count: number, occurredAt?: number): Promise<string[]> {
    const visits = Array.from({ length: count }, (_, index) =>
      buildVisitEvent({ linkId: LINKS[index % 2], ...(occurredAt === undefined ? {} : { occurredAt }) }),
    );
    await bench.topic.produce(visits.map(visitRecord));
    return visits.map((visit) => visit.eventId);
  }

  /** The consumer's backend that waits for a lock in the middle of its transaction. */
  const blockedBackend = () =>
    waitUntil(
      async () => {
        const rows = await bench.database.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'hopcount-consumer' AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO link_%'`,
        );
        return rows[0]?.pid;
      },
      { timeoutMs: 20_000, everyMs: 10, describe: 'the consumer waits for a lock' },
    );

  async function expectCounted(ids: string[]): Promise<void> {
    assertSameIds(ids, await ledgerIds(bench.database, ids.length));
    await bench.untilRead();
    expect(await bench.sums()).toEqual([ids.length, ids.length, ids.length]);
    expect(await bench.letters()).toEqual({});
  }

  it(
    'F18: a batch that loses a deadlock is done again, counted once, and none of it is put aside',
    async () => {
      const occurredAt = AN_HOUR_AGO();
      const consumer = await bench.start();
      const first = await produce(10, occurredAt);
      await bench.untilRead();
      let second: string[] = [];
      const take = (tx: Transaction, linkId: string) =>
        tx.query('UPDATE link_traffic SET visits = visits WHERE link_id = $1', [linkId]);
      await other.transaction(async (tx) => {
        // The consumer looks for the cycle after a second and finds itself in it; this session never looks.
        await tx.query("SET LOCAL deadlock_timeout = '60s'");
        await take(tx, LINKS[1]);
        second = await produce(10, occurredAt);
        await blockedBackend();
        await take(tx, LINKS[0]);
      });
      await expectCounted([...first, ...second]);
      expect(await metricOf(consumer, 'hopcount_batch_retries_total', 'sqlstate="40P01"')).toBeGreaterThan(0);
    },
    TEST_MS,
  );

  it.each([
    ['L1, D2, F17: a session terminated', 'pg_terminate_backend', '57P01'],
    ['F17: a statement cancelled, as statement_timeout does it,', 'pg_cancel_backend', '57014'],
  ])(
    '%s in the middle of its transaction: nothing of it stays, all of it is done again',
    async (_, end, sqlstate) => {
      const consumer = await bench.start();
      const first = await produce(10);
      await bench.untilRead();
      let second: string[] = [];
      await other.transaction(async (tx) => {
        // The last statement of a commit waits for it; ledger and sums are written and not committed.
        await tx.query('LOCK TABLE link_changes IN ACCESS EXCLUSIVE MODE');
        second = await produce(20);
        const pid = await blockedBackend();
        await tx.query(`SELECT ${end}($1)`, [pid]);
        await waitUntil(async () => (await metricOf(consumer, 'hopcount_batch_retries_total')) > 0, {
          timeoutMs: 20_000,
          describe: 'the transaction failed',
        });
        expect((await bench.sums())[0]).toBe(first.length);
      });
      await expectCounted([...first, ...second]);
      expect(await metricOf(consumer, 'hopcount_batch_retries_total', `sqlstate="${sqlstate}"`)).toBeGreaterThan(0);
    },
    TEST_MS,
  );

  it(
    'F19: a database that takes no writes is waited for, nothing is put aside, and it goes on by itself',
    async () => {
      const consumer = await bench.start();
      const first = await produce(10);
      await bench.untilRead();
      const setReadOnly = (value: 'on' | 'off') =>
        bench.database.query(
          `BEGIN READ WRITE; ALTER DATABASE ${bench.database.name} SET default_transaction_read_only = ${value}; COMMIT`,
        );
      await setReadOnly('on');
      await bench.database.disconnectOthers();
      const second = await produce(30);
      await waitUntil(async () => (await metricOf(consumer, 'hopcount_batch_retries_total', 'sqlstate="25006"')) > 1, {
        timeoutMs: 30_000,
        describe: 'the consumer was refused twice',
      });
      await sleep(500);
      expect((await bench.sums())[0]).toBe(first.length);
      await setReadOnly('off');
      await expectCounted([...first, ...second]);
    },
    TEST_MS,
  );
});
