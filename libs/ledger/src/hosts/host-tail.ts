import { type Database, loadSql } from '@hopcount/postgres';

const READ_CHANGES = loadSql(import.meta.url, 'sql/read-host-changes.sql');

/** Beyond that a tail may have missed changes that were folded and removed (KEPT_MINUTES of the fold): begin anew. */
export const MAX_TAIL_AGE_MS = 14 * 60_000;

/** Kind (its place in HOST_KINDS), name as hosts.name has it, cell of ten seconds, visits: fewer than none if some were purged. */
export type HostChange = [kind: number, name: string, cell: number, visits: number];

export interface HostTailRead {
  /** Goes into the next look. */
  snapshot: string;
  changes: HostChange[];
  /** There were more: what is here is not all of it. */
  isCut: boolean;
}

/** What was committed between two looks at PostgreSQL is what the later one sees and the earlier one did not: each change once. */
export class HostTail {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  /** @param since snapshot of the look before; null: all that is kept */
  async read(since: string | null, fromCell: number, limit: number): Promise<HostTailRead> {
    const values = [since, fromCell, limit + 1];
    const [row] = await this.database.query<Omit<HostTailRead, 'isCut'>>(READ_CHANGES, values);
    if (row === undefined) throw new Error('a statement without FROM answers one row');
    return { ...row, isCut: row.changes.length > limit };
  }
}
