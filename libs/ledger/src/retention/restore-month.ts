import { setTimeout as sleep } from 'node:timers/promises';

import { type Database, loadSql, postgresErrorCode, type Queryable, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint } from '@hopcount/runtime';

import { type InstantRange, toIso } from '../buckets.js';
import { LEDGER_ERRORS } from '../ledger.errors.js';
import { deletionUnderWay } from './deletions.js';

const COMPARE_RESTORED = loadSql(import.meta.url, 'sql/compare-restored.sql');
const CORRECT_HOSTS = loadSql(import.meta.url, 'sql/correct-hosts.sql');
const NOTE_RESTORED = loadSql(import.meta.url, 'sql/note-restored.sql');
const READ_RETENTION = 'SELECT kept_from, archived_from FROM ledger_retention';
/** Minutes for a large month; between two statements rows come from elsewhere. */
const NO_HURRY = `SELECT set_config('statement_timeout', '0', true),
  set_config('idle_in_transaction_session_timeout', '1h', true), set_config('maintenance_work_mem', '256MB', true)`;
const ONE_AT_A_TIME = "SELECT pg_try_advisory_xact_lock(hashtext('restore-month')) AS locked";
/** For purges and erasures that are marked from now on: see earlierWritersEnded(). */
const HOLD_WRITER = "SELECT FROM visit_writers WHERE name = 'restore-month' FOR UPDATE";
const LOCK_PARTITIONS = "SELECT pg_advisory_xact_lock(hashtext('create_visit_partitions'))";
const LOCK_NOT_AVAILABLE = '55P03';
const ATTACH_ATTEMPTS = 120;
const PAUSE_MS = 500;

export interface MonthRestore {
  month: InstantRange;
  /** No month is dropped before. */
  keepUntilMs: number;
  /** Copies every visit of the month into a table that nobody else sees yet. */
  load: (tx: Transaction, table: string) => Promise<void>;
}

/**
 * It is the last one that was dropped, for the ledger has no holes, and nobody takes visits of it out of sums.
 * @throws AppError `month-not-restorable`
 */
export async function expectRestorable(queryable: Queryable, month: InstantRange): Promise<void> {
  await expectLastDropped(queryable, month);
  const deletion = await deletionUnderWay(queryable, month);
  if (deletion === undefined) return;
  throw notRestorable(`Right now ${deletion}: restore it once that is done (a purge within minutes).`);
}

async function expectLastDropped(queryable: Queryable, { from, to }: InstantRange): Promise<void> {
  const [row] = await queryable.query<{ kept_from: Date; archived_from: Date | null }>(READ_RETENTION);
  const keptFrom = row?.kept_from.getTime() ?? Number.NEGATIVE_INFINITY;
  if (from >= keptFrom) throw notRestorable('The ledger has that month.');
  if (from < (row?.archived_from?.getTime() ?? Number.NEGATIVE_INFINITY)) {
    throw notRestorable('Its files are gone (ARCHIVE_DAYS): only its buckets are left.');
  }
  if (to < keptFrom) {
    const next = toIso(keptFrom - 1).slice(0, 7);
    throw notRestorable(`The ledger has no holes: restore the months after it first, beginning with ${next}.`);
  }
}

/**
 * Brings a dropped month back in one transaction: rows into a table of their own, compared with the buckets, then made
 * the month's partition. So killed anywhere nothing is left of it, and commits wait only for the last statements. A
 * purge or an erasure that is marked meanwhile waits for this transaction, as for any that may not have seen its mark, and
 * then finds the rows.
 * @throws AppError `month-not-restorable`, `restored-month-differs`
 */
export async function restoreMonth(database: Database, { month, keepUntilMs, load }: MonthRestore): Promise<void> {
  const range = [toIso(month.from), toIso(month.to)];
  const table = `visits_${toIso(month.from).slice(0, 7).replace('-', '_')}`;
  await database.transaction(async (tx) => {
    await tx.query(NO_HURRY);
    const [lock] = await tx.query<{ locked: boolean }>(ONE_AT_A_TIME);
    if (lock?.locked !== true) throw notRestorable('A month is being restored right now.');
    await tx.query(HOLD_WRITER);
    // What was marked before is seen here; what is marked later waits for that row.
    await expectRestorable(tx, month);
    await tx.query(
      `CREATE TABLE ${table} (LIKE visits INCLUDING ALL EXCLUDING INDEXES,
         CONSTRAINT month CHECK (occurred_at >= '${range[0]}' AND occurred_at < '${range[1]}'))`,
    );
    await load(tx, table);
    failpoint('restore.after-load');
    await tx.query(`ALTER TABLE ${table} ADD PRIMARY KEY (occurred_at, event_id)`);
    await tx.query(`CREATE INDEX ON ${table} (link_id, occurred_at)`);
    const [differing] = await tx.query<{ buckets: number }>(COMPARE_RESTORED.replaceAll('{table}', table), range);
    if (differing?.buckets !== 0) {
      throw new AppError('restored-month-differs', LEDGER_ERRORS['restored-month-differs'], {
        details: { buckets: differing?.buckets },
      });
    }
    await tx.query(CORRECT_HOSTS.replaceAll('{table}', table), range);
    await withShortLocks(tx, async () => {
      await tx.query(LOCK_PARTITIONS);
      await tx.query('LOCK TABLE ONLY visits IN ACCESS EXCLUSIVE MODE');
      await expectLastDropped(tx, month);
      await tx.query(`ALTER TABLE visits ATTACH PARTITION ${table} FOR VALUES FROM ('${range[0]}') TO ('${range[1]}')`);
      await tx.query(`ALTER TABLE ${table} DROP CONSTRAINT month`);
      await tx.query('SELECT set_kept_from($1)', [range[0]]);
      await tx.query(NOTE_RESTORED, [toIso(keepUntilMs), ...range]);
    });
    failpoint('restore.before-commit');
  });
}

/** Gives up each try soon, since all commits wait behind it; what was done before stays. */
async function withShortLocks(tx: Transaction, work: () => Promise<void>): Promise<void> {
  await tx.query("SET LOCAL lock_timeout = '1s'");
  for (let attempt = 1; ; attempt += 1) {
    await tx.query('SAVEPOINT attach');
    try {
      await work();
      return;
    } catch (error) {
      if (postgresErrorCode(error) !== LOCK_NOT_AVAILABLE || attempt >= ATTACH_ATTEMPTS) throw error;
    }
    await tx.query('ROLLBACK TO SAVEPOINT attach');
    await sleep(PAUSE_MS);
  }
}

function notRestorable(reason: string): AppError {
  return new AppError('month-not-restorable', reason);
}
