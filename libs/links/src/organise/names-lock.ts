import type { Database, Queryable, Transaction } from '@hopcount/postgres';

/** create_links() takes it, too: creations of links with tags need no question of their own. */
const SHARE = `SELECT pg_advisory_xact_lock_shared(hashtext('hopcount-names'), 0)`;
const OWN = `SELECT pg_advisory_xact_lock(hashtext('hopcount-names'), 0)`;

/**
 * For a transaction that gives links tags or groups by name: until its end none of them is renamed or deleted, so that
 * what its first statement files is there for its second. Taken before the rows of tags, after those of links. Any
 * number share it; it is PostgreSQL's, and who waits for it is served in turn: an owner waits for the transactions
 * under way, not for those that come after.
 */
export async function shareNames(tx: Queryable): Promise<void> {
  await tx.query(SHARE);
}

/** Creations and edits meet those who change names again and again. */
const CONFLICT_RETRIES = 10;

/** A transaction that changes tags or groups themselves. */
export function changeNames<Result>(database: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return database.transaction(work, { conflictRetries: CONFLICT_RETRIES });
}

/** For the last transaction of a rename or a deletion; to be short: creations wait for it. */
export async function ownNames(tx: Queryable): Promise<void> {
  await tx.query(OWN);
}
