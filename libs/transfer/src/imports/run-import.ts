import { createHash } from 'node:crypto';

import type { Created, LinkStore } from '@hopcount/links';
import { classifyPostgresError, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint, isAppError, Reach } from '@hopcount/runtime';

import { RowSkipped, type SourceLink } from '../sources/source-link.js';
import { visitOf } from '../sources/read-visits.js';
import { type ImportSource, readerOf } from '../sources/sources.js';
import { ChunkReport } from './chunk-report.js';
import type { ImportRow, ImportStore } from './import-store.js';
import { type FileRecord, readRecords } from './read-records.js';
import { findVisited, monthOf, type ReadVisit, takeVisits, type VisitTaker } from './take-visits.js';

const FIND_IMPORTED = loadSql(import.meta.url, 'sql/find-imported.sql');
const KEEP_IMPORTED = loadSql(import.meta.url, 'sql/keep-imported.sql');
const BEGIN_LIMITS = loadSql(import.meta.url, 'sql/begin-limits.sql');
const FIND_SAME = loadSql(import.meta.url, 'sql/find-same.sql');
/** Two that took the same rows: the second waits here for the first's COMMIT, and ends. */
const FENCE = `SELECT FROM imports WHERE id = $1 AND rows_done = $2 AND state = 'running' FOR UPDATE`;
const ADVANCE = loadSql(import.meta.url, 'sql/advance-import.sql');

/** One transaction: a worker that is killed repeats so many rows at most, and none is created twice. */
const CHUNK = 500;
const MAX_KEY_LENGTH = 300;

/** They have sums of visits, and nothing else of them. */
const TOTALS_ONLY: ReadonlySet<ImportSource> = new Set(['kutt', 'yourls', 'bitly']);

type Read = SourceLink & { row: number };

export interface ImportDeps extends VisitTaker {
  database: Database;
  links: LinkStore;
  imports: ImportStore;
}

/**
 * Takes one import to its end, or until the signal. The links and visits of a chunk, the keys by which links are found again
 * and how far the file was taken are one transaction, which ends without effect when somebody else has moved on.
 * @throws what passes by itself (PostgreSQL or the worker id away): it goes on with the next run
 */
export async function runImport(deps: ImportDeps, given: ImportRow, signal: AbortSignal): Promise<void> {
  try {
    let done = given.rowsDone;
    for await (const chunk of chunksOf(readRecords(deps.imports.read(given.id)), done)) {
      if (signal.aborted) return;
      done = await takeChunk(deps, { given, chunk, done, signal });
      failpoint('import.after-chunk');
    }
    await deps.imports.end(given.id, null);
  } catch (error) {
    // Stopped, not failed: whoever comes next goes on with it.
    if (signal.aborted || isAppError(error, 'import-fenced')) return;
    if (willPass(error)) throw error;
    await deps.imports.end(
      given.id,
      isAppError(error) ? error.message : `A defect stopped it: ${String(error)}`.slice(0, 500),
    );
    if (!isAppError(error)) throw error;
  }
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
  const visits = read.flatMap((row) => row.visits);
  const links = read.flatMap((row) => row.links);
  const notOpen = await openMonthsOf(deps, given, { visits, links }, signal);
  const fresh = await withoutImported(deps, given, links, before);
  const last = chunk.at(-1)?.row ?? done;
  const write = async (created: readonly Created[], tx: Transaction) => {
    // The transaction may run more than once.
    const report = before.copy();
    // Also what a purge waits for, before links are looked at (see VisitCommitter).
    if ((await tx.query(FENCE, [given.id, done])).length === 0) throw fenced();
    const kept = await keepCreated(deps, tx, fresh, created, report);
    const keys = kept.map(({ key }) => key);
    await tx.query(KEEP_IMPORTED, [given.name, keys, kept.map(({ linkId }) => linkId)]);
    await takeVisits(tx, deps, { given, visits, notOpen }, report);
    await tx.query(ADVANCE, [given.id, done, last, ...report.values()]);
    failpoint('import.before-commit');
  };
  const wanted = fresh.map(({ link }) => link);
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

/** The links of a row (those without a domain go to the import's), or the visit that it is. */
export function readRow(
  given: Pick<ImportRow, 'source' | 'domain'>,
  record: FileRecord,
  report: ChunkReport,
): { links: Read[]; visits: ReadVisit[] } {
  const { row } = record;
  const nothing = { links: [], visits: [] };
  if ('fault' in record) return { ...nothing, links: report.skip(row, 'unreadable', record.fault) };
  try {
    const visit = visitOf(given.source, record.record);
    if (visit !== undefined) return { links: [], visits: [{ row, visit: { ...visit, key: storable(visit.key) } }] };
    const links = readerOf(given.source)(record.record).map((one) => {
      for (const field of one.withoutFields) report.note(row, 'field-not-imported', field);
      return { ...one, row, key: storable(one.key), link: { ...one.link, domain: one.link.domain ?? given.domain } };
    });
    const [{ visits } = { visits: 0 }] = links;
    if (TOTALS_ONLY.has(given.source) && (visits ?? 0) > 0)
      report.note(row, 'visits-are-totals', `${visits} visits are known by their number only`);
    return { links, visits: [] };
  } catch (error) {
    if (error instanceof RowSkipped) return { ...nothing, links: report.skip(row, error.reason, error.message) };
    throw error;
  }
}

/** Of a key that comes twice the first counts; what was imported before is there already. */
async function withoutImported({ database }: ImportDeps, given: ImportRow, read: Read[], report: ChunkReport) {
  const first = new Map<string, Read>();
  for (const one of read) {
    if (first.has(one.key)) report.existing += 1;
    else first.set(one.key, one);
  }
  type Imported = { key: string; isDeleted: boolean };
  for (const { key, isDeleted } of await database.query<Imported>(FIND_IMPORTED, [given.name, [...first.keys()]])) {
    const one = first.get(key);
    if (isDeleted && one !== undefined)
      report.skip(one.row, 'deleted-here', `"${key}" is in the recycle bin, or purged.`);
    else report.existing += 1;
    first.delete(key);
  }
  return [...first.values()];
}

/** Links under their keys: those that are new, and those that were there already with that code and target. */
async function keepCreated(
  { links }: ImportDeps,
  tx: Transaction,
  read: Read[],
  created: readonly Created[],
  report: ChunkReport,
) {
  const kept: { key: string; linkId: string }[] = [];
  const limited: { linkId: string; visits: number }[] = [];
  const taken = new Map<number, AppError>();
  created.forEach((result, place) => {
    const { key, row, link, visits } = read[place] as Read;
    if ('link' in result) {
      kept.push({ key, linkId: result.link.id });
      if ((link.maxVisits ?? null) === null) return;
      if (visits === null) report.note(row, 'limit-from-nothing', `"${key}" may be visited ${link.maxVisits} times`);
      else limited.push({ linkId: result.link.id, visits });
    } else if (result.error.code === 'non-unique-slug') taken.set(place, result.error);
    else report.skip(row, result.error.code, result.error.message);
  });
  report.created += kept.length;
  await beginLimits(tx, limited);
  const places = [...taken.keys()];
  const judge = await links.targetJudge();
  const targets = places.map((place) => judge.parse((read[place] as Read).link.longUrl));
  const wanted = [...taken].map(([place, { details }], index) => {
    // The code as it was asked for in the end.
    const { domain: authority = null, customSlug: code } = details;
    return { place, authority, code, long_url: targets[index] };
  });
  for (const { place, id } of await tx.query<{ place: number; id: string }>(FIND_SAME, [JSON.stringify(wanted)])) {
    kept.push({ key: (read[place] as Read).key, linkId: id });
    report.existing += 1;
    taken.delete(place);
  }
  for (const [place, error] of taken) report.skip((read[place] as Read).row, error.code, error.message);
  return kept;
}

/** What a link had of visits elsewhere is used up here. */
async function beginLimits(tx: Transaction, limited: readonly { linkId: string; visits: number }[]): Promise<void> {
  if (limited.length === 0) return;
  await tx.query(BEGIN_LIMITS, [limited.map(({ linkId }) => linkId), limited.map(({ visits }) => visits)]);
}

/** One that an index holds, whatever the file has. */
function storable(key: string): string {
  const isPlain = key.length <= MAX_KEY_LENGTH && !/[\u0000\p{Cs}]/u.test(key);
  return isPlain ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function fenced(): AppError {
  return new AppError('import-fenced', 'Somebody else went on with this import.');
}
