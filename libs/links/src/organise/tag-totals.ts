import { type Database, loadSql } from '@hopcount/postgres';

const FOLD = loadSql(import.meta.url, 'sql/fold-tag-changes.sql');
const DROP = loadSql(import.meta.url, 'sql/drop-tag-totals.sql');
const CHANGES_PER_ROUND = 10_000;

/** Makes what a list of tags has to add up short. Until then the same sums take longer to read. @returns how many changes */
export async function foldTagChanges(database: Database, signal?: AbortSignal): Promise<number> {
  let all = 0;
  for (;;) {
    const [row] = await database.query<{ folded: number }>(FOLD, [CHANGES_PER_ROUND]);
    const folded = row?.folded ?? 0;
    all += folded;
    if (folded < CHANGES_PER_ROUND || signal?.aborted === true) break;
  }
  if (all > 0) await database.query(DROP);
  return all;
}
