import { postgresErrorCode, type Transaction } from '@hopcount/postgres';
import { AppError, isAppError } from '@hopcount/runtime';

/** The setting as a value: so the connection keeps its own limit, a longer one, for a server that does not answer. */
const SET_TIMEOUT = 'SELECT set_config($1, $2, true)';
const TIMEOUT = 'statement_timeout';
/** A statement that was ended. */
const TIMED_OUT = '57014';

/**
 * Work all of which has so long: each statement has what those before it have left, and what is read of files ends with the signal.
 * @throws AppError `answer-takes-too-long`; the database's error, where a statement is ended (57014)
 */
export async function inTime<T>(
  tx: Transaction,
  timeoutMs: number,
  work: (tx: Transaction, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const endsAtMs = performance.now() + timeoutMs;
  const signal = AbortSignal.timeout(timeoutMs);
  const hurry = async () => {
    const leftMs = Math.ceil(endsAtMs - performance.now());
    if (leftMs <= 0) throw tooLong(undefined);
    await tx.query(SET_TIMEOUT, [TIMEOUT, String(leftMs)]);
  };
  const hurried: Transaction = {
    ...tx,
    query: async <Row>(text: string, values?: unknown[]) => {
      await hurry();
      return tx.query<Row>(text, values);
    },
    execute: async <Row>(text: string, values?: unknown[]) => {
      await hurry();
      return tx.execute<Row>(text, values);
    },
    copyTo: async (...copied) => {
      await hurry();
      return tx.copyTo(...copied);
    },
  };
  try {
    return await work(hurried, signal);
  } catch (error) {
    throw signal.aborted && isAppError(error, 'archive-question-too-large') ? tooLong(error) : error;
  }
}

/** What to throw instead of an error: `answer-takes-too-long` where a statement was ended, else itself. */
export function orTooLong(error: unknown): unknown {
  return postgresErrorCode(error) === TIMED_OUT ? tooLong(error) : error;
}

function tooLong(cause: unknown): AppError {
  const message = 'The answer takes too long: ask for a name further down, for a shorter range, or again later.';
  return new AppError('answer-takes-too-long', message, { retryable: true, cause });
}
