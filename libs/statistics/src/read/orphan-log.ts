import { type OrphanVisitType, orphanVisitTypeFromNumber, orphanVisitTypeNumber } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { filterOf, type LoggedRequest, type LogQuery, type LogRow, toLogged } from './request-log.js';

const LIST_ORPHANS = loadSql(import.meta.url, 'sql/list-orphans.sql');
const COUNT_ORPHANS = loadSql(import.meta.url, 'sql/count-orphans.sql');

export interface OrphanLogQuery extends LogQuery {
  reach: Reach;
  type?: OrphanVisitType | undefined;
  /** The authority that was asked. */
  domain?: string | undefined;
}

export interface LoggedOrphan extends LoggedRequest {
  type: OrphanVisitType;
  domain: string;
  path: string;
}

/** As the statements answer it. */
export type OrphanRow = Omit<LogRow<LoggedOrphan>, 'type'> & { type: number };

/** Orphan visits, newest first, in pages by number. */
export class OrphanLog {
  constructor(private readonly database: Database) {}

  /** One snapshot for rows and total. */
  async page(query: OrphanLogQuery): Promise<{ visits: LoggedOrphan[]; total: number }> {
    const { hasOrphans, domain: only } = query.reach;
    const domain = query.domain ?? only?.authority ?? null;
    if (!hasOrphans || (only !== null && domain !== only.authority)) return { visits: [], total: 0 };
    const type = query.type === undefined ? null : orphanVisitTypeNumber(query.type);
    const filter = [...filterOf(query), type, domain];
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ visits: number }>(COUNT_ORPHANS, filter);
        const total = count?.visits ?? 0;
        const offset = (query.page - 1) * query.itemsPerPage;
        if (offset >= total) return { total, visits: [] };
        const rows = await tx.query<OrphanRow>(LIST_ORPHANS, [...filter, query.itemsPerPage, offset]);
        return { total, visits: rows.map((row) => ({ ...toLogged(row), type: orphanVisitTypeFromNumber(row.type) })) };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}
