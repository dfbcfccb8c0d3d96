import type { VisitsSummary } from '@hopcount/contracts';
import { type Database, loadSql, type Queryable } from '@hopcount/postgres';

import { BOT_CLASSES } from '../slots/bot-classes.js';

const SUM_ORPHAN_SLOTS = loadSql(import.meta.url, 'sql/sum-orphan-slots.sql');
const COUNT_ORPHAN_ROWS = loadSql(import.meta.url, 'sql/count-orphan-rows.sql');
const LOCK_ORPHAN_REPAIR = loadSql(import.meta.url, 'sql/lock-orphan-repair.sql');
const ADD_MISSING_ORPHANS = loadSql(import.meta.url, 'sql/add-missing-orphans.sql');

/** How many orphan visits there are: from the slots, or (SLOTS=off, `rows`) counted in the table. */
export async function orphanTotals(queryable: Queryable, source: 'slots' | 'rows' = 'slots'): Promise<VisitsSummary> {
  const [row] = await queryable.query<{ people: number; bots: number }>(
    source === 'slots' ? SUM_ORPHAN_SLOTS : COUNT_ORPHAN_ROWS,
    source === 'slots' ? [] : [BOT_CLASSES],
  );
  const { people = 0, bots = 0 } = row ?? {};
  return { total: people + bots, nonBots: people, bots };
}

/**
 * Adds to the slots what they lack of the table's rows, as a difference of one snapshot: it commutes with
 * what commits and deletions add meanwhile. @returns how many counters were wrong
 */
export async function repairOrphanSlots(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    // Two repairers at once would both add the difference. A later statement sees what the other one did.
    await tx.query(LOCK_ORPHAN_REPAIR);
    return (await tx.query(ADD_MISSING_ORPHANS, [BOT_CLASSES])).length;
  });
}
