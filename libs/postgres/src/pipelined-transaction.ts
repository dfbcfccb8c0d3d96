import type pg from 'pg';
import { type QueryRunner, QueryRunnerAlreadyReleasedError } from 'typeorm';

import type { BoundedClient } from './bounded-client.js';
import { copyFrom, copyTo } from './copy.js';
import type { Transaction } from './database.js';
import { postgresErrorCode } from './postgres.errors.js';

/**
 * What says only that another statement failed before: the transaction is aborted, was not begun, or the statement was to be
 * prepared by one that failed.
 */
const CONSEQUENCES: ReadonlySet<string> = new Set(['25P02', '25P01', '26000']);

/**
 * Runs `work` in a transaction whose statements do not wait for each other's answers: those that are asked in one turn go out in
 * one write, and PostgreSQL runs them in that order. So does what begins the transaction; should that fail, the others run outside
 * of it, and nothing is handed out: only for transactions that read.
 */
export async function runPipelined<T>(runner: QueryRunner, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = (await runner.connect()) as BoundedClient;
  let isOpen = true;
  let failed: { error: unknown } | undefined;
  const expectOpen = () => {
    // After its end the connection is back in the pool.
    if (!isOpen || runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
  };
  const send = (text: string, values: unknown[] = []): Promise<pg.QueryResult> => client.query(text, values);
  const ask = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
    expectOpen();
    try {
      return await send(text, values);
    } catch (error) {
      failed ??= { error };
      throw error;
    }
  };
  const alone = (copy: () => Promise<number>) => client.alone(() => (expectOpen(), copy()));
  client.isPipelined = true;
  try {
    const begun = ask('START TRANSACTION');
    begun.catch(() => undefined); // below
    const result = await work({
      manager: runner.manager,
      query: async <Row>(text: string, values?: unknown[]) => (await ask(text, values)).rows as Row[],
      execute: async <Row>(text: string, values?: unknown[]) => {
        const { rows, rowCount } = await ask(text, values);
        return { rows: rows as Row[], affected: rowCount ?? 0 };
      },
      copyTo: (statement, sink, signal) => alone(() => copyTo(runner, statement, sink, signal)),
      copyFrom: (statement, source, signal) => alone(() => copyFrom(runner, statement, source, signal)),
      copyRows: (statements, rows) => alone(() => client.copyRows(statements, rows)),
    });
    await begun;
    const committed = ask('COMMIT');
    isOpen = false;
    await committed;
    return result;
  } catch (error) {
    isOpen = false;
    // A broken connection cannot roll back; the server does it.
    if (!runner.isReleased) await send('ROLLBACK').catch(() => undefined);
    throw failed !== undefined && CONSEQUENCES.has(postgresErrorCode(error)) ? failed.error : error;
  } finally {
    client.isPipelined = false;
  }
}

/**
 * The answers to several questions, once all have ended. Promise.all alone would reject at the first failure, while the others
 * still use the connection, which then goes back to the pool. @throws what failed first, as listed
 */
export async function together<T extends readonly unknown[] | []>(
  asked: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
}
