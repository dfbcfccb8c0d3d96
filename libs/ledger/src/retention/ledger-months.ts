import {
  type Database,
  loadSql,
  type LockRetries,
  type Queryable,
  type Transaction,
  withLockRetries,
} from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { toIso } from '../buckets.js';
import { deletionUnderWay } from './deletions.js';

const FORGET_COUNTED = loadSql(import.meta.url, 'sql/forget-counted.sql');
const LIST_MISSING_MONTHS = loadSql(import.meta.url, 'sql/list-missing-months.sql');
/** $1 LEDGER_DAYS */
const CREATE_MONTHS = `SELECT create_visit_partitions(
  least(now() - interval '2 months', now() - $1::integer * interval '1 day'), now() + interval '2 months') AS created`;
/** Ten years. What is older is stored in the default partition. */
const LONGEST_DAYS = 3_660;
const SHORT_WAITS = "SET LOCAL lock_timeout = '1s'";
/** The lock create_visit_partitions() takes: partitions change one at a time. */
const LOCK_PARTITIONS = "SELECT pg_advisory_xact_lock(hashtext('create_visit_partitions'))";
const READ_MONTH = `SELECT to_regclass($1) IS NOT NULL AS exists,
  (SELECT oid::text FROM pg_constraint WHERE conrelid = to_regclass($1) AND conname = 'closed') AS closed`;
const SET_KEPT_FROM = 'SELECT set_kept_from(greatest($1::timestamptz, (SELECT kept_from FROM ledger_retention)))';

/** A month partition of the ledger (UTC). */
export interface LedgerMonth {
  name: string;
  fromMs: number;
  toMs: number;
}

/**
 * Makes the months around now, back to the oldest one of which a visit is taken. Late is harmless: visits that no month
 * covers are counted in the default partition.
 * The function takes an advisory lock, so two at once are harmless, too. @returns how many were new
 */
export async function createMonths(
  database: Database,
  { ledgerDays = 0, ...retries }: LockRetries & { ledgerDays?: number } = {},
): Promise<number> {
  const rows = await withLockRetries(retries, () =>
    database.query<{ created: number }>(CREATE_MONTHS, [Math.min(ledgerDays, LONGEST_DAYS)]),
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

/**
 * From now on PostgreSQL refuses every new row of the month (23514): a visit that comes all the same is a dead letter.
 * It waits for those who are writing to the month, so afterwards nobody adds to it any more, and what is found of it
 * stays so, but for purges and erasures. Done already, it does nothing.
 * @returns which closing it is: opened and closed again it is another one. undefined: there is no such month (any more)
 */
export function closeMonth(
  database: Database,
  { name }: LedgerMonth,
  retries: LockRetries = {},
): Promise<string | undefined> {
  return withLockRetries(retries, () =>
    database.transaction(async (tx) => {
      await tx.query(SHORT_WAITS);
      await tx.query(LOCK_PARTITIONS);
      const found = await readMonth(tx, name);
      if (!found.exists || found.closed !== null) return found.closed ?? undefined;
      // An identifier cannot be a parameter; the name is one expiredMonths() let through.
      await tx.query(`ALTER TABLE ${name} ADD CONSTRAINT closed CHECK (false) NOT VALID`);
      return (await readMonth(tx, name)).closed ?? undefined;
    }),
  );
}

/**
 * The month that holds the instant takes rows again, in a partition of its own where it had none. Whoever looks at it to
 * drop it finds that it was opened. @returns false: it was dropped
 */
export function openMonth(database: Database, instant: number, retries: LockRetries = {}): Promise<boolean> {
  const at = toIso(instant);
  return withLockRetries(retries, () =>
    database.transaction(async (tx) => {
      await tx.query(SHORT_WAITS);
      await tx.query(LOCK_PARTITIONS);
      const kept = await tx.query('SELECT FROM ledger_retention WHERE kept_from > $1::timestamptz', [at]);
      if (kept.length > 0) return false;
      const name = `visits_${at.slice(0, 7).replace('-', '_')}`;
      const found = await readMonth(tx, name);
      if (!found.exists) await tx.query('SELECT create_visit_partitions($1, $1)', [at]);
      else if (found.closed !== null) await tx.query(`ALTER TABLE ${name} DROP CONSTRAINT closed`);
      return true;
    }),
  );
}

/**
 * Drops the rows of a month that is still closed as it was, unless `keep` (asked under the locks) says why not.
 * @returns why it stays; undefined: it is gone, whoever did it
 */
export function dropMonth(
  database: Database,
  { closed, ...month }: LedgerMonth & { closed: string },
  keep: (tx: Transaction) => Promise<string | undefined>,
  retries: LockRetries = {},
): Promise<string | undefined> {
  return withLockRetries(retries, () =>
    database.transaction(async (tx) => {
      await tx.query(SHORT_WAITS);
      await tx.query(LOCK_PARTITIONS);
      const found = await readMonth(tx, month.name);
      if (!found.exists) return undefined;
      if (found.closed !== closed) return 'it was opened meanwhile';
      const reason = await keep(tx);
      if (reason !== undefined) return reason;
      await tx.query(FORGET_COUNTED, [toIso(month.fromMs), toIso(month.toMs)]);
      // From here on nobody reads or writes the ledger until the end: a few statements on empty tables and catalogs.
      await tx.query('LOCK TABLE ONLY visits IN ACCESS EXCLUSIVE MODE');
      const deletion = await deletionUnderWay(tx, { from: month.fromMs, to: month.toMs });
      if (deletion !== undefined) return deletion;
      await tx.query(`ALTER TABLE visits DETACH PARTITION ${month.name}`);
      await tx.query(`DROP TABLE ${month.name}`);
      // From then on readers and verifier take what is before from files.
      await tx.query(SET_KEPT_FROM, [toIso(month.toMs)]);
      failpoint('retention.before-commit');
      return undefined;
    }),
  );
}

async function readMonth(tx: Transaction, name: string): Promise<{ exists: boolean; closed: string | null }> {
  const [found] = await tx.query<{ exists: boolean; closed: string | null }>(READ_MONTH, [name]);
  return found ?? { exists: false, closed: null };
}
