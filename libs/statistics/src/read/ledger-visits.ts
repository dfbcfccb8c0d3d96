import { type InstantRange, toIso } from '@hopcount/ledger';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { rangeColumns } from './link-folds.js';
import { type LoggedVisit, type LogRow, toLogged } from './request-log.js';
import type { ScopeTables } from './visit-scope.js';

const LIST_VISITS = loadSql(import.meta.url, 'sql/list-visits.sql');
const LIST_VISITS_OF_LINKS = loadSql(import.meta.url, 'sql/list-visits-of-links.sql');
const COUNT_VISITS = `SELECT count(*)::float8 AS visits FROM visits WHERE ($1::bigint IS NULL OR link_id = $1)
  AND occurred_at >= $2::timestamptz AND occurred_at < $3::timestamptz AND class <> ALL ($4::smallint[])`;
const COUNT_VISITS_OF_LINKS = loadSql(import.meta.url, 'sql/count-visits-of-links.sql');

interface Question extends InstantRange {
  exceptClasses: readonly number[];
}

/** The visits of a scope that the ledger has, in the range of the few buckets a page touches. */
export class LedgerVisits {
  constructor(
    private readonly tx: Transaction,
    private readonly tables: ScopeTables,
  ) {}

  async count(question: Question): Promise<number> {
    const { ordered } = this.tables;
    const [row] = await this.tx.query<{ visits: number }>(
      ordered ? COUNT_VISITS : COUNT_VISITS_OF_LINKS,
      await this.#values(question),
    );
    return row?.visits ?? 0;
  }

  /** Newest first. */
  async list(question: Question, { limit, offset }: { limit: number; offset: number }): Promise<LoggedVisit[]> {
    const { ordered } = this.tables;
    const rows = await this.tx.query<LogRow<LoggedVisit>>(ordered ? LIST_VISITS : LIST_VISITS_OF_LINKS, [
      ...(await this.#values(question)),
      limit,
      offset,
    ]);
    return rows.map(toLogged);
  }

  /** In both forms: which links, from, to, classes left out. */
  async #values(question: Question): Promise<unknown[]> {
    const { ordered } = this.tables;
    const { from, to, exceptClasses } = question;
    if (ordered !== undefined) return [ordered.linkId, toIso(from), toIso(to), exceptClasses];
    const { linkIds, ranges } = await this.tables.busyLinks(question);
    return [linkIds, ...rangeColumns(ranges), exceptClasses];
  }
}
