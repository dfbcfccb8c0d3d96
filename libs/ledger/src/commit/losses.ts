import { loadSql, type Queryable } from '@hopcount/postgres';

const READ_LOSSES = loadSql(import.meta.url, 'sql/read-losses.sql');

/** Records that retention removed before they were counted. */
export interface Losses {
  records: number;
  /** When the last of them were found to be gone; null when nothing was ever lost. */
  foundAt: Date | null;
}

/** Of one group's topic, or of every one that counts into this ledger. */
export async function readLosses(queryable: Queryable, of?: { group: string; topic: string }): Promise<Losses> {
  const [row] = await queryable.query<{ records: number; found_at: Date | null }>(READ_LOSSES, [
    of?.group ?? null,
    of?.topic ?? null,
  ]);
  return { records: row?.records ?? 0, foundAt: row?.found_at ?? null };
}
