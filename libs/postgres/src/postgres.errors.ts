import { isTlsFailure } from '@hopcount/runtime';

/**
 * What a PostgreSQL failure means for the one who asked:
 * - `unavailable`: no connection, shutting down, read-only, out of space: wait and do the same again.
 * - `conflict`: deadlock or serialization failure (40P01, 40001): run the transaction again at once.
 * - `data`: a value PostgreSQL cannot hold (class 22, 23514, 54000): the same rows fail for ever.
 * - `defect`: anything else; a bug in our SQL or schema.
 */
export type PostgresFailure = 'unavailable' | 'conflict' | 'data' | 'defect';

const SOCKET_ERRORS = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE'];
const UNAVAILABLE_CODES = new Set([
  ...SOCKET_ERRORS,
  '25006', // read_only_sql_transaction (failover, or an operator's switch)
  '25P03', // idle_in_transaction_session_timeout: we were stopped too long
  '57014', // query_canceled (statement_timeout)
  '3D000', // invalid_catalog_name: the database is being restored
]);
// connection exception, insufficient resources, operator intervention, system error
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);

export function classifyPostgresError(error: unknown): PostgresFailure {
  const { code, message } = rootOf(error);
  if (code === '40P01' || code === '40001') return 'conflict';
  if (isStalePlan(code, message) || UNAVAILABLE_CODES.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2)))
    return 'unavailable';
  if (code.startsWith('22') || code === '23514' || code.startsWith('54')) return 'data';
  return isLostConnection(code, message) || isTlsFailure(code) ? 'unavailable' : 'defect';
}

/** No connection, or a server that is shutting down, has crashed or is not ready yet: no other statement would fare better. */
export function isServerAway(error: unknown): boolean {
  const { code, message } = rootOf(error);
  return (
    SOCKET_ERRORS.includes(code) || /^(08|57P0)/.test(code) || isTlsFailure(code) || isLostConnection(code, message)
  );
}

/**
 * A session that may only read stays so for all its life, also when the server may write again (a setting undone, a proxy that
 * points elsewhere by now), and one that prepared a statement fails with it for ever once a migration gave it other columns.
 */
export function mustEndSession(error: unknown): boolean {
  const { code, message } = rootOf(error);
  return code === '25006' || isStalePlan(code, message);
}

/** SQLSTATE or errno, '' when there is none; for metrics and logs. */
export function postgresErrorCode(error: unknown): string {
  return rootOf(error).code;
}

function isStalePlan(code: string, message: string): boolean {
  return code === '0A000' && message.includes('cached plan');
}

/** pg reports it without a code. */
function isLostConnection(code: string, message: string): boolean {
  return code === '' && /connection|timeout|terminat|not queryable/i.test(message);
}

/** TypeORM wraps the driver's error; Node wraps several connection attempts in one. */
function rootOf(error: unknown): { code: string; message: string } {
  let current = error as { driverError?: unknown; errors?: unknown[]; code?: unknown; message?: unknown };
  while (typeof current === 'object' && current !== null) {
    if (typeof current.driverError === 'object' && current.driverError !== null) {
      current = current.driverError;
    } else if (current.code === undefined && Array.isArray(current.errors) && current.errors.length > 0) {
      current = current.errors[0] as typeof current;
    } else break;
  }
  return {
    code: typeof current?.code === 'string' ? current.code : '',
    message: typeof current?.message === 'string' ? current.message : String(error),
  };
}
