import { type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { withCopy } from '../duckdb/copy-out.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import { type CountedBy, keyType } from '../questions/count-visits.js';
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
import type { KeptRelation, KeptRelations } from './kept-relations.js';
import { ScopedVisits, type ScopeTotals, type VisitsSum } from './scoped-visits.js';
import { rangesOf, readSettledQuarters, type SettledQuarter, without } from './settled-quarters.js';
import type { VisitsQuestion } from './visits-of.js';
import { VISIT_COLUMNS } from '../visit-columns.js';

/** What answers a question about the visits of a scope in a range. */
export interface ScopeSources {
  /** Only the ledger has these. Ascending, apart. */
  fromLedger: InstantRange[];
  /** Nobody has all visits of these. */
  unknown: InstantRange[];
  /** undefined: no file is read. */
  files: ScopedFiles | undefined;
}

/**
 * A SELECT of visits that the ledger has in ranges, or of counts of them that may be added up, in PostgreSQL's words.
 */
export type LedgerSelect = (ranges: readonly InstantRange[]) => string;

/** `rest`: the same of what the files do not answer; undefined: there is nothing. */
export interface ScopedFiles {
  /** How many are read. */
  number: number;
  /** Before anything is asked by these points. */
  preparePoints(starts: readonly number[]): Promise<void>;
  counts(by: CountedBy, filters: readonly VisitFilter[], rest: LedgerSelect | undefined): Promise<Map<string, number>>;
  uniques(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: LedgerSelect | undefined,
    hasIps: boolean,
  ): Promise<Map<string, CountedUniques>>;
  /** `rest`: as of uniques() by class. */
  totals(filters: readonly VisitFilter[], rest: LedgerSelect | undefined, hasIps: boolean): Promise<ScopeTotals>;
  page(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: LedgerSelect | undefined,
    page: ValuePage,
  ): Promise<ValueRows>;
  matrix(
    by: Crossing,
    filters: readonly VisitFilter[],
    rest: LedgerSelect | undefined,
    size: MatrixSize,
  ): Promise<Matrix>;
  sum(filters: readonly VisitFilter[], rest: LedgerSelect | undefined): Promise<VisitsSum>;
  /** `rest`: of all columns of the ledger, in their order. `columns`: what is wanted, in DuckDB's words. */
  list<Row>(
    columns: string,
    filters: readonly VisitFilter[],
    rest: LedgerSelect | undefined,
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
  const ranges = clip(fromLedger, question);
  visits.take(inFiles, ranges[0]?.from);
  const rests = new LedgerRests(tx, session, { question, ranges, kept, copied });
  const files = filesOf(visits, usable.length, rests);
  return answer({ fromLedger: ranges, unknown: clip(unknown, question), files });
}

type Copied = <Result>(select: string, then: (path: string, rows: number) => Promise<Result>) => Promise<Result>;

/** Columns of a relation, with DuckDB's types. */
type Columns = readonly { name: string; type: string }[];

/** What files do not answer of a question, as a relation for DuckDB. */
class LedgerRests {
  #settled: Promise<readonly SettledQuarter[]> | undefined;

  constructor(
    private readonly tx: Transaction,
    private readonly session: DuckSession,
    private readonly asked: {
      question: VisitsQuestion;
      ranges: readonly InstantRange[];
      kept: KeptRelations;
      copied: Copied;
    },
  ) {}

  /** Which links have which domain. */
  domains(load: (path: string) => Promise<void>): Promise<void> {
    return this.asked.copied(SELECT_DOMAINS, load);
  }

  /** All of it is copied. */
  copy<T>(select: LedgerSelect, columns: Columns, then: (rest: string) => Promise<T>, ranges = this.asked.ranges) {
    return this.asked.copied(select(ranges), (path) => then(readCsv(path, columns)));
  }

  /**
   * Of quarters of an hour that are as they were, the rows are kept from one question to the next: copying is most of
   * the work.
   */
  async keep<T>(select: LedgerSelect, columns: Columns, then: (rest: string) => Promise<T>): Promise<T> {
    const { question, ranges, kept } = this.asked;
    const { links } = question.of;
    // Which links those are may change.
    if (links !== undefined && 'select' in links) return this.copy(select, columns, then);
    const settled = await (this.#settled ??= readSettledQuarters(this.tx, ranges));
    const relation: KeptRelation<SettledQuarter> = {
      name: [question.from, select([{ from: 0, to: 0 }])].join(' '),
      read: (quarters, read) => this.copy(select, columns, (rows) => read(`SELECT * FROM ${rows}`), rangesOf(quarters)),
      merged: (rows) => rows,
      bytes: `sum(${columns.map(({ name, type }) => (type === 'VARCHAR' ? `16 + strlen(${name})` : '8')).join(' + ')})`,
    };
    return kept.use(this.session, [relation], settled, (tables) => {
      if (tables === undefined) return this.copy(select, columns, then);
      const left = without(ranges, settled);
      if (left.length === 0) return then(`${tables[0]}`);
      return this.copy(select, columns, (rows) => then(`(FROM ${tables[0]} UNION ALL FROM ${rows})`), left);
    });
  }
}

function filesOf(visits: ScopedVisits, number: number, rests: LedgerRests): ScopedFiles {
  let domains: Promise<void> | undefined;
  /** Before a question that asks for domains: which links have which. */
  const prepared = async <Result>(
    { filters, by = [], rest }: { filters: readonly VisitFilter[]; by?: (CountedBy | CrossedBy)[]; rest: Rest },
    then: (rest: string | undefined) => Promise<Result>,
  ) => {
    const hasDomains = asksForDomains(by, filters);
    if (hasDomains) await (domains ??= rests.domains((path) => visits.loadDomains(path)));
    if (rest === undefined) return then(undefined);
    const [select, columns, isKept] = rest;
    return isKept === true && !hasDomains ? rests.keep(select, columns, then) : rests.copy(select, columns, then);
  };
  return {
    number,
    preparePoints: (starts) => visits.preparePoints(starts),
    counts: (by, filters, rest) =>
      prepared({ filters, by: [by], rest: rest && [rest, countColumns(by), true] }, (counts) =>
        visits.counts(by, filters, counts),
      ),
    uniques: (by, filters, rest, hasIps) =>
      prepared({ filters, by: [by], rest: rest && [rest, memberColumns(by), true] }, (members) =>
        visits.uniques(by, filters, members, hasIps),
      ),
    totals: (filters, rest, hasIps) =>
      prepared({ filters, rest: rest && [rest, memberColumns({ by: 'class' }), true] }, (members) =>
        visits.totals(filters, members, hasIps),
      ),
    page: (by, filters, rest, page) => {
      // Of links the ledger is asked for sums, which a rebuild mends while those of all links stay as they were.
      const isOfLinks = by.by === 'value' && by.of === 'link';
      const kept: Rest = rest && (isOfLinks ? [rest, countColumns(by)] : [rest, countColumns(by), true]);
      return prepared({ filters, by: [by], rest: kept }, (counts) => visits.page(by, filters, counts, page));
    },
    matrix: (by, filters, rest, size) =>
      prepared({ filters, by: [by.rows, by.columns], rest: rest && [rest, CELL_COLUMNS, true] }, (cells) =>
        visits.matrix(by, filters, cells, size),
      ),
    // What is to prove a number reads its visits.
    sum: (filters, rest) =>
      prepared({ filters, rest: rest && [rest, SUM_COLUMNS] }, (sums) => visits.sum(filters, sums)),
    list: (columns, filters, rest, page) =>
      prepared({ filters, rest: rest && [rest, VISIT_COLUMNS] }, (rows) => visits.list(columns, filters, rows, page)),
  };
}

type Rest = readonly [select: LedgerSelect, columns: Columns, isKept?: true] | undefined;

const bigint = (name: string) => ({ name, type: 'BIGINT' });
const countColumns = (by: CountedBy): Columns => [{ name: 'key', type: keyType(by) }, bigint('visits')];
const memberColumns = (by: CountedBy): Columns => [{ name: 'key', type: keyType(by) }, bigint('visitor'), bigint('ip')];
const CELL_COLUMNS: Columns = [{ name: 'a', type: 'VARCHAR' }, { name: 'b', type: 'VARCHAR' }, bigint('visits')];
const SUM_COLUMNS: Columns = [bigint('visits'), bigint('checksum')];

function selectPurges(after: number): string {
  return `SELECT id, (extract(epoch FROM purged_before) * 1000)::bigint FROM links WHERE purged_before > '${toIso(after)}'`;
}
