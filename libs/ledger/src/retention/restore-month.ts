import { setTimeout as sleep } from 'node:timers/promises';

import { type Database, loadSql, postgresErrorCode, type Queryable, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint } from '@hopcount/runtime';

import { type InstantRange, toIso } from '../buckets.js';
import { CORRECTIONS_SLOT } from '../commit/sum-scopes.js';
import { correctFromRows } from '../filed-sums/filed-sums.js';
import { LEDGER_ERRORS } from '../ledger.errors.js';
import { LOCK_REBUILD } from '../rebuild/rebuild-transaction.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';
import { deletionUnderWay } from './deletions.js';

const COMPARE_RESTORED = loadSql(import.meta.url, 'sql/compare-restored.sql');
const REBUILD_SCOPES = loadSql(import.meta.url, '../rebuild/sql/rebuild-scopes.sql');
const FIND_WRONG_SLOTS = loadSql(import.meta.url, 'sql/find-wrong-slots.sql');
const ADD_MISSING_TO_SLOTS = loadSql(import.meta.url, '../rebuild/sql/add-missing-to-slots.sql');
const TOTALS_AGAIN = 'INSERT INTO link_changes (link_ids) SELECT $1::bigint[] WHERE cardinality($1::bigint[]) > 0';
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
 * Brings a dropped month back in one transaction. It copies the rows into a table of their own, compares them with the
 * buckets, corrects every sum of the month by them, and attaches the table as the month's partition. A process that is
 * killed leaves nothing behind, and commits wait only for the last statements. A purge or an erasure that is marked meanwhile waits for this transaction, as for any that may not have seen its mark, and
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
    if (differing?.buckets !== 0) throw differs(differing?.buckets);
    const wrongSlots = await correctSums(tx, month, table);
    failpoint('restore.after-sums');
    await withShortLocks(tx, async () => {
      await tx.query(LOCK_PARTITIONS);
      await tx.query('LOCK TABLE ONLY visits IN ACCESS EXCLUSIVE MODE');
      await expectLastDropped(tx, month);
      // Commits add to these rows, too: now none is under way, which would wait for them and be waited for.
      if (wrongSlots.length > 0) await tx.query(ADD_MISSING_TO_SLOTS, [wrongSlots, BOT_CLASSES]);
      await tx.query(`ALTER TABLE visits ATTACH PARTITION ${table} FOR VALUES FROM ('${range[0]}') TO ('${range[1]}')`);
      await tx.query(`ALTER TABLE ${table} DROP CONSTRAINT month`);
      await tx.query('SELECT set_kept_from($1)', [range[0]]);
      await tx.query(NOTE_RESTORED, [toIso(keepUntilMs), ...range]);
    });
    failpoint('restore.before-commit');
  });
}

/**
 * Every sum of the month becomes what its rows say: those of all links and of domains by way of `link_traffic`, which equals the rows by
 * now, those of groups, hosts and days by the rows themselves. Folds say by their checksum whether they hold. What gateways made durable
 * does not come back: `audited_from` stays behind the month. @returns links whose slots are not what their buckets say
 */
async function correctSums(tx: Transaction, month: InstantRange, table: string): Promise<string[]> {
  const range = [toIso(month.from), toIso(month.to)];
  // A statement of its own: what a rebuild has added is in the snapshots of those that follow.
  await tx.query(LOCK_REBUILD);
  await tx.query(REBUILD_SCOPES, [...range, CORRECTIONS_SLOT]);
  const { unsound } = await correctFromRows(tx, month, table);
  if (unsound > 0) throw differs(unsound);
  const rows = await tx.query<{ link: string }>(FIND_WRONG_SLOTS, [...range, BOT_CLASSES]);
  const links = rows.map(({ link }) => link);
  await tx.query(TOTALS_AGAIN, [links]);
  return links;
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

function differs(buckets: number | undefined): AppError {
  return new AppError('restored-month-differs', LEDGER_ERRORS['restored-month-differs'], { details: { buckets } });
}

function notRestorable(reason: string): AppError {
  return new AppError('month-not-restorable', reason);
}
