import { type Database, loadSql, type Queryable } from '@hopcount/postgres';

import { type LockRetries, withLockRetries } from './with-lock-retries.js';

const LIST_MISSING_MONTHS = loadSql(import.meta.url, 'sql/list-missing-months.sql');

/** A month partition of the ledger (UTC). */
export interface LedgerMonth {
  name: string;
  fromMs: number;
  toMs: number;
}

/**
 * Makes the months around now. Late is harmless: what no month covers is counted in the default partition.
 * The function takes an advisory lock, so two at once are harmless, too. @returns how many were new
 */
export async function createMonths(database: Database, retries: LockRetries = {}): Promise<number> {
  const rows = await withLockRetries(retries, () =>
    database.query<{ created: number }>(
      "SELECT create_visit_partitions(now() - interval '2 months', now() + interval '2 months') AS created",
    ),
  );
  return rows[0]?.created ?? 0;
}

/** Months from now to two months ahead (`2027-01`) that have no partition of their own. */
export async function missingMonths(queryable: Queryable): Promise<string[]> {
  const rows = await queryable.query<{ month: string }>(LIST_MISSING_MONTHS);
  return rows.map(({ month }) => month);
}

/** The months among partitions' names that end at or before the horizon, oldest first. */
export function expiredMonths(partitions: readonly string[], horizonMs: number): LedgerMonth[] {
  const months = partitions.flatMap((name) => {
    const match = /^visits_(\d{4})_(\d{2})$/.exec(name);
    if (match === null) return [];
    const [year, month] = [Number(match[1]), Number(match[2])];
    return [{ name, fromMs: Date.UTC(year, month - 1), toMs: Date.UTC(year, month) }];
  });
  return months.filter((month) => month.toMs <= horizonMs).sort((a, b) => a.fromMs - b.fromMs);
}

/** Drops a month's rows. @returns false when somebody else has done it already */
export function dropMonth(database: Database, month: LedgerMonth, retries: LockRetries = {}): Promise<boolean> {
  return withLockRetries(retries, () =>
    database.transaction(async (tx) => {
      await tx.query("SET LOCAL lock_timeout = '1s'");
      // The lock create_visit_partitions() takes: partitions change one at a time.
      await tx.query("SELECT pg_advisory_xact_lock(hashtext('create_visit_partitions'))");
      const [found] = await tx.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [month.name]);
      if (found?.exists !== true) return false;
      // An identifier cannot be a parameter; the name is one expiredMonths() let through.
      await tx.query(`ALTER TABLE visits DETACH PARTITION ${month.name}`);
      await tx.query(`DROP TABLE ${month.name}`);
      // From then on readers, folder and verifier take what is before from folds and buckets alone.
      await tx.query(
        `INSERT INTO ledger_retention AS retention (kept_from) VALUES ($1)
         ON CONFLICT (singleton) DO UPDATE SET kept_from = greatest(retention.kept_from, excluded.kept_from)`,
        [new Date(month.toMs)],
      );
      return true;
    }),
  );
}
