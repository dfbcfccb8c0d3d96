import type { Database } from '@hopcount/postgres';

export interface ExpiringTable {
  name: string;
  /** Timestamp with an index, by which rows go. */
  time: string;
  /** Which of them; absent: all. */
  where?: string;
}

const ROWS_PER_TRANSACTION = 5_000;

/**
 * Deletes rows whose time is before an instant (text as PostgreSQL reads it), oldest first, so many in one
 * short transaction. Each goes on behind the one before, so rows just deleted are not walked again; rows that
 * somebody else has locked are left to the next call. @returns how many rows went
 */
export async function deleteBefore(
  database: Database,
  { name, time, where = 'true' }: ExpiringTable,
  before: string,
  options: { rowsPerTransaction?: number; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const { rowsPerTransaction: limit = ROWS_PER_TRANSACTION, signal } = options;
  // Identifiers cannot be parameters; these are constants of our own.
  const statement = `
    WITH old AS MATERIALIZED (
      SELECT ctid FROM ${name}
      WHERE ${time} >= $1::timestamptz AND ${time} < $2::timestamptz AND ${where}
      ORDER BY ${time} LIMIT $3
      FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM ${name} USING old WHERE ${name}.ctid = old.ctid RETURNING ${time} AS at
    )
    SELECT count(*)::integer AS rows, max(at)::text AS last FROM gone`;
  let deleted = 0;
  for (let from = '-infinity', some = limit; some === limit && signal?.aborted !== true;) {
    const [gone] = await database.query<{ rows: number; last: string | null }>(statement, [from, before, limit]);
    some = gone?.rows ?? 0;
    deleted += some;
    from = gone?.last ?? from;
  }
  return deleted;
}
