import type { Database, Transaction } from '@hopcount/postgres';

/**
 * One rebuild or backfill at a time: two would each add what is missing. Taken by a statement of its own,
 * so that the next one's snapshot holds what the one before has committed.
 */
export const LOCK_REBUILD = "SELECT pg_advisory_xact_lock(hashtext('rebuild'))";

/** A transaction of a rebuild or backfill, run again when another one stood in its way. */
export function rebuildTransaction<T>(database: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction(
    async (tx) => {
      await tx.query(LOCK_REBUILD);
      return work(tx);
    },
    { conflictRetries: 4 },
  );
}
