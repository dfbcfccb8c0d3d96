import { type InstantRange, toIso } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';

import { copyOut } from '../duckdb/copy-out.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { readCsv } from '../duckdb/read-csv.js';
import { DERIVED_COLUMNS, LEDGER_SELECTION, VISIT_COLUMNS } from '../visit-columns.js';

/** Hours are copied whole from here on: a list of so many links is no faster. */
const LISTED_LINKS = 2_000;
/** A million visits take seconds; the time of the disk they are written to is in it. */
const PREPARE = `SELECT set_config('statement_timeout', '30min', true), set_config('work_mem', '64MB', true),
  set_config('idle_in_transaction_session_timeout', '5min', true)`;
/** As files are sorted. */
const IN_ORDER = 'ORDER BY link_id, occurred_at, event_id';
/** Of a purge under way the buckets still have what it has not deleted: its visits would be due, and sealed, again. */
const SELECT_PURGES = `SELECT id, (extract(epoch FROM purged_before) * 1000)::bigint FROM links
  WHERE purged_before IS NOT NULL AND NOT EXISTS (SELECT FROM unfinished_purges WHERE link_id = links.id)`;
const ONE_SNAPSHOT = { isolation: 'REPEATABLE READ', readOnly: true } as const;
const PURGE_COLUMNS = ['link_id', 'purged_before'].map((name) => ({ name, type: 'BIGINT' }));
const KEPT_COLUMNS = ['link_id', 'bucket', 'class', 'visits', 'checksum'].map((name) => ({ name, type: 'BIGINT' }));

/**
 * Brings into DuckDB, from one snapshot: `differing`, where buckets and files (`filed`) of the range disagree, and
 * `ledger`, the rows of those links, or all of the range. They pass through a file, and PostgreSQL sorts them (DuckDB
 * needs memory for wide rows, however much it may spill), so an hour of any size needs no memory.
 * @returns how many links and buckets differ; 0: no row was read
 */
export async function readLedgerHour(
  database: Database,
  session: DuckSession,
  range: InstantRange,
  options: { kept: string; ledger: string; isWhole: boolean },
): Promise<number> {
  return database.transaction(async (tx) => {
    await prepareCopies(tx);
    await copyKept(tx, session, range, options.kept);
    const differing = await compareWith(session, options.kept);
    if (differing === 0) return 0;
    const select = options.isWhole ? selectLedger(range) : selectLedger(range, await linksOf(session));
    await copyOut(tx, `${select} ${IN_ORDER}`, options.ledger, session.signal);
    await viewLedger(session, options.ledger);
    return differing;
  }, ONE_SNAPSHOT);
}

export interface CopiedRange {
  kept: string;
  ledger: string;
}

/** Buckets and all rows of the range into two files, from one snapshot; the rows sorted as files are. */
export async function copyRange(
  database: Database,
  range: InstantRange,
  { kept, ledger }: CopiedRange,
  signal: AbortSignal,
): Promise<void> {
  await database.transaction(async (tx) => {
    await prepareCopies(tx);
    await copyKept(tx, { signal }, range, kept);
    await copyOut(tx, `${selectLedger(range)} ${IN_ORDER}`, ledger, signal);
  }, ONE_SNAPSHOT);
}

/** As `readLedgerHour`, of what was copied before. */
export async function loadCopies(session: DuckSession, { kept, ledger }: CopiedRange): Promise<number> {
  await viewLedger(session, ledger);
  return compareWith(session, kept);
}

/** What the buckets of the range say, into a file. */
export async function copyKept(
  tx: Transaction,
  session: Pick<DuckSession, 'signal'>,
  range: InstantRange,
  path: string,
): Promise<void> {
  await copyOut(tx, selectKept(range), path, session.signal);
}

/**
 * Makes `differing` of that file and `filed`: what the archive lacks (or has too much, below zero) of each link and bucket,
 * or of each class of it.
 * @returns how many those are
 */
export async function compareWith(
  session: DuckSession,
  keptPath: string,
  by: 'link_id, bucket' | 'link_id, bucket, class' = 'link_id, bucket',
): Promise<number> {
  const kept = readCsv(keptPath, KEPT_COLUMNS);
  await session.run(
    `CREATE OR REPLACE TEMP TABLE differing AS
     SELECT ${by}, sum(visits)::BIGINT AS visits, bit_xor(checksum) AS checksum
     FROM (SELECT ${by}, visits, checksum FROM ${kept} UNION ALL SELECT ${by}, -visits, checksum FROM filed)
     GROUP BY ${by} HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0`,
  );
  const [row] = await session.rows<{ buckets: number }>('SELECT count(*)::DOUBLE AS buckets FROM differing');
  return row?.buckets ?? 0;
}

async function viewLedger(session: DuckSession, path: string): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP VIEW ledger AS SELECT *, ${DERIVED_COLUMNS} FROM ${readCsv(path, VISIT_COLUMNS)}`,
  );
}

export async function prepareCopies(tx: Transaction): Promise<void> {
  await tx.query(PREPARE);
}

/** Row by row: DuckDB adds up slots in a tenth of the time, and `extract` counts in numerics. */
function selectKept({ from, to }: InstantRange): string {
  return `SELECT link_id, (date_part('epoch', bucket) * 1000)::bigint, class, visits, checksum
    FROM link_traffic WHERE bucket >= '${toIso(from)}' AND bucket < '${toIso(to)}'`;
}

function selectLedger({ from, to }: InstantRange, links?: readonly string[]): string {
  const ofLinks = links === undefined ? '' : `AND link_id = ANY ('{${links.join(',')}}')`;
  return `SELECT ${LEDGER_SELECTION} FROM visits
    WHERE occurred_at >= '${toIso(from)}' AND occurred_at < '${toIso(to)}' ${ofLinks}`;
}

/** Makes `purges`: each link whose purge is done, and before when its visits are gone. @returns how many */
export async function loadPurges(database: Database, session: DuckSession, path: string): Promise<number> {
  const links = await database.transaction(async (tx) => {
    await prepareCopies(tx);
    return copyOut(tx, SELECT_PURGES, path, session.signal);
  });
  await session.run(`CREATE OR REPLACE TEMP TABLE purges AS SELECT * FROM ${readCsv(path, PURGE_COLUMNS)}`);
  return links;
}

/** @returns undefined: too many to list */
async function linksOf(session: DuckSession): Promise<string[] | undefined> {
  const rows = await session.rows<{ link: string }>(
    `SELECT DISTINCT link_id::VARCHAR AS link FROM differing LIMIT ${LISTED_LINKS + 1}`,
  );
  return rows.length > LISTED_LINKS ? undefined : rows.map(({ link }) => link);
}
