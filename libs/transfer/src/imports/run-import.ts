import { createHash } from 'node:crypto';

import type { Created, LinkStore } from '@hopcount/links';
import { classifyPostgresError, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint, isAppError } from '@hopcount/runtime';

import { RowSkipped, type SourceLink } from '../sources/source-link.js';
import { readerOf } from '../sources/sources.js';
import { ChunkReport } from './chunk-report.js';
import type { ImportRow, ImportStore } from './import-store.js';
import { type FileRecord, readRecords } from './read-records.js';

const FIND_IMPORTED = loadSql(import.meta.url, 'sql/find-imported.sql');
const KEEP_IMPORTED = loadSql(import.meta.url, 'sql/keep-imported.sql');
const FIND_SAME = loadSql(import.meta.url, 'sql/find-same.sql');
/** Two that took the same rows: the second waits here for the first's COMMIT, and ends. */
const FENCE = `SELECT FROM imports WHERE id = $1 AND rows_done = $2 AND state = 'running' FOR UPDATE`;
const ADVANCE = loadSql(import.meta.url, 'sql/advance-import.sql');

/** One transaction: a worker that is killed repeats so many rows at most, and none is created twice. */
const CHUNK = 500;
const MAX_KEY_LENGTH = 300;

type Read = SourceLink & { row: number };

export interface ImportDeps {
  database: Database;
  links: LinkStore;
  imports: ImportStore;
}

/**
 * Takes one import to its end, or until the signal. The links of a chunk, the keys they are found by again and how far the
 * file was taken are one transaction, which ends without effect when somebody else has moved on.
 * @throws what passes by itself (PostgreSQL or the worker id away): it goes on with the next run
 */
export async function runImport(deps: ImportDeps, given: ImportRow, signal: AbortSignal): Promise<void> {
  try {
    let done = given.rowsDone;
    for await (const chunk of chunksOf(readRecords(deps.imports.read(given.id)), done)) {
      if (signal.aborted) return;
      done = await takeChunk(deps, given, chunk, done);
      failpoint('import.after-chunk');
    }
    await deps.imports.end(given.id, null);
  } catch (error) {
    if (isAppError(error, 'import-fenced')) return;
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

/** @returns the last row of it */
async function takeChunk(deps: ImportDeps, given: ImportRow, chunk: FileRecord[], done: number): Promise<number> {
  const before = new ChunkReport();
  const read = chunk.flatMap((record) => readLinks(given, record, before));
  const fresh = await withoutImported(deps, given, read, before);
  const last = chunk.at(-1)?.row ?? done;
  await deps.links.createAll(
    fresh.map(({ link }) => link),
    async (created, tx) => {
      // The transaction may run more than once.
      const report = before.copy();
      if ((await tx.query(FENCE, [given.id, done])).length === 0) throw fenced();
      const kept = await keepCreated(deps, tx, fresh, created, report);
      const keys = kept.map(({ key }) => key);
      await tx.query(KEEP_IMPORTED, [given.name, keys, kept.map(({ linkId }) => linkId)]);
      await tx.query(ADVANCE, [given.id, done, last, ...report.values()]);
      failpoint('import.before-commit');
    },
  );
  return last;
}

/** The links of a row; those without a domain go to the import's. */
export function readLinks(
  given: Pick<ImportRow, 'source' | 'domain'>,
  record: FileRecord,
  report: ChunkReport,
): Read[] {
  const { row } = record;
  if ('fault' in record) return report.skip(row, 'unreadable', record.fault);
  try {
    return readerOf(given.source)(record.record).map((one) => {
      for (const field of one.withoutFields) report.note(row, 'field-not-imported', field);
      return { ...one, row, key: storable(one.key), link: { ...one.link, domain: one.link.domain ?? given.domain } };
    });
  } catch (error) {
    if (error instanceof RowSkipped) return report.skip(row, error.reason, error.message);
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
  const taken = new Map<number, AppError>();
  created.forEach((result, place) => {
    const { key, row } = read[place] as Read;
    if ('link' in result) kept.push({ key, linkId: result.link.id });
    else if (result.error.code === 'non-unique-slug') taken.set(place, result.error);
    else report.skip(row, result.error.code, result.error.message);
  });
  report.created += kept.length;
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

/** One that an index holds, whatever the file has. */
function storable(key: string): string {
  const isPlain = key.length <= MAX_KEY_LENGTH && !/[\u0000\p{Cs}]/u.test(key);
  return isPlain ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function fenced(): AppError {
  return new AppError('import-fenced', 'Somebody else went on with this import.');
}
