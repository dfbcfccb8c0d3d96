import type { Database } from '@hopcount/postgres';

import { DAY_MS, toIso } from '../buckets.js';
import { deleteBefore, type ExpiringTable } from './delete-before.js';
import { dropMonth, expiredMonths, type LedgerMonth } from './ledger-months.js';
import type { LockRetries } from './with-lock-retries.js';

/**
 * A month goes only this long after its last event became too old to be accepted: other consumers'
 * clocks may be behind, and a batch decoded before may still be waiting for its commit.
 */
const MARGIN_MS = 2 * DAY_MS;
/** Hours folded by the commits are in files by then; without an archive the ledger answers. */
const FOLD_LIFETIME_MS = 2 * DAY_MS;

/** Rows that speak of visits, held against the ledger of their time and worth nothing without it. */
const OF_THE_LEDGER: readonly ExpiringTable[] = [
  { name: 'source_traffic', time: 'minute' },
  { name: 'source_audits', time: 'minute' },
  { name: 'refused_visits', time: 'occurred_at' },
  { name: 'purged_visits', time: 'occurred_at' },
  { name: 'lost_offsets', time: 'found_at' },
];
const FOLDS: ExpiringTable = { name: 'link_folds', time: 'hour' };

export interface MonthReport {
  month: string;
  dropped: boolean;
}

/** Whether files hold all of a month's visits, as its buckets say. */
export type IsArchived = (month: LedgerMonth) => Promise<boolean>;

/** Keeps the ledger, and what is only of use beside it, to its retention. Any number may run at once. */
export class LedgerRetention {
  constructor(
    private readonly database: Database,
    private readonly isArchived: IsArchived,
    private readonly retentionDays: number,
  ) {}

  /**
   * Drops months beyond the retention, oldest first, each only once files hold all of it. One that they do not hold
   * stays, and so do those after it (what is kept has no holes): disk is cheaper than numbers.
   */
  async dropMonths(nowMs: number, options: LockRetries = {}): Promise<MonthReport[]> {
    const partitions = await this.database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
       WHERE inhparent = 'visits'::regclass`,
    );
    const names = partitions.map(({ name }) => name);
    const reports: MonthReport[] = [];
    for (const month of expiredMonths(names, nowMs - this.retentionDays * DAY_MS - MARGIN_MS)) {
      if (options.signal?.aborted === true) break;
      const dropped = await this.isArchived(month);
      if (dropped) await dropMonth(this.database, month, options);
      reports.push({ month: month.name, dropped });
      if (!dropped) break;
    }
    return reports;
  }

  /** Deletes, in short transactions, rows about visits whose ledger is gone. @returns how many, by table */
  async deleteRows(nowMs: number, signal?: AbortSignal): Promise<Record<string, number>> {
    const deleted: Record<string, number> = {};
    const run = async (table: ExpiringTable, before: string) => {
      const rows = await deleteBefore(this.database, table, before, { signal });
      if (rows > 0) deleted[table.name] = rows;
    };
    await run(FOLDS, toIso(nowMs - FOLD_LIFETIME_MS));
    const [retention] = await this.database.query<{ kept_from: string }>(
      'SELECT kept_from::text FROM ledger_retention',
    );
    if (retention === undefined) return deleted;
    for (const table of OF_THE_LEDGER) await run(table, retention.kept_from);
    return deleted;
  }
}
