import { type Database, loadSql, type Queryable, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { type InstantRange, toIso } from '../buckets.js';
import { CORRECTIONS_SLOT } from '../commit/sum-scopes.js';
import { LOCK_REBUILD } from '../rebuild/rebuild-transaction.js';

const sql = (name: string) => loadSql(import.meta.url, `sql/${name}.sql`);
const CREATE_TABLES = sql('create-tables');
const SUM_ROWS = sql('sum-rows');
const FIND_SOUND = sql('find-sound');
const FIND_MISSING_GROUPS = sql('find-missing-groups');
const FIND_MISSING_HOSTS = sql('find-missing-hosts');
const ADD_GROUPS = sql('add-groups');
const ADD_HOSTS = sql('add-hosts');
const DROP_WRONG_DAYS = sql('drop-wrong-days');
const SETTLE = 'DELETE FROM unattributed_purges WHERE id IN (SELECT unnest(purge_ids) FROM sound_buckets)';
const LEAVE_OUT_UNATTRIBUTED = "DELETE FROM sound_buckets WHERE purge_ids <> '{}'";
const COUNT_MISSING = 'SELECT count(*)::float8 AS missing FROM missing_sums';
const COUNT_BUCKETS = `SELECT (SELECT count(*) FROM sound_buckets)::float8 AS sound,
  (SELECT count(DISTINCT bucket) FROM filed_sums WHERE bucket NOT IN (SELECT bucket FROM sound_buckets))::float8 AS unsound`;
const NOTE_EARLIER = sql('note-earlier');
const MERGE_PURGES = sql('merge-purges');
const FIND_UNATTRIBUTED = sql('find-unattributed');
const ARE_HOST_SUMS_EXACT = `SELECT own_host_sums_are_exact() AND NOT EXISTS (SELECT FROM host_peers WHERE NOT is_attributed)
  AND NOT ($1 AND EXISTS (SELECT FROM host_changes WHERE folded_at IS NULL AND is_correction)) AS "areExact"`;
const FIND_DIFFERENCES = `SELECT kind, name, bucket, class, visits::float8 AS visits FROM missing_sums
  ORDER BY bucket, kind NULLS FIRST, name, class LIMIT $1`;
/** Files of a whole month are copied and compared. */
const NO_HURRY = `SELECT set_config('statement_timeout', '30min', true), set_config('idle_in_transaction_session_timeout', '10min', true)`;
const CONFLICT_RETRIES = 4;
const BUCKET_MS = 900_000;

/** Columns of `filed_sums`, into which whoever knows them copies what visits were committed with. */
export const FILED_SUMS =
  'filed_sums (bucket, class, group_id, target_host, short_host, referrer_host, visits, checksum)';

export interface FiledCorrection {
  /** Buckets (15 minutes) in which files hold exactly what is counted, and so sums are what files say now. */
  sound: number;
  /** Buckets of which files hold something else than is counted. */
  unsound: number;
  /** Sums of groups and hosts that were something else. */
  missing: number;
}

/** What a sum by group or host lacks of a bucket (or has too much, below zero), by what files say. */
export interface MissingSum {
  /** Number of the kind of host; null: `name` is a group. */
  kind: number | null;
  name: string;
  bucket: Date;
  class: number;
  visits: number;
}

/**
 * Whether sums by host of all time are those of the visits as far as is known, here and at peers.
 * @param how `folded`: the sums are read without changes that wait to be folded, so corrections among these are not in them yet
 */
export async function areHostSumsExact(queryable: Queryable, { folded = false } = {}): Promise<boolean> {
  const [row] = await queryable.query<{ areExact: boolean }>(ARE_HOST_SUMS_EXACT, [folded]);
  return row?.areExact === true;
}

/** Where purges of dropped months are not out of the sums by group and host yet and can be taken out: a range of each month. */
export async function unattributedRanges(database: Database): Promise<InstantRange[]> {
  const rows = await database.transaction(async (tx) => {
    await tx.query(NO_HURRY);
    await tx.query(NOTE_EARLIER);
    await tx.query(MERGE_PURGES);
    return tx.query<{ first: Date; last: Date }>(FIND_UNATTRIBUTED);
  });
  return rows.map(({ first, last }) => ({ from: first.getTime(), to: last.getTime() + BUCKET_MS }));
}

/**
 * Makes sums by group and host of dropped months what files say of each visit, in buckets of which files hold exactly what is counted
 * (number and XOR of all ids, class by class); all others stay, with the note of what was purged there. `fill` copies what files
 * say into FILED_SUMS, once nothing else changes files (it takes the manifest's lock, so that erasures and new labels, which
 * change both, are over or have yet to begin). `expectUnchanged` fails where those files were written to since; it is the last step
 * before the COMMIT. One transaction; done twice it adds nothing.
 */
export async function correctFromFiles(
  database: Database,
  range: InstantRange,
  fill: (tx: Transaction) => Promise<void>,
  expectUnchanged: () => Promise<void>,
): Promise<FiledCorrection> {
  return database.transaction(
    async (tx) => {
      await tx.query(NO_HURRY);
      await createTables(tx);
      await fill(tx);
      await tx.query(LOCK_REBUILD);
      const corrected = await correct(tx, range);
      await expectUnchanged();
      failpoint('filed-sums.before-commit');
      return corrected;
    },
    { conflictRetries: CONFLICT_RETRIES },
  );
}

/**
 * What `correctFromFiles` would add, in one snapshot, but for what is known to be purged and not out of the sums yet. Changes nothing. Files may be
 * replaced after `fill` has read them: a bucket in which they then hold other visits is not sound, and not compared.
 */
export async function compareWithFiles(
  database: Database,
  range: InstantRange,
  fill: (tx: Transaction) => Promise<void>,
  limit: number,
): Promise<MissingSum[]> {
  return database.transaction(
    async (tx) => {
      await tx.query(NO_HURRY);
      await createTables(tx);
      await fill(tx);
      await findMissing(tx, range, LEAVE_OUT_UNATTRIBUTED);
      return tx.query<MissingSum>(FIND_DIFFERENCES, [limit]);
    },
    { isolation: 'REPEATABLE READ' },
  );
}

/**
 * The same of a month whose rows are back, in `table`, and equal the buckets of each link: part of the transaction that restores it, before
 * the month counts. Aggregates of days that say something else are dropped: the worker makes them again.
 */
export async function correctFromRows(tx: Transaction, range: InstantRange, table: string): Promise<FiledCorrection> {
  await createTables(tx);
  await tx.query(SUM_ROWS.replaceAll('{table}', table));
  const corrected = await correct(tx, range);
  await tx.query(DROP_WRONG_DAYS, spanOf(range));
  return corrected;
}

async function createTables(tx: Transaction): Promise<void> {
  for (const statement of CREATE_TABLES.split(';')) await tx.query(statement);
}

async function findMissing(tx: Transaction, range: InstantRange, choose?: string): Promise<void> {
  await tx.query(FIND_SOUND, spanOf(range));
  if (choose !== undefined) await tx.query(choose);
  for (const statement of [FIND_MISSING_GROUPS, FIND_MISSING_HOSTS]) await tx.query(statement, spanOf(range));
}

async function correct(tx: Transaction, range: InstantRange): Promise<FiledCorrection> {
  await findMissing(tx, range);
  await tx.query(ADD_GROUPS, [CORRECTIONS_SLOT]);
  await tx.query(ADD_HOSTS);
  await tx.query(SETTLE);
  const [counted] = await tx.query<Omit<FiledCorrection, 'missing'>>(COUNT_BUCKETS);
  const [row] = await tx.query<{ missing: number }>(COUNT_MISSING);
  return { sound: counted?.sound ?? 0, unsound: counted?.unsound ?? 0, missing: row?.missing ?? 0 };
}

function spanOf({ from, to }: InstantRange): [string, string] {
  return [toIso(from), toIso(to)];
}
