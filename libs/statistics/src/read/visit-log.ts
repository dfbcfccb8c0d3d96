import { toIso } from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { cutBuckets } from './cut-buckets.js';
import { filterOf, type LoggedRequest, type LogQuery, type LogRow, toLogged } from './request-log.js';

const LIST_VISITS = loadSql(import.meta.url, 'sql/list-visits.sql');
const COUNT_VISITS = loadSql(import.meta.url, 'sql/count-visits.sql');

export interface VisitLogQuery extends LogQuery {
  linkId: string;
}

export interface LoggedVisit extends LoggedRequest {
  destination: string | null;
  os: string;
  browser: string;
  device: string;
  referrerHost: string;
  language: string;
}

export interface VisitLogPage {
  visits: LoggedVisit[];
  /** Visits on all pages together. */
  total: number;
}

/** The access records of one link, newest first, in pages by number (as Shlink's clients ask for them). */
export class VisitLog {
  constructor(private readonly database: Database) {}

  /** One snapshot for rows and total. A page far behind costs an index scan up to it. */
  async page(query: VisitLogQuery): Promise<VisitLogPage> {
    return this.database.transaction(
      async (tx) => {
        const total = await countVisits(tx, query);
        const offset = (query.page - 1) * query.itemsPerPage;
        return { total, visits: offset < total ? await listVisits(tx, query, offset) : [] };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

async function countVisits(tx: Transaction, query: VisitLogQuery): Promise<number> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = query;
  if (from >= to) return 0;
  const cut = cutBuckets({ from, to }, []);
  const rows = await tx.query<{ visits: number }>(COUNT_VISITS, [
    query.linkId,
    ...filterOf(query),
    cut.buckets.map(toIso),
    cut.ranges.map((range) => toIso(range.from)),
    cut.ranges.map((range) => toIso(range.to)),
  ]);
  return rows[0]?.visits ?? 0;
}

async function listVisits(tx: Transaction, query: VisitLogQuery, offset: number): Promise<LoggedVisit[]> {
  const values = [query.linkId, ...filterOf(query), query.itemsPerPage, offset];
  return (await tx.query<LogRow<LoggedVisit>>(LIST_VISITS, values)).map(toLogged);
}
