import { HOST_KINDS, type HostKind } from '@hopcount/contracts';
import { toIso } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';
import { AppError, CSV_BOM, csvLine } from '@hopcount/runtime';

import { isInstantOfRange } from '../range/statistics-range.js';
import { HostQuestions, type HostQuestionsSettings } from './host-questions.js';

const REPORT_HOSTS = loadSql(import.meta.url, 'sql/report-hosts.sql');
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
/** Of each kind, and of each change. */
const REPORTED_AT_MOST = 10_000;

interface ReportedHost {
  change: 'new' | 'gone' | 'surged';
  kind: HostKind;
  /** Labels reversed. */
  name: string;
  /** In the month; of one that is gone, in the month before; of one that surged, in five minutes at its highest. */
  visits: number;
  surges: number;
}

interface HostReportQuestion {
  /** `2026-11`, of the zone. */
  month: string;
  timeZone: string;
  kinds?: readonly HostKind[];
  keyId?: number | null;
}

/** What changed among hosts in a month. */
export class HostReport {
  readonly #questions: HostQuestions;

  constructor(database: Database, settings: HostQuestionsSettings = {}) {
    this.#questions = new HostQuestions(database, settings);
  }

  /** @throws AppError `invalid-data`: no month; what HostQuestions throws */
  async read({ month, timeZone, kinds = HOST_KINDS, keyId = null }: HostReportQuestion): Promise<ReportedHost[]> {
    const limits = limitsOf(month, timeZone);
    const reported: ReportedHost[] = [];
    for (const kind of kinds) {
      const values = [HOST_KINDS.indexOf(kind), ...limits, REPORTED_AT_MOST];
      const rows = await this.#questions.ask({ kind, below: 'everything', keyId }, (tx) =>
        tx.query<Omit<ReportedHost, 'kind'>>(REPORT_HOSTS, values),
      );
      reported.push(...rows.map((row) => ({ ...row, kind })));
    }
    return reported;
  }
}

/** With a row of names. */
export function formatHostReport(
  hosts: readonly ReportedHost[],
  asciiOf: (name: string) => string,
  { bom }: { bom: boolean },
): string {
  const rows = hosts.map(({ change, kind, name, visits, surges }) => [change, kind, asciiOf(name), visits, surges]);
  return (bom ? CSV_BOM : '') + [['change', 'kind', 'host', 'visits', 'surges'], ...rows].map(csvLine).join('');
}

/** The month's start, the next one's and that of the one before. */
function limitsOf(month: string, timeZone: string): string[] {
  if (!MONTH.test(month)) throw noMonth('A month is written as 2026-11.');
  const first = Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 });
  const starts = [0, 1, -1].map((months) => first.add({ months }).toZonedDateTime(timeZone).epochMilliseconds);
  // Of the month before, which may be earlier, it is only asked what there was.
  if (!starts.slice(0, 2).every(isInstantOfRange)) throw noMonth('There are reports of 1970-01 to 9998-12.');
  return starts.map(toIso);
}

function noMonth(message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: ['month'] } });
}
