import { type Database, loadSql, type LockRetries, type Queryable, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { DAY_MS, type InstantRange, toIso } from '../buckets.js';
import { deleteBefore, type ExpiringTable } from './delete-before.js';
import { closeMonth, dropMonth, expiredMonths, type LedgerMonth } from './ledger-months.js';

/**
 * A month goes only this long after its last event became too old to be accepted: other consumers'
 * clocks may be behind, and a batch decoded before may still be waiting for its commit.
 */
const MARGIN_MS = 2 * DAY_MS;
/** Hours folded by the commits are in files by then; without an archive the ledger answers. */
const FOLD_LIFETIME_MS = 2 * DAY_MS;

const READ_RETENTION = `SELECT greatest(kept_from, audited_from)::text AS audited_from,
  CASE WHEN restored_until > now() THEN restored_until END AS restored_until
  FROM ledger_retention`;

const LIST_SHUT = loadSql(import.meta.url, 'sql/list-shut-months.sql');
const FIND_IMPORT = "SELECT FROM imports WHERE state IN ('waiting', 'running') LIMIT 1";

/** Rows that speak of visits, held against the ledger of their time and worth nothing without it. */
const OF_THE_LEDGER: readonly ExpiringTable[] = [
  { name: 'source_traffic', time: 'minute' },
  { name: 'source_audits', time: 'minute' },
  // They are uncounted for as long as a dead letter is worth a look.
  { name: 'refused_visits', time: 'occurred_at', where: `refused_at < now() - interval '400 days'` },
  { name: 'purged_visits', time: 'occurred_at' },
  { name: 'lost_offsets', time: 'found_at' },
  // What is older is refused, whoever it is of. One under way (see find-deletions.sql) still keeps its month from being restored.
  {
    name: 'erasures',
    time: 'occurred_before',
    where: `(erased_at IS NOT NULL OR started_at < now() - interval '1 day')`,
  },
];
const FOLDS: ExpiringTable = { name: 'link_folds', time: 'hour' };

/** What has a month's visits once the ledger has them no more. */
export interface MonthArchive {
  /**
   * Looks at a closed month of the ledger.
   * @returns why it must stay, or `confirm`: whether what was found still holds, asked in the transaction of the drop
   */
  examine(month: InstantRange, signal?: AbortSignal): Promise<MonthExamination>;
}

export type MonthExamination = { keep: string } | { confirm: (tx: Transaction) => Promise<string | undefined> };

export interface MonthReport {
  /** `2026-03` */
  month: string;
  /** Why it is still there; null: dropped. */
  kept: string | null;
}

/** Keeps the ledger, and what is only of use beside it, to its retention. Any number may run at once. */
export class LedgerRetention {
  constructor(
    private readonly database: Database,
    /** Without an archive nothing is dropped: the ledger is all there is. */
    private readonly settings: { ledgerDays: number; archive?: MonthArchive | undefined },
  ) {}

  /** Months with visits that are wholly older than the ledger has to be, oldest first. */
  async overdueMonths(nowMs: number): Promise<LedgerMonth[]> {
    const overdue: LedgerMonth[] = [];
    for (const month of await this.#expiredMonths(nowMs)) {
      const visits = await this.database.query(
        'SELECT FROM visits WHERE occurred_at >= $1 AND occurred_at < $2 LIMIT 1',
        [toIso(month.fromMs), toIso(month.toMs)],
      );
      if (visits.length > 0) overdue.push(month);
    }
    return overdue;
  }

  /**
   * Months (their starts) that take no visits though LEDGER_DAYS covers them: it was raised since they were closed or dropped. The
   * latest first.
   */
  async shutMonths(nowMs: number): Promise<number[]> {
    const horizonMs = nowMs - this.settings.ledgerDays * DAY_MS - MARGIN_MS;
    const rows = await this.database.query<{ month: Date }>(LIST_SHUT, [toIso(Math.max(horizonMs, 0))]);
    return rows.map(({ month }) => month.getTime());
  }

  async #expiredMonths(nowMs: number): Promise<LedgerMonth[]> {
    const partitions = await this.database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
       WHERE inhparent = 'visits'::regclass`,
    );
    const names = partitions.map(({ name }) => name);
    return expiredMonths(names, nowMs - this.settings.ledgerDays * DAY_MS - MARGIN_MS);
  }

  /**
   * Drops months beyond the retention, oldest first, each only while the archive holds every visit of it. One that
   * has to stay keeps those after it (what is kept has no holes): disk is cheaper than numbers.
   */
  async dropMonths(nowMs: number, options: LockRetries = {}): Promise<MonthReport[]> {
    const { archive } = this.settings;
    const reports: MonthReport[] = [];
    if (archive === undefined) return reports;
    for (const month of await this.#expiredMonths(nowMs)) {
      if (options.signal?.aborted === true) break;
      const kept = (await this.#dropOne(month, archive, options)) ?? null;
      reports.push({ month: month.name.slice('visits_'.length).replace('_', '-'), kept });
      if (kept !== null) break;
    }
    return reports;
  }

  async #dropOne(month: LedgerMonth, archive: MonthArchive, options: LockRetries): Promise<string | undefined> {
    const reason = (await this.#isWanted()) ?? (await this.#hasStrays(month));
    if (reason !== undefined) return reason;
    const closed = await closeMonth(this.database, month, options);
    if (closed === undefined) return undefined;
    failpoint('retention.after-close');
    const found = await archive.examine({ from: month.fromMs, to: month.toMs }, options.signal);
    if ('keep' in found) return found.keep;
    // Asked again under the locks: a month restored meanwhile, or about to be, lies before this one.
    const keep = async (tx: Transaction) => (await this.#isWanted(tx)) ?? found.confirm(tx);
    return dropMonth(this.database, { ...month, closed }, keep, options);
  }

  async #isWanted(database: Queryable = this.database): Promise<string | undefined> {
    // Of it, or of a month before it: visits may be among what it brings.
    if ((await database.query(FIND_IMPORT)).length > 0) return 'an import is under way';
    const [row] = await database.query<{ restored_until: Date | null }>(READ_RETENTION);
    const until = row?.restored_until?.getTime();
    return until === undefined ? undefined : `a month was restored and is kept until ${toIso(until)}`;
  }

  /** Once the month was gone they would lie before the first one that is kept. */
  async #hasStrays({ toMs }: LedgerMonth): Promise<string | undefined> {
    const strays = await this.database.query('SELECT FROM visits_default WHERE occurred_at < $1 LIMIT 1', [
      toIso(toMs),
    ]);
    if (strays.length === 0) return undefined;
    return 'visits_default has visits of its time or before: move them to partitions of their months';
  }

  /** Deletes, in short transactions, rows about visits whose ledger is gone. @returns how many, by table */
  async deleteRows(nowMs: number, signal?: AbortSignal): Promise<Record<string, number>> {
    const deleted: Record<string, number> = {};
    const run = async (table: ExpiringTable, before: string) => {
      const rows = await deleteBefore(this.database, table, before, { signal });
      if (rows > 0) deleted[table.name] = rows;
    };
    await run(FOLDS, toIso(nowMs - FOLD_LIFETIME_MS));
    const [retention] = await this.database.query<{ audited_from: string }>(READ_RETENTION);
    if (retention === undefined) return deleted;
    for (const table of OF_THE_LEDGER) await run(table, retention.audited_from);
    return deleted;
  }
}
