import { type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { copyOut } from '../duckdb/copy-out.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { CountedBy } from '../questions/count-visits.js';
import type { VisitFilter } from '../questions/visit-filters.js';
import type { LocalFile } from '../store/archive-store.js';
import { type FoundUniques, wholeHours } from './archived-link.js';
import { clip } from './clip.js';
import { judgeScope, judgeWithoutFiles } from './judge-scope.js';
import { ScopedVisits, type ValuePage, type ValueRows } from './scoped-visits.js';
import type { VisitsQuestion } from './visits-of.js';

const READ_KEPT_FROM = 'SELECT kept_from FROM ledger_retention';

/** What answers a question about the visits of a scope in a range. */
export interface ScopeSources {
  /** Only the ledger has these. Ascending, apart. */
  fromLedger: InstantRange[];
  /** Nobody has all visits of these. */
  unknown: InstantRange[];
  /** undefined: no file is read. */
  files: ScopedFiles | undefined;
}

/** `rest`: a SELECT of the same of what the files do not answer, in PostgreSQL's words; undefined: there is nothing. */
export interface ScopedFiles {
  /** How many are read. */
  number: number;
  /** Before anything is asked by these points. */
  preparePoints(starts: readonly number[]): Promise<void>;
  counts(by: CountedBy, filters: readonly VisitFilter[], rest: string | undefined): Promise<Map<string, number>>;
  uniques(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    hasIps: boolean,
  ): Promise<Map<string, FoundUniques>>;
  page(by: CountedBy, filters: readonly VisitFilter[], rest: string | undefined, page: ValuePage): Promise<ValueRows>;
}

export async function scopeFromLedger(tx: Transaction, question: VisitsQuestion): Promise<ScopeSources> {
  const keptFrom = await readKeptFrom(tx);
  const hours = wholeHours(question);
  const { fromLedger, unknown } = await judgeWithoutFiles(tx, { ...question, hours, keptFrom });
  return { fromLedger: clip(fromLedger, question), unknown: clip(unknown, question), files: undefined };
}

export async function scopeFromFiles<T>(
  tx: Transaction,
  session: DuckSession,
  { question, usable, work }: { question: VisitsQuestion; usable: readonly LocalFile<ArchiveFile>[]; work: WorkFolder },
  answer: (sources: ScopeSources) => Promise<T>,
): Promise<T> {
  const visits = new ScopedVisits(session, usable, question);
  const copied = <Result>(select: string, then: (path: string, rows: number) => Promise<Result>) =>
    work.aside(async (path) => {
      const rows = await copyOut(tx, select, path, session.signal);
      return then(path, rows);
    });
  const { links } = question.of;
  if (links !== undefined && 'select' in links) await copied(links.select, (path) => visits.loadLinks(path));
  const { fromLedger, unknown, inFiles } = await judgeScope(tx, visits, {
    of: question.of,
    hours: wholeHours(question),
    keptFrom: await readKeptFrom(tx),
    fileIds: usable.map(({ id }) => id),
    loadPurges: (after) =>
      copied(selectPurges(after), async (path, links) => {
        await visits.loadPurges(path);
        return links;
      }),
  });
  visits.take(inFiles);
  const withRest = <Result>(rest: string | undefined, then: (path: string | undefined) => Promise<Result>) =>
    rest === undefined ? then(undefined) : copied(rest, then);
  const files: ScopedFiles = {
    number: usable.length,
    preparePoints: (starts) => visits.preparePoints(starts),
    counts: (by, filters, rest) => withRest(rest, (path) => visits.counts(by, filters, path)),
    uniques: (by, filters, rest, hasIps) => withRest(rest, (path) => visits.uniques(by, filters, path, hasIps)),
    page: (by, filters, rest, page) => withRest(rest, (path) => visits.page(by, filters, path, page)),
  };
  return answer({ fromLedger: clip(fromLedger, question), unknown: clip(unknown, question), files });
}

function selectPurges(after: number): string {
  return `SELECT id, (extract(epoch FROM purged_before) * 1000)::bigint FROM links WHERE purged_before > '${toIso(after)}'`;
}

async function readKeptFrom(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ kept_from: Date | null }>(READ_KEPT_FROM);
  return row?.kept_from?.getTime() ?? Number.NEGATIVE_INFINITY;
}
