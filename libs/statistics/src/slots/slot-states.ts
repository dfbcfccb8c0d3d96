import { loadSql, type Queryable } from '@hopcount/postgres';

const LIST_SLOT_STATES = loadSql(import.meta.url, 'sql/list-slot-states.sql');

/** A link's counters as an operator wants to see them. */
export interface SlotState {
  linkId: string;
  heat: number;
  /** Slots its next visits use; rows there are now, in both counters (bots and others). */
  slots: number;
  rows: number;
  /** First hour whose visits the commits fold, epoch milliseconds. */
  foldedFrom: number | null;
  visits: number;
  /** Slots minus buckets: 0, or `repairSlots()` has something to do. */
  drift: number;
}

/** One link's counters, or those of all links whose counters are spread, the most spread first. */
export async function slotStates(
  queryable: Queryable,
  options: { linkId?: string; limit?: number } = {},
): Promise<SlotState[]> {
  const rows = await queryable.query<{
    link_id: string;
    heat: number;
    slots: number;
    folded_from: Date | null;
    rows: number;
    visits: number;
    counted: number;
  }>(LIST_SLOT_STATES, [options.linkId ?? null, options.limit ?? 100]);
  return rows.map((row) => ({
    linkId: row.link_id,
    heat: row.heat,
    slots: row.slots,
    rows: row.rows,
    foldedFrom: row.folded_from?.getTime() ?? null,
    visits: row.visits,
    drift: row.visits - row.counted,
  }));
}
