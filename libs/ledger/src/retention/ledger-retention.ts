import type { Database } from '@hopcount/postgres';

import { DAY_MS, toIso } from '../buckets.js';
import type { FoldOptions, FoldReport, UnitFolder } from '../fold/unit-folder.js';
import { deleteBefore, type ExpiringTable } from './delete-before.js';
import { dropMonth, expiredMonths, type LedgerMonth } from './ledger-months.js';

/**
 * A month goes only this long after its last event became too old to be accepted: other consumers'
 * clocks may be behind, and a batch decoded before may still be waiting for its commit.
 */
const MARGIN_MS = 2 * DAY_MS;
/** What was not folded for so long will not be; readers take the ledger there. */
const CANDIDATE_LIFETIME_MS = 8 * DAY_MS;

const FOLD_ATTEMPTS = 5;

/** Rows that speak of visits, held against the ledger of their time and worth nothing without it. */
const OF_THE_LEDGER: readonly ExpiringTable[] = [
  { name: 'source_traffic', time: 'minute' },
  { name: 'source_audits', time: 'minute' },
  { name: 'refused_visits', time: 'occurred_at' },
  { name: 'purged_visits', time: 'occurred_at' },
  { name: 'lost_offsets', time: 'found_at' },
];
const FOLD_CANDIDATES: ExpiringTable = { name: 'fold_candidates', time: 'noted_at' };

export interface MonthReport {
  month: string;
  dropped: boolean;
  folded: FoldReport;
}

/** Keeps the ledger, and what is only of use beside it, to its retention. Any number may run at once. */
export class LedgerRetention {
  constructor(
    private readonly database: Database,
    private readonly folder: Pick<UnitFolder, 'foldRange'>,
    private readonly retentionDays: number,
  ) {}

  /**
   * Drops months beyond the retention, oldest first, each only after everything in it is folded. A month that
   * cannot be folded whole stays, and so do those after it (what is kept has no holes): disk is cheaper
   * than numbers.
   */
  async dropMonths(nowMs: number, options: FoldOptions = {}): Promise<MonthReport[]> {
    const partitions = await this.database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
       WHERE inhparent = 'visits'::regclass`,
    );
    const names = partitions.map(({ name }) => name);
    const reports: MonthReport[] = [];
    for (const month of expiredMonths(names, nowMs - this.retentionDays * DAY_MS - MARGIN_MS)) {
      if (options.signal?.aborted === true) break;
      const folded = await this.#foldWhole(month, options);
      const isWhole = !folded.more && folded.mismatches + folded.conflicts + folded.failed.length === 0;
      if (isWhole) await dropMonth(this.database, month, options);
      reports.push({ month: month.name, dropped: isWhole, folded });
      if (!isWhole) break;
    }
    return reports;
  }

  /** What another worker folded at the same moment is folded: looked at again, it is no conflict. */
  async #foldWhole({ fromMs, toMs }: LedgerMonth, options: FoldOptions): Promise<FoldReport> {
    let folded = await this.folder.foldRange(fromMs, toMs, options);
    for (let again = 1; again < FOLD_ATTEMPTS && folded.conflicts > 0 && folded.mismatches === 0; again += 1) {
      folded = await this.folder.foldRange(fromMs, toMs, options);
    }
    return folded;
  }

  /** Deletes, in short transactions, rows about visits whose ledger is gone. @returns how many, by table */
  async deleteRows(nowMs: number, signal?: AbortSignal): Promise<Record<string, number>> {
    const deleted: Record<string, number> = {};
    const run = async (table: ExpiringTable, before: string) => {
      const rows = await deleteBefore(this.database, table, before, { signal });
      if (rows > 0) deleted[table.name] = rows;
    };
    await run(FOLD_CANDIDATES, toIso(nowMs - CANDIDATE_LIFETIME_MS));
    const [retention] = await this.database.query<{ kept_from: string }>(
      'SELECT kept_from::text FROM ledger_retention',
    );
    if (retention === undefined) return deleted;
    for (const table of OF_THE_LEDGER) await run(table, retention.kept_from);
    return deleted;
  }
}
