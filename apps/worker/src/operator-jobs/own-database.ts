import { randomUUID } from 'node:crypto';

import { Database } from '@hopcount/postgres';

const STATEMENT_TIMEOUT_MS = 30 * 60_000;
/** However long its statements would take. */
const END_CONNECTIONS = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1';

/** Connections of a job's own, which are ended with it: what they were changing is undone. */
export async function openOwnDatabase(
  shared: Database,
  url: string,
  signal: AbortSignal,
): Promise<{ database: Database } & AsyncDisposable> {
  const applicationName = `hopcount-job-${randomUUID()}`;
  const database = await Database.connect({
    ...{ url, applicationName, poolSize: 4, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  });
  // If it fails, the statements end by their timeout.
  const end = () => void shared.query(END_CONNECTIONS, [applicationName]).catch(() => undefined);
  signal.addEventListener('abort', end, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', end);
    await database.close();
  };
  return { database, [Symbol.asyncDispose]: close };
}
