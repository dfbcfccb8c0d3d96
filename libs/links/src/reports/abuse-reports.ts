import type { ReportCause } from '@hopcount/contracts';
import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

const ADD_REPORT = loadSql(import.meta.url, 'sql/add-report.sql');
const LIST_REPORTS = loadSql(import.meta.url, 'sql/list-reports.sql');

/** Links and causes; as many as somebody could look through. */
const MAX_REPORTS = 10_000;
const MAX_ID = 2n ** 63n - 1n;

export interface AbuseReportRecord {
  id: string;
  shortUrl: string;
  longUrl: string | null;
  cause: ReportCause;
  reports: number;
  firstAt: Date;
  lastAt: Date;
}

/** What a visitor says of a link. @returns whether it is kept: too many wait to be looked at, or there is no link */
export async function addAbuseReport(database: Queryable, linkId: string, cause: ReportCause): Promise<boolean> {
  return (await database.query(ADD_REPORT, [linkId, cause, MAX_REPORTS])).length > 0;
}

/** What visitors said of links, until somebody has looked. */
export class AbuseReports {
  constructor(private readonly database: Database) {}

  async list(window: { offset: number; limit: number }): Promise<{ reports: AbuseReportRecord[]; totalItems: number }> {
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ number: number }>('SELECT count(*)::int AS number FROM abuse_reports');
        const reports = await tx.query<AbuseReportRecord>(LIST_REPORTS, [window.limit, window.offset]);
        return { reports, totalItems: count?.number ?? 0 };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** @throws AppError `abuse-report-not-found` */
  async dismiss(id: string): Promise<void> {
    const isId = /^\d{1,19}$/.test(id) && BigInt(id) <= MAX_ID;
    const dismissed = isId
      ? await this.database.transaction((tx) => tx.execute('DELETE FROM abuse_reports WHERE id = $1', [id]))
      : { affected: 0 };
    if (dismissed.affected > 0) return;
    throw new AppError('abuse-report-not-found', `There is no report with the id "${id.slice(0, 100)}".`);
  }
}
