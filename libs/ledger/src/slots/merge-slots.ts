import { classifyPostgresError, type Database, loadSql } from '@hopcount/postgres';

const MERGE_SLOTS = loadSql(import.meta.url, 'sql/merge-slots.sql');

/** A counter: what a link's visits of one kind are added to. */
export interface SlotCounter {
  linkId: string;
  potentialBot: boolean;
}

/**
 * Adds the slots from `keep` on to slot 0, exactly, also while commits add to any of them: row locks
 * put each increment before the merge or after it, and one that comes after into a slot that is gone
 * only leaves a row for the next merge. One counter a transaction: a commit holds one row of a
 * counter, so the merge can wait for commits and no commit for the merge and another commit in a ring.
 * @returns rows taken
 */
export async function mergeSlots(database: Database, counter: SlotCounter, keep: number): Promise<number> {
  try {
    const [row] = await database.query<{ rows: number }>(MERGE_SLOTS, [counter.linkId, counter.potentialBot, keep]);
    return row?.rows ?? 0;
  } catch (error) {
    // A purge locks all slots of a link, and the two can meet head-on; the next merge finds these rows.
    if (classifyPostgresError(error) === 'conflict') return 0;
    throw error;
  }
}
