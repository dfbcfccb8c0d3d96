import { classifyPostgresError, postgresErrorCode } from '@hopcount/postgres';

/** query_canceled: what was in hand is too large for the statement limit; PostgreSQL is well. */
const TOO_LONG = '57014';

/** Whether a failure is of the whole run and not only of what was in hand. */
export function endsRun(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted === true) return true;
  return classifyPostgresError(error) === 'unavailable' && postgresErrorCode(error) !== TOO_LONG;
}
