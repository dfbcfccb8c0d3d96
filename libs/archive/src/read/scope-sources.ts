import { type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { withCopy } from '../duckdb/copy-out.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { CountedBy } from '../questions/count-visits.js';
import type { CrossedBy, Crossing, Matrix, MatrixSize } from '../questions/cross-visits.js';
import type { VisitsPage } from '../questions/list-visits.js';
import type { ValuePage, ValueRows } from '../questions/value-page.js';
import type { VisitFilter } from '../questions/visit-filters.js';
import { asksForDomains, SELECT_DOMAINS } from '../questions/visit-values.js';
import type { LocalFile } from '../store/archive-store.js';
import { type CountedUniques, wholeHours } from './archived-link.js';
import { clip } from './clip.js';
import { judgeScope, judgeWithoutFiles } from './judge-scope.js';
import { readKeptFrom } from './kept-from.js';
import type { KeptRelations } from './kept-relations.js';
import { ScopedVisits, type ScopeTotals, type VisitsSum } from './scoped-visits.js';
import type { VisitsQuestion } from './visits-of.js';

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
  ): Promise<Map<string, CountedUniques>>;
  /** `rest`: as of uniques() by class. */
  totals(filters: readonly VisitFilter[], rest: string | undefined, hasIps: boolean): Promise<ScopeTotals>;
  page(by: CountedBy, filters: readonly VisitFilter[], rest: string | undefined, page: ValuePage): Promise<ValueRows>;
  matrix(by: Crossing, filters: readonly VisitFilter[], rest: string | undefined, size: MatrixSize): Promise<Matrix>;
  sum(filters: readonly VisitFilter[], rest: string | undefined): Promise<VisitsSum>;
  /** `rest`: of all columns of the ledger, in their order. `columns`: what is wanted, in DuckDB's words. */
  list<Row>(
    columns: string,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    page: VisitsPage,
  ): Promise<Row[]>;
}

interface FilesForScope {
  question: VisitsQuestion;
  usable: readonly LocalFile<ArchiveFile>[];
  work: WorkFolder;
  kept: KeptRelations;
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
  { question, usable, work, kept }: FilesForScope,
  answer: (sources: ScopeSources) => Promise<T>,
): Promise<T> {
  const keptFrom = await readKeptFrom(tx);
  const visits = new ScopedVisits(session, usable, question, { keptFrom, kept });
  const copied: Copied = (select, then) => withCopy(tx, select, { folder: work, signal: session.signal }, then);
  const { links } = question.of;
  if (links !== undefined && 'select' in links) await copied(links.select, (path) => visits.loadLinks(path));
  const { fromLedger, unknown, inFiles } = await judgeScope(tx, visits, {
    of: question.of,
    hours: wholeHours(question),
    keptFrom,
    fileIds: usable.map(({ id }) => id),
    loadPurges: (after) =>
      copied(selectPurges(after), async (path, links) => {
        await visits.loadPurges(path);
        return links;
      }),
  });
  visits.take(inFiles);
  const files = filesOf(visits, usable.length, copied);
  return answer({ fromLedger: clip(fromLedger, question), unknown: clip(unknown, question), files });
}

type Copied = <Result>(select: string, then: (path: string, rows: number) => Promise<Result>) => Promise<Result>;

function filesOf(visits: ScopedVisits, number: number, copied: Copied): ScopedFiles {
  let domains: Promise<void> | undefined;
  /** Before a question that asks for domains: which links have which. */
  const prepared = async <Result>(
    {
      filters,
      by = [],
      rest,
    }: { filters: readonly VisitFilter[]; by?: (CountedBy | CrossedBy)[]; rest: string | undefined },
    then: (path: string | undefined) => Promise<Result>,
  ) => {
    if (asksForDomains(by, filters)) await (domains ??= copied(SELECT_DOMAINS, (path) => visits.loadDomains(path)));
    return rest === undefined ? then(undefined) : copied(rest, then);
  };
  return {
    number,
    preparePoints: (starts) => visits.preparePoints(starts),
    counts: (by, filters, rest) => prepared({ filters, by: [by], rest }, (path) => visits.counts(by, filters, path)),
    uniques: (by, filters, rest, hasIps) =>
      prepared({ filters, by: [by], rest }, (path) => visits.uniques(by, filters, path, hasIps)),
    totals: (filters, rest, hasIps) => prepared({ filters, rest }, (path) => visits.totals(filters, path, hasIps)),
    page: (by, filters, rest, page) =>
      prepared({ filters, by: [by], rest }, (path) => visits.page(by, filters, path, page)),
    matrix: (by, filters, rest, size) =>
      prepared({ filters, by: [by.rows, by.columns], rest }, (path) => visits.matrix(by, filters, path, size)),
    sum: (filters, rest) => prepared({ filters, rest }, (path) => visits.sum(filters, path)),
    list: (columns, filters, rest, page) =>
      prepared({ filters, rest }, (path) => visits.list(columns, filters, path, page)),
  };
}

function selectPurges(after: number): string {
  return `SELECT id, (extract(epoch FROM purged_before) * 1000)::bigint FROM links WHERE purged_before > '${toIso(after)}'`;
}
