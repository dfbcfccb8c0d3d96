/**
 * One rebuild or backfill at a time: two would each add what is missing. Taken by a statement of its own,
 * so that the next one's snapshot holds what the one before has committed.
 */
export const LOCK_REBUILD = "SELECT pg_advisory_xact_lock(hashtext('rebuild'))";
