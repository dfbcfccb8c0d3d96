import type { InstantRange } from '@hopcount/ledger';
import { loadSql, type Queryable } from '@hopcount/postgres';

const LIST_DAMAGED = loadSql(import.meta.url, 'sql/list-damaged.sql');

/** A file that is missing, or not what was sealed. */
export interface DamagedFile {
  id: string;
  path: string;
  sha256: string;
  visits: number;
  period: InstantRange;
  /** Who has all of its visits: other files (they were sealed again), the ledger (they will be), or nothing else. */
  heldBy: 'ledger' | 'archive' | 'nothing';
}

type DamagedRow = Omit<DamagedFile, 'period'> & { period_start: Date; period_end: Date };

/** 100 at most. @param id of one of them */
export async function listDamaged(through: Queryable, id?: string): Promise<DamagedFile[]> {
  const rows = await through.query<DamagedRow>(LIST_DAMAGED, [id ?? null]);
  return rows.map(({ period_start: from, period_end: to, ...file }) => ({
    ...file,
    period: { from: from.getTime(), to: to.getTime() },
  }));
}

/** What to do about damaged files; every surface says it in these words. */
export function adviceFor({ heldBy, path }: Pick<DamagedFile, 'heldBy' | 'path'>): string {
  switch (heldBy) {
    case 'ledger':
      return 'The worker seals its visits again from the ledger; look at the disk or bucket.';
    case 'archive':
      return 'Other files hold its visits by now; look at the disk or bucket.';
    case 'nothing':
      return `Its month was dropped from the ledger: bring ${path} back from a backup to ARCHIVE_URL, then run \`hopcount archive verify\`.`;
  }
}
