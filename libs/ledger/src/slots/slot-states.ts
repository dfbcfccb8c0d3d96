import { loadSql, type Queryable } from '@hopcount/postgres';

import { BOT_CLASSES } from './bot-classes.js';

const LIST_SLOT_STATES = loadSql(import.meta.url, 'sql/list-slot-states.sql');

/** A link's counters as an operator wants to see them. */
export interface SlotState {
  linkId: string;
  /** null: no link has that id any more. */
  code: string | null;
  heat: number;
  /** Slots its next visits use; rows there are now, in both counters (bots and others). */
  slots: number;
  rows: number;
  /** Slots an operator has set; null: its heat decides. */
  pinnedSlots: number | null;
  /** First hour whose visits the commits fold, epoch milliseconds. */
  foldedFrom: number | null;
  visits: number;
  /** Visits by which its counters differ from its buckets: 0, or `SlotBackfill` has something to do. */
  drift: number;
}

/** One link's counters, or those of the links whose counters are the most spread, then of the most visited. */
export async function slotStates(
  queryable: Queryable,
  options: { linkId?: string; limit?: number } = {},
): Promise<SlotState[]> {
  const rows = await queryable.query<Omit<SlotState, 'foldedFrom'> & { foldedFrom: Date | null }>(LIST_SLOT_STATES, [
    options.linkId ?? null,
    options.limit ?? 100,
    BOT_CLASSES,
  ]);
  return rows.map((row) => ({ ...row, foldedFrom: row.foldedFrom?.getTime() ?? null }));
}
