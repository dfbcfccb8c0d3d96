import { HOUR_MS, type InstantRange } from '@hopcount/ledger';

import type { DuckSession } from '../duckdb/duck-database.js';
import { quoteList } from '../duckdb/quoting.js';
import { readParquet } from '../duckdb/archived-visits.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { LocalFile } from '../store/archive-store.js';
import { type CountedBy, keyType, pointTables, selectInFiles } from '../questions/count-visits.js';
import { DUCKDB } from '../questions/dialect.js';
import {
  crossInFiles,
  type CrossedBy,
  type Crossing,
  labelTable,
  type Matrix,
  matrixOf,
  type MatrixSize,
  toMatrix,
} from '../questions/cross-visits.js';
import { newestOf, type VisitsPage } from '../questions/list-visits.js';
import { filterVisits, type VisitFilter } from '../questions/visit-filters.js';
import { pageOf, type PagedRow, toValueRows, type ValuePage, type ValueRows } from '../questions/value-page.js';
import { DOMAIN_COLUMN, valueOfVisit } from '../questions/visit-values.js';
import { CHECKSUM, VISIT_COLUMNS } from '../visit-columns.js';
import type { CountedUniques, FoundUniques } from './archived-link.js';
import type { KnownLinks, LinkSums } from './link-sums.js';
import type { PeriodSum } from './judge-sums.js';
import {
  type FileHours,
  hoursIn,
  isCounted,
  isInside,
  isOfScope,
  isTouched,
  isWithin,
  whereAll,
} from './visit-conditions.js';
import type { VisitsOf, VisitsQuestion } from './visits-of.js';

/** Visits by their number and the XOR of the random bits of their ids, as text: it has up to 62 bits. */
export interface VisitsSum {
  visits: number;
  checksum: string;
}

/** Visits by class, and how many visitors they are of. */
export interface ScopeTotals {
  counts: Map<string, number>;
  uniques: FoundUniques;
}

type Relation = 'counts' | 'members';
const OTHER_COLUMNS: Record<Relation, readonly string[]> = { counts: ['visits'], members: ['visitor', 'ip'] };

/** Visits of a scope that files hold, in a session of DuckDB, read where they are counted. */
export class ScopedVisits {
  #hours: FileHours = { marked: [], leftOut: [] };

  /** @param known `keptFrom`: before it only files have visits */
  constructor(
    private readonly session: DuckSession,
    private readonly files: readonly LocalFile<ArchiveFile>[],
    private readonly question: VisitsQuestion,
    private readonly known: { keptFrom: number; linkSums: LinkSums },
  ) {}

  /** What the links of the scope are, where they are too many to name: a table of their ids, from a file of them. */
  async loadLinks(path: string): Promise<void> {
    const ids = readCsv(path, [{ name: 'id', type: 'BIGINT' }]);
    await this.session.run(`CREATE TEMP TABLE scope_links AS SELECT id FROM ${ids}`);
  }

  /** From a file: there may be millions. */
  async loadPurges(path: string): Promise<void> {
    const columns = ['purged_link', 'purged_before'].map((name) => ({ name, type: 'BIGINT' }));
    await this.session.run(`CREATE TEMP TABLE purges AS SELECT * FROM ${readCsv(path, columns)}`);
  }

  /** What links have which domain, before a question asks for domains. */
  async loadDomains(path: string): Promise<void> {
    const columns = [
      { name: 'linked_id', type: 'BIGINT' },
      { name: DOMAIN_COLUMN, type: 'VARCHAR' },
    ];
    await this.session.run(`CREATE TEMP TABLE link_domains AS SELECT * FROM ${readCsv(path, columns)}`);
  }

  /** Of some hours, without what was purged; ascending. */
  sums(of: VisitsOf, hours: readonly number[]): Promise<PeriodSum[]> {
    const hour = `${DUCKDB.atMs} // ${HOUR_MS}`;
    const range = { from: Math.min(...hours), to: Math.max(...hours) + HOUR_MS };
    const visits = this.#select(
      of,
      range,
      { marked: hours, leftOut: [] },
      { filter: `${hour} IN (${hoursIn(hours)})` },
    );
    return this.session.rows(
      `SELECT (${hour} * ${HOUR_MS})::DOUBLE AS start, count(*)::DOUBLE AS visits, bit_xor(${CHECKSUM})::VARCHAR AS checksum
       FROM ${visits} GROUP BY 1 ORDER BY 1`,
    );
  }

  /** For everything that is asked from now on. */
  take(hours: FileHours): void {
    this.#hours = hours;
  }

  async preparePoints(starts: readonly number[]): Promise<void> {
    for (const table of pointTables(starts, this.question)) await this.session.run(table);
  }

  /** Visits by key, with those of `rest`: a file of key and visits of what the files do not answer. */
  async counts(by: CountedBy, filters: readonly VisitFilter[], rest: string | undefined): Promise<Map<string, number>> {
    const rows = await this.session.rows<{ key: string; visits: number }>(
      `SELECT key::VARCHAR AS key, sum(visits)::DOUBLE AS visits FROM (${this.#all('counts', by, filters, rest)}) GROUP BY key`,
    );
    return new Map(rows.map(({ key, visits }) => [key, visits]));
  }

  /** Visits, distinct visitors, and IPs where they are asked for (twice the time), by key; `rest`: a file of key, visitor and ip. */
  async uniques(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    hasIps: boolean,
  ): Promise<Map<string, CountedUniques>> {
    const members = this.#all('members', by, filters, rest);
    const ips = hasIps ? ', count(DISTINCT ip)::DOUBLE AS ips' : '';
    const distinct = `count(*)::DOUBLE AS visits, count(DISTINCT visitor)::DOUBLE AS visitors${ips}`;
    const rows = await this.session.rows<{ key: string } & CountedUniques>(
      by.by === 'nothing'
        ? `SELECT '0' AS key, ${distinct} FROM (${members})`
        : `SELECT CAST(key AS VARCHAR) AS key, * EXCLUDE (key) FROM (SELECT key, ${distinct} FROM (${members}) GROUP BY key)`,
    );
    return new Map(rows.map(({ key, ...found }) => [key, found]));
  }

  /** Visits by class, and distinct visitors (and IPs) of them all, in one reading of the files; `rest`: of class, visitor and ip. */
  async totals(filters: readonly VisitFilter[], rest: string | undefined, hasIps: boolean): Promise<ScopeTotals> {
    const columns = hasIps ? ['visitor', 'ip'] : ['visitor'];
    const rows = await this.session.rows<{ key: string | null; visits: number } & FoundUniques>(
      `WITH member AS MATERIALIZED (
         SELECT key, ${columns.join(', ')} FROM (${this.#all('members', { by: 'class' }, filters, rest)})
       )
       SELECT CAST(key AS VARCHAR) AS key, count(*)::DOUBLE AS visits, ${columns.map((name) => `NULL AS ${name}s`).join(', ')}
       FROM member GROUP BY key
       UNION ALL SELECT NULL, NULL, ${columns.map((name) => `count(DISTINCT ${name})::DOUBLE`).join(', ')} FROM member`,
    );
    const counts = new Map<string, number>();
    let uniques: FoundUniques = { visitors: 0, ...(hasIps && { ips: 0 }) };
    for (const { key, visits, ...found } of rows) {
      if (key === null) uniques = found;
      else counts.set(key, visits);
    }
    return { counts, uniques };
  }

  /** A page of values by visits; `rest` as of counts(). */
  async page(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    page: ValuePage,
  ): Promise<ValueRows> {
    const whole = isOfLinks(by, filters, this.question.of) ? this.files.filter((file) => this.#isWhole(file)) : [];
    return this.known.linkSums.use(this.session, whole, async (known) => {
      const counts = this.#all('counts', by, filters, rest, known);
      return toValueRows(await this.session.rows<PagedRow>(pageOf(counts, page, 'DOUBLE')));
    });
  }

  /** `rest`: a file of a, b and visits of what the files do not answer. */
  async matrix(
    by: Crossing,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    size: MatrixSize,
  ): Promise<Matrix> {
    for (const side of [by.rows, by.columns]) {
      if (side.by !== 'point') continue;
      await this.preparePoints(side.starts);
      await this.session.run(labelTable(side.labels));
    }
    const columns = [{ name: 'a', type: 'VARCHAR' }, { name: 'b', type: 'VARCHAR' }, toBigint('visits')];
    const more = rest === undefined ? '' : `UNION ALL SELECT * FROM ${readCsv(rest, columns)}`;
    const counts = `${crossInFiles(by)(this.#chosen(filters, [by.rows, by.columns].flatMap(columnsOf)))} ${more}`;
    return toMatrix(await this.session.rows(matrixOf(counts, size, 'DOUBLE')));
  }

  /** `rest`: a file of visits and checksum of what the files do not answer. */
  async sum(filters: readonly VisitFilter[], rest: string | undefined): Promise<VisitsSum> {
    const names = ['visits', 'checksum'];
    const more = rest === undefined ? '' : `UNION ALL SELECT * FROM ${readCsv(rest, names.map(toBigint))}`;
    const [sum] = await this.session.rows<VisitsSum>(
      `SELECT coalesce(sum(visits), 0)::DOUBLE AS visits, coalesce(bit_xor(checksum), 0)::VARCHAR AS checksum
       FROM (SELECT count(*) AS visits, bit_xor(${CHECKSUM}) AS checksum FROM ${this.#chosen(filters, [])} ${more})`,
    );
    return sum ?? { visits: 0, checksum: '0' };
  }

  /** `rest`: a file of all columns of the ledger; `columns` select what is wanted of them. */
  async list<Row>(
    columns: string,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    page: VisitsPage,
  ): Promise<Row[]> {
    const chosen = this.#chosen(filters, LATER_COLUMNS);
    const visits =
      rest === undefined
        ? chosen
        : `(SELECT * FROM ${chosen} UNION ALL BY NAME SELECT * FROM ${readCsv(rest, VISIT_COLUMNS)})`;
    return this.session.rows<Row>(newestOf(visits, columns, page));
  }

  /** @param columns beside those of filters, that are looked at */
  #chosen(filters: readonly VisitFilter[], columns: readonly string[], known?: KnownLinks): string {
    const looked = [...columns, ...filters.flatMap(({ dimension }) => valueOfVisit(dimension).columns)];
    const readFiles = LATER_COLUMNS.some((name) => looked.includes(name)) ? readParquet : readAsIs;
    const withDomains = looked.includes(DOMAIN_COLUMN) ? ' LEFT JOIN link_domains ON linked_id = link_id' : '';
    const read = (paths: readonly string[]) => readFiles(paths) + withDomains;
    const filter = filterVisits(filters, DUCKDB);
    return this.#select(this.question.of, this.question, this.#hours, { filter, read, without: known?.files });
  }

  /** @param known of files that need not be read, where it says what is asked */
  #all(
    relation: Relation,
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    known?: KnownLinks,
  ): string {
    const visits = this.#chosen(filters, columnsOf(by), known);
    const others = OTHER_COLUMNS[relation];
    const parts = [`SELECT ${['key', ...others].join(', ')} FROM (${selectInFiles(by)[relation](visits)})`];
    if (known !== undefined) {
      const where = whereAll([...isOfScope(this.question.of), filterVisits(filters, DUCKDB)]);
      parts.push(`SELECT link_id AS key, visits FROM ${known.relation} ${where}`);
    }
    if (rest !== undefined) {
      const columns = [{ name: 'key', type: keyType(by) }, ...others.map(toBigint)];
      parts.push(`SELECT * FROM ${readCsv(rest, columns)}`);
    }
    return parts.join(' UNION ALL ');
  }

  /** Whether all its visits count, as far as time goes. */
  #isWhole({ period }: ArchiveFile): boolean {
    return isInside(period, this.question) && !isTouched(period, this.#hours);
  }

  /** Files that lie in the range as a whole, and have no hour that is not as it was sealed, are read without a look at times. */
  #select(
    of: VisitsOf,
    range: InstantRange,
    hours: FileHours,
    { filter, read = readAsIs, without }: Selected = {},
  ): string {
    const parts = new Map<string, string[]>();
    for (const file of this.files) {
      const { period } = file;
      if (period.from >= range.to || period.to <= range.from || without?.has(file.id) === true) continue;
      const where = whereAll([
        ...(isInside(period, range) ? [] : [isWithin(range)]),
        ...(isTouched(period, hours) ? isCounted(hours, this.known.keptFrom) : []),
        ...isOfScope(of),
        filter,
      ]);
      parts.set(where, [...(parts.get(where) ?? []), file.local]);
    }
    const selects = [...parts].map(([where, paths]) => `SELECT * FROM ${read(paths)} ${where}`);
    // Of some file, so that the columns are there.
    return `(${selects.length === 0 ? `SELECT * FROM ${read(this.files.slice(0, 1).map(({ local }) => local))} LIMIT 0` : selects.join(' UNION ALL BY NAME ')})`;
  }
}

/** Whether visits by link and class are enough to say it. */
function isOfLinks(by: CountedBy, filters: readonly VisitFilter[], { groupId }: VisitsOf): boolean {
  const isKnown = ({ dimension }: VisitFilter) => dimension === 'class' || dimension === 'link';
  return by.by === 'value' && by.of === 'link' && groupId === undefined && filters.every(isKnown);
}

function columnsOf(by: CountedBy | CrossedBy): readonly string[] {
  return by.by === 'value' ? valueOfVisit(by.of).columns : [];
}

interface Selected {
  filter?: string | undefined;
  /** Files by their ids. */
  without?: ReadonlySet<string> | undefined;
  read?: (paths: readonly string[]) => string;
}

/** There may be files from before they were there. */
const LATER_COLUMNS = ['route', 'imported_from', 'channel', 'class_reason', 'target_host', 'short_host'];

/** With the columns that some file has. */
const readAsIs = (paths: readonly string[]) => `read_parquet(${quoteList(paths)}, union_by_name = true)`;

function toBigint(name: string) {
  return { name, type: 'BIGINT' };
}
