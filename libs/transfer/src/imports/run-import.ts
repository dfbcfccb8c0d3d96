import type { LinkStore } from '@hopcount/links';
import { classifyPostgresError, type Database, loadSql } from '@hopcount/postgres';
import { AppError, failpoint, isAppError, Reach } from '@hopcount/runtime';

import { EXPECTED } from '../sources/names.js';
import { ChunkReport } from './chunk-report.js';
import { findKeys } from './find-keys.js';
import type { ImportRow, ImportStore } from './import-store.js';
import { readRow } from './read-row.js';
import { type FileRecord, readRecords } from './read-records.js';
import { keepCreated, type Read, withoutImported } from './take-links.js';
import { findVisited, monthOf, type ReadVisit, takeVisits, type VisitTaker } from './take-visits.js';

/** Two that took the same rows: the second waits here for the first's COMMIT, and ends. */
const FENCE = `SELECT FROM imports WHERE id = $1 AND rows_done = $2 AND state = 'running' FOR UPDATE`;
const ADVANCE = loadSql(import.meta.url, 'sql/advance-import.sql');

/** One transaction: a worker that is killed repeats so many rows at most, and none is created twice. */
const CHUNK = 500;

export interface ImportDeps extends VisitTaker {
  database: Database;
  links: LinkStore;
  imports: ImportStore;
}

/**
 * Takes one import to its end, or until the signal. The links and visits of a chunk, the keys by which links are found again,
 * what became of its rows and how far the file was taken are one transaction, which ends without effect when another worker
 * has moved on: so the outcomes of an import that was interrupted add up to its rows as well.
 * @throws what passes by itself (PostgreSQL or the worker id away): it goes on with the next run
 */
export async function runImport(deps: ImportDeps, given: ImportRow, signal: AbortSignal): Promise<void> {
  try {
    let done = given.rowsDone;
    for await (const chunk of chunksOf(readRecords(deps.imports.read(given.id), given), done)) {
      if (signal.aborted) return;
      done = await takeChunk(deps, { given, chunk, done, signal });
      failpoint('import.after-chunk');
    }
    await deps.imports.end(given.id, await nothingTaken(deps.imports, given.id));
  } catch (error) {
    // Stopped, not failed: the next worker goes on with it.
    if (signal.aborted || isAppError(error, 'import-fenced')) return;
    if (willPass(error)) throw error;
    await deps.imports.end(
      given.id,
      isAppError(error) ? error.message : `A defect stopped it: ${String(error)}`.slice(0, 500),
    );
    if (!isAppError(error)) throw error;
  }
}

/** Why a file that was read to its end failed all the same; null: some of its rows are here. */
async function nothingTaken(imports: ImportStore, id: string): Promise<string | null> {
  const { rowsDone, refused } = await imports.get(Reach.everything, id);
  if (refused < rowsDone) return null;
  const [first] = (await imports.remarksOf(id)).filter(({ row }) => row > 0);
  const why = first === undefined ? 'It has no row.' : `The first: ${where(first)}: ${first.detail}`;
  return `No row of the file could be imported. ${why} ${EXPECTED}`;
}

function where({ row, line }: { row: number; line: number | null }): string {
  return line === null ? `row ${row}` : `line ${line}`;
}

function willPass(error: unknown): boolean {
  if (isAppError(error)) return error.retryable;
  const failure = classifyPostgresError(error);
  return failure === 'unavailable' || failure === 'conflict';
}

async function* chunksOf(records: AsyncIterable<FileRecord>, after: number): AsyncGenerator<FileRecord[]> {
  let chunk: FileRecord[] = [];
  for await (const record of records) {
    if (record.row <= after) continue;
    chunk.push(record);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

interface Chunk {
  given: ImportRow;
  chunk: FileRecord[];
  done: number;
  signal: AbortSignal;
}

/** @returns the last row of it */
async function takeChunk(deps: ImportDeps, { given, chunk, done, signal }: Chunk): Promise<number> {
  const before = new ChunkReport();
  const read = chunk.map((record) => readRow(given, record, before));
  const asRead = { visits: read.flatMap((row) => row.visits), links: read.flatMap((row) => row.links) };
  const keyed = await findKeys(deps, given, [...asRead.links, ...asRead.visits.map(({ visit }) => visit)]);
  const links = asRead.links.map(keyed);
  const visits = asRead.visits.map((one) => ({ ...one, visit: keyed(one.visit) }));
  const notOpen = await openMonthsOf(deps, given, { visits, links }, signal);
  const sorted = await withoutImported(deps, given, links, before);
  const last = chunk.at(-1)?.row ?? done;
  const wanted = sorted.fresh.map(({ link }) => link);
  const write: Parameters<LinkStore['createAll']>[2] = async (created, tx) => {
    // The transaction may run more than once.
    const report = before.copy();
    // Also what a purge waits for, before links are looked at (see VisitCommitter).
    if ((await tx.query(FENCE, [given.id, done])).length === 0) throw fenced();
    await keepCreated(deps, { tx, given, report }, sorted, created);
    await takeVisits(tx, deps, { given, visits, notOpen }, report);
    await tx.query(ADVANCE, [given.id, done, last, ...report.values()]);
    failpoint('import.before-commit');
  };
  if (wanted.length === 0) await deps.database.transaction((tx) => write([], tx));
  else await deps.links.createAll(reachOf(given), wanted, write);
  return last;
}

/** A month that was dropped is worth bringing back for visits of links that are here, or come with them. */
async function openMonthsOf(
  { database, openMonths }: ImportDeps,
  given: ImportRow,
  { visits, links }: { visits: readonly ReadVisit[]; links: readonly Read[] },
  signal: AbortSignal,
) {
  const known = new Set([...(await findVisited(database, given, visits)).keys(), ...links.map(({ key }) => key)]);
  const counted = visits.filter(({ visit }) => known.has(visit.key));
  const months = [...new Set(counted.map(({ visit }) => monthOf(visit.occurredAt)))];
  return months.length === 0 ? new Map<number, string>() : openMonths(months, signal);
}

/** Who may import reaches all links. */
function reachOf({ authorKeyId: keyId }: ImportRow): Reach {
  if (keyId === null) return Reach.everything;
  return Reach.of({ keyId, authoredOnly: false, domain: null, noOrphanVisits: false });
}

function fenced(): AppError {
  return new AppError('import-fenced', 'Another worker went on with this import.');
}
