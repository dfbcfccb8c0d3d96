import { type Database, loadSql } from '@hopcount/postgres';

const LOCK_HEAT = "SELECT pg_advisory_xact_lock(hashtext('link-heat'))";
const PIN_SLOTS = loadSql(import.meta.url, 'sql/pin-slots.sql');

/**
 * Sets how many slots a link's counters have, whatever its heat; null: its heat decides again. Exact while
 * visits are counted, without a write lock, as every change of heat is (see LinkHeat): a commit that read
 * the old number adds to another row of the same sum; SlotMerger takes the slots it has no more. The lock
 * here is that of the measurement, which must not write over this with what it decided before.
 * @returns slots it has now
 */
export async function pinSlots(database: Database, linkId: string, slots: number | null): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.query(LOCK_HEAT);
    const [row] = await tx.query<{ slots: number }>(PIN_SLOTS, [linkId, slots]);
    if (row === undefined) throw new Error('pin-slots.sql answers one row');
    return row.slots;
  });
}
