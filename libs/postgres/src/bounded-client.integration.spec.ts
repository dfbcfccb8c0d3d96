import { FreezingProxy, testDatabase, waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Database, type Transaction } from './database.js';
import { classifyPostgresError, postgresErrorCode } from './postgres.errors.js';
import { StatementPool } from './statement-pool.js';

const STATEMENT_TIMEOUT_MS = 1_000;
const GRACE_MS = 300;

describe('a connection whose server has vanished', () => {
  let server: Awaited<ReturnType<typeof testDatabase>>;
  let proxy: FreezingProxy;
  let database: Database;
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);

  beforeEach(async () => {
    process.on('unhandledRejection', onUnhandled);
    server = await testDatabase({ schema: 'empty' });
    await server.query('CREATE TABLE notes (note text)');
    const target = new URL(server.url);
    proxy = await FreezingProxy.listen(target);
    database = await Database.connect({
      url: proxy.through(target),
      applicationName: 'frozen-spec',
      poolSize: 1,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      answerGraceMs: GRACE_MS,
    });
  });
  afterEach(async () => {
    // First the proxy: a statement a failed test left behind would keep the pool from closing.
    await proxy.close();
    await database.close();
    await server.drop();
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  const session = async () => (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid;
  const sessions = () =>
    server.query<{ pid: number; state: string }>(`SELECT pid, state FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'frozen-spec'`);

  /** Works again over a new connection, several times in a row: one leaked place would be the only one. */
  const expectNewConnection = async (before: number | undefined) => {
    proxy.thaw();
    const after = await session();
    expect(after).toEqual(expect.any(Number));
    expect(after).not.toBe(before);
    expect(await session()).toBe(after);
    await waitUntil(async () => (await sessions()).map(({ pid }) => pid).join() === String(after), {
      describe: 'only the new session',
    });
  };

  const expectGivenUp = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(postgresErrorCode(error)).toBe('ETIMEDOUT');
    expect(classifyPostgresError(error)).toBe('unavailable');
    expect(proxy.swallowed).toBeGreaterThan(0);
  };

  it('is given up in the middle of a statement; the pool opens a new one', async () => {
    const before = await session();
    const slow = database.query('SELECT pg_sleep(0.6)');
    await waitUntil(async () => (await sessions()).some(({ state }) => state === 'active'), {
      describe: 'the statement is at work',
    });
    proxy.freeze();
    await expectGivenUp(slow);
    await expectNewConnection(before);
  });

  it('has the time that DATABASE_URL gives it, which goes before our own setting', async () => {
    const url = `${proxy.through(new URL(server.url))}?statement_timeout=500`;
    const options = { url, applicationName: 'url-spec', poolSize: 1, statementTimeoutMs: 60_000 };
    const limited = await Database.connect({ ...options, answerGraceMs: GRACE_MS });
    const [shown] = await limited.query('SHOW statement_timeout');
    expect(shown).toEqual({ statement_timeout: '500ms' });
    proxy.freeze();
    await expectGivenUp(limited.query('SELECT 1'));
    proxy.thaw();
    await limited.close();
  });

  it('is given up inside a transaction, which the server rolls back', async () => {
    const before = await session();
    const work = database.transaction(async (tx) => {
      await tx.query(`INSERT INTO notes VALUES ('never')`);
      proxy.freeze();
      await tx.query('SELECT 1');
    });
    await expectGivenUp(work);
    await expectNewConnection(before);
    expect(await database.query('SELECT * FROM notes')).toEqual([]);
  });

  it('is given up at BEGIN and at COMMIT, whose answer is then unknown', async () => {
    const before = await session();
    proxy.freeze();
    await expectGivenUp(database.transaction(() => Promise.resolve()));
    await expectNewConnection(before);

    const between = await session();
    const work = database.transaction(async (tx) => {
      await tx.query(`INSERT INTO notes VALUES ('lost')`);
      proxy.freeze();
    });
    await expectGivenUp(work);
    await expectNewConnection(between);
    // The COMMIT was swallowed here; had it arrived, the note would be there: only reading tells.
    expect(await database.query('SELECT * FROM notes')).toEqual([]);
  });

  it.each([false, true])('fails all that wait on it at once (readOnly: %s)', async (readOnly) => {
    const ask = async (tx: Transaction) => {
      await tx.query('SELECT 0');
      proxy.freeze();
      const both = await Promise.allSettled([tx.query('SELECT 1'), tx.query('SELECT 2')]);
      expect(both.map((one) => one.status === 'rejected' && classifyPostgresError(one.reason))).toEqual([
        'unavailable',
        'unavailable',
      ]);
      throw both[0]?.status === 'rejected' ? both[0].reason : new Error('not rejected');
    };
    const before = await session();
    await expectGivenUp(database.transaction(ask, { readOnly }));
    await expectNewConnection(before);
  });

  it('is an outage also when it is lost between two statements', async () => {
    const work = database.transaction(async (tx) => {
      await tx.query('SELECT 1');
      await server.disconnectOthers();
      await waitUntil(() => tx.manager.queryRunner?.isReleased, { describe: 'the loss is noticed' });
      await tx.query('SELECT 1');
    });
    expect(classifyPostgresError(await work.catch((error: unknown) => error))).toBe('unavailable');
  });

  it('is kept while answers come: the server ends a slow statement, a queue of them may take longer', async () => {
    const before = await session();
    const slow = database.query('SELECT pg_sleep(30)').catch((error: unknown) => postgresErrorCode(error));
    expect(await slow).toBe('57014');
    await database.transaction((tx) => Promise.all([0.6, 0.6, 0.6].map((s) => tx.query('SELECT pg_sleep($1)', [s]))));
    expect(await session()).toBe(before);
  });

  it('is kept as long as a transaction wants that sets its own limit, and bounded again after it', async () => {
    const before = await session();
    await database.transaction(async (tx) => {
      await tx.query(`SELECT set_config('statement_timeout', '0', true)`);
      await tx.query('SELECT pg_sleep(1.7)');
    });
    expect(await session()).toBe(before);
    proxy.freeze();
    await expectGivenUp(database.query('SELECT 1'));
  });

  it('is replaced by a pool of statements, as one that may only read, and not for a statement that fails', async () => {
    const limits = { poolSize: 1, statementTimeoutMs: STATEMENT_TIMEOUT_MS, answerGraceMs: GRACE_MS };
    const pool = new StatementPool({
      url: proxy.through(new URL(server.url)),
      applicationName: 'pool-spec',
      ...limits,
    });
    const own = async () => (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid;
    const first = await own();
    expect(await pool.execute(`INSERT INTO notes VALUES ($1), ('b')`, ['a'])).toEqual({ rows: [], affected: 2 });
    expect(postgresErrorCode(await pool.query('SELECT 1 / 0').catch((error: unknown) => error))).toBe('22012');
    expect(await own()).toBe(first);

    proxy.freeze();
    await expectGivenUp(pool.query('SELECT 1'));
    proxy.thaw();
    const second = await own();
    expect(second).not.toBe(first);
    await server.disconnectOthers();
    const isNew = () =>
      own().then(
        (pid) => pid !== second,
        () => false,
      );
    await waitUntil(isNew, { describe: 'a session after those that were ended' });

    await pool.query('SET default_transaction_read_only = on');
    const add = () => pool.query(`INSERT INTO notes VALUES ('c')`);
    expect(postgresErrorCode(await add().catch((error: unknown) => error))).toBe('25006');
    await add();
    expect(await pool.query('SELECT note FROM notes ORDER BY note')).toEqual(['a', 'b', 'c'].map((note) => ({ note })));
    await pool.close();
  });
});
