import { HOUR_MS, type InstantRange } from '@hopcount/ledger';

import type { DuckSession } from '../duckdb/duck-database.js';
import { quoteList } from '../duckdb/quoting.js';
import { readParquet } from '../duckdb/archived-visits.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { LocalFile } from '../store/archive-store.js';
import { type CountedBy, pointTables, selectInFiles } from '../questions/count-visits.js';
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
import { CHECKSUM } from '../visit-columns.js';
import type { CountedUniques, FoundUniques } from './archived-link.js';
import type { KeptRelation, KeptRelations } from './kept-relations.js';
import {
  cellsBy,
  countsBy,
  finalBy,
  idsBy,
  idsOf,
  type KeptOfVisits,
  textKeys,
  totalsOf,
  totalsWith,
  uniquesOf,
  uniquesWith,
} from './kept-visits.js';
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

type UniquesRow = { key: string } & CountedUniques;
type Relation = 'counts' | 'members';
const OTHER_COLUMNS: Record<Relation, readonly string[]> = { counts: ['visits'], members: ['visitor', 'ip'] };

/** Visits of a file that are in the range. */
interface FilePart {
  /** See LastingPart. */
  key: string;
  local: string;
  /** Which of them are meant, as far as time and purges go. */
  conditions: readonly string[];
  /** No hour is marked or left out: then what is meant is the same for every question of this range. */
  isLasting: boolean;
}

/** Visits that a question is about: those of some parts, as a relation. */
interface Chosen {
  of: (parts: readonly FilePart[]) => string;
  /** Which of a part's are chosen; undefined: that is said by tables of this question alone. */
  name: string | undefined;
}

/** Visits of a scope that files hold, in a session of DuckDB, read where they are counted. */
export class ScopedVisits {
  #hours: FileHours = { marked: [], leftOut: [] };
  #ledgerFrom = Infinity;

  /** @param known `keptFrom`: before it only files have visits */
  constructor(
    private readonly session: DuckSession,
    private readonly files: readonly LocalFile<ArchiveFile>[],
    private readonly question: VisitsQuestion,
    private readonly known: { keptFrom: number; kept: KeptRelations },
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
    const visits = this.#select(of, this.#parts(range, { marked: hours, leftOut: [] }), {
      filter: `${hour} IN (${hoursIn(hours)})`,
    });
    return this.session.rows(
      `SELECT (${hour} * ${HOUR_MS})::DOUBLE AS start, count(*)::DOUBLE AS visits, bit_xor(${CHECKSUM})::VARCHAR AS checksum
       FROM ${visits} GROUP BY 1 ORDER BY 1`,
    );
  }

  /** For everything that is asked from now on. `ledgerFrom`: of what the files do not answer, the first instant. */
  take(hours: FileHours, ledgerFrom = Infinity): void {
    this.#hours = hours;
    this.#ledgerFrom = ledgerFrom;
  }

  async preparePoints(starts: readonly number[]): Promise<void> {
    for (const table of pointTables(starts, this.question)) await this.session.run(table);
  }

  /** Visits by key, with those of `rest`: a relation of key and visits of what the files do not answer. */
  async counts(by: CountedBy, filters: readonly VisitFilter[], rest: string | undefined): Promise<Map<string, number>> {
    const chosen = this.#chosen(filters, columnsOf(by));
    return this.#kept(chosen, [countsBy(by)], this.question, async (parts, tables) => {
      const all = this.#all('counts', by, chosen.of(parts), rest, tables?.[0]);
      const rows = await this.session.rows<{ key: string; visits: number }>(
        `SELECT key::VARCHAR AS key, sum(visits)::DOUBLE AS visits FROM (${all}) GROUP BY key`,
      );
      return new Map(rows.map(({ key, visits }) => [key, visits]));
    });
  }

  /**
   * Visits, distinct visitors, and IPs where they are asked for (twice the time), by key; `rest`: a relation of key,
   * visitor and ip.
   */
  async uniques(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    hasIps: boolean,
  ): Promise<Map<string, CountedUniques>> {
    const chosen = this.#chosen(filters, columnsOf(by));
    const ids = idsOf(hasIps);
    const { from, to } = this.question;
    const openFrom = by.by === 'point' ? this.#openFrom(by.starts) : from;
    const open = { from: openFrom, to };
    const rows = await this.#kept(chosen, [countsBy(by), ...ids.map((id) => idsBy(by, id))], open, (parts, tables) => {
      const members = this.#all('members', by, chosen.of(parts), rest);
      const select = tables === undefined ? uniquesOf(members, by, ids) : uniquesWith(tables, members, by, ids);
      return this.session.rows<UniquesRow>(select);
    });
    if (openFrom > from) rows.push(...(await this.#final(by, chosen, ids, { from, to: openFrom })));
    return new Map(rows.map(({ key, ...found }) => [key, found]));
  }

  /** Of points to which the ledger adds nothing, and whose files are as they were sealed. */
  #final(by: CountedBy, chosen: Chosen, ids: ReturnType<typeof idsOf>, range: InstantRange): Promise<UniquesRow[]> {
    return this.#kept(chosen, [finalBy(by, ids)], range, (parts, [table] = []) => {
      const members = () => this.#all('members', by, chosen.of(parts), undefined);
      return this.session.rows(table === undefined ? uniquesOf(members(), by, ids) : textKeys(table));
    });
  }

  /** Where the first point begins that has visits which are not of whole files as they were sealed. */
  #openFrom(starts: readonly number[]): number {
    const { from, to } = this.question;
    const touched = this.files.filter(({ period }) => isTouched(period, this.#hours));
    const changesFrom = Math.min(this.#ledgerFrom, ...touched.map(({ period }) => period.from));
    const ends = [...starts.slice(1), to];
    const first = ends.findIndex((end) => end > changesFrom);
    return first === -1 ? to : Math.max(from, starts[first]!);
  }

  /**
   * Visits by class, and distinct visitors (and IPs) of them all, in one reading of the files; `rest`: of class,
   * visitor and ip.
   */
  async totals(filters: readonly VisitFilter[], rest: string | undefined, hasIps: boolean): Promise<ScopeTotals> {
    const by: CountedBy = { by: 'class' };
    const chosen = this.#chosen(filters, []);
    const ids = idsOf(hasIps);
    const relations = [countsBy(by), ...ids.map((id) => idsBy({ by: 'nothing' }, id))];
    return this.#kept(chosen, relations, this.question, async (parts, tables) => {
      const members = this.#all('members', by, chosen.of(parts), rest);
      const rows = await this.session.rows<{ key: string | null; visits: number } & FoundUniques>(
        tables === undefined ? totalsOf(members, ids) : totalsWith(tables, members, ids),
      );
      const counts = new Map<string, number>();
      let uniques: FoundUniques = { visitors: 0, ...(hasIps && { ips: 0 }) };
      for (const { key, visits, ...found } of rows) {
        if (key === null) uniques = found;
        else counts.set(key, visits);
      }
      return { counts, uniques };
    });
  }

  /** A page of values by visits; `rest` as of counts(). */
  async page(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    page: ValuePage,
  ): Promise<ValueRows> {
    const chosen = this.#chosen(filters, columnsOf(by));
    return this.#kept(chosen, [countsBy(by)], this.question, async (parts, tables) => {
      const all = this.#all('counts', by, chosen.of(parts), rest, tables?.[0]);
      return toValueRows(await this.session.rows<PagedRow>(pageOf(all, page, 'DOUBLE')));
    });
  }

  /** `rest`: a relation of a, b and visits of what the files do not answer. */
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
    const more = rest === undefined ? '' : `UNION ALL SELECT * FROM ${rest}`;
    const chosen = this.#chosen(filters, [by.rows, by.columns].flatMap(columnsOf));
    return this.#kept(chosen, [cellsBy(by)], this.question, async (parts, tables) => {
      const known = tables === undefined ? '' : `UNION ALL FROM ${tables[0]}`;
      const counts = `${crossInFiles(by)(chosen.of(parts))} ${known} ${more}`;
      return toMatrix(await this.session.rows(matrixOf(counts, size, 'DOUBLE')));
    });
  }

  /** `rest`: a relation of visits and checksum of what the files do not answer. */
  async sum(filters: readonly VisitFilter[], rest: string | undefined): Promise<VisitsSum> {
    const more = rest === undefined ? '' : `UNION ALL SELECT * FROM ${rest}`;
    const [sum] = await this.session.rows<VisitsSum>(
      `SELECT coalesce(sum(visits), 0)::DOUBLE AS visits, coalesce(bit_xor(checksum), 0)::VARCHAR AS checksum
       FROM (SELECT count(*) AS visits, bit_xor(${CHECKSUM}) AS checksum FROM ${this.#visits(filters, [])} ${more})`,
    );
    return sum ?? { visits: 0, checksum: '0' };
  }

  /** `rest`: a relation of all columns of the ledger; `columns` select what is wanted of them. */
  async list<Row>(
    columns: string,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    page: VisitsPage,
  ): Promise<Row[]> {
    const chosen = this.#visits(filters, LATER_COLUMNS);
    const visits = rest === undefined ? chosen : `(SELECT * FROM ${chosen} UNION ALL BY NAME SELECT * FROM ${rest})`;
    return this.session.rows<Row>(newestOf(visits, columns, page));
  }

  /** All that the files have of the question. `columns`: beside those of filters, that are looked at. */
  #visits(filters: readonly VisitFilter[], columns: readonly string[]): string {
    return this.#chosen(filters, columns).of(this.#parts(this.question, this.#hours));
  }

  #chosen(filters: readonly VisitFilter[], columns: readonly string[]): Chosen {
    const { of } = this.question;
    const looked = [...columns, ...filters.flatMap(({ dimension }) => valueOfVisit(dimension).columns)];
    const readFiles = LATER_COLUMNS.some((name) => looked.includes(name)) ? readParquet : readAsIs;
    const hasDomains = looked.includes(DOMAIN_COLUMN);
    const read = (paths: readonly string[]) =>
      readFiles(paths) + (hasDomains ? ' LEFT JOIN link_domains ON linked_id = link_id' : '');
    const filter = filterVisits(filters, DUCKDB);
    const isSaid = !hasDomains && (of.links === undefined || 'ids' in of.links);
    return {
      of: (parts) => this.#select(of, parts, { filter, read }),
      name: isSaid ? whereAll([...isOfScope(of), filter]) : undefined,
    };
  }

  /**
   * `work` is given tables of what is kept of the question's visits, and the parts of files that are not in them; or
   * no tables, and all parts. What is kept of a range is told from that of others, so that they do not take each
   * other's places.
   */
  #kept<T>(
    { of, name }: Chosen,
    asked: readonly KeptOfVisits[],
    range: InstantRange,
    work: (parts: readonly FilePart[], tables: readonly string[] | undefined) => Promise<T>,
  ): Promise<T> {
    const parts = this.#parts(range, this.#hours);
    if (name === undefined) return work(parts, undefined);
    const lasting = parts.filter(({ isLasting }) => isLasting);
    const relations = asked.map(({ what, select, ...others }): KeptRelation<FilePart> => ({
      name: [what, name, range.from].join(' '),
      read: (some, then) => then(select(of(some))),
      ...others,
    }));
    return this.known.kept.use(this.session, relations, lasting, (tables) =>
      work(tables === undefined ? parts : parts.filter(({ isLasting }) => !isLasting), tables),
    );
  }

  /** @param known a table of the same as the visits' counts */
  #all(relation: Relation, by: CountedBy, visits: string, rest: string | undefined, known?: string): string {
    const others = OTHER_COLUMNS[relation];
    const parts = [`SELECT ${['key', ...others].join(', ')} FROM (${selectInFiles(by)[relation](visits)})`];
    if (known !== undefined) parts.push(`FROM ${known}`);
    if (rest !== undefined) parts.push(`SELECT * FROM ${rest}`);
    return parts.join(' UNION ALL ');
  }

  /**
   * Files that lie in the range as a whole, and have no hour that is not as it was sealed, are read without a look at
   * times.
   */
  #parts(range: InstantRange, hours: FileHours): FilePart[] {
    return this.files
      .filter(({ period }) => period.from < range.to && period.to > range.from)
      .map(({ id, stamp, local, period }) => {
        const isLasting = !isTouched(period, hours);
        const within = isInside(period, range) ? [] : [isWithin(range)];
        const conditions = [...within, ...(isLasting ? [] : isCounted(hours, this.known.keptFrom))];
        return { key: [id, stamp, ...conditions].join(' '), local, conditions, isLasting };
      });
  }

  #select(of: VisitsOf, parts: readonly FilePart[], { filter, read = readAsIs }: Selected = {}): string {
    const alike = new Map<string, string[]>();
    for (const { local, conditions } of parts) {
      const where = whereAll([...conditions, ...isOfScope(of), filter]);
      alike.set(where, [...(alike.get(where) ?? []), local]);
    }
    const selects = [...alike].map(([where, paths]) => `SELECT * FROM ${read(paths)} ${where}`);
    // Of some file, so that the columns are there.
    return `(${selects.length === 0 ? `SELECT * FROM ${read(this.files.slice(0, 1).map(({ local }) => local))} LIMIT 0` : selects.join(' UNION ALL BY NAME ')})`;
  }
}

function columnsOf(by: CountedBy | CrossedBy): readonly string[] {
  return by.by === 'value' ? valueOfVisit(by.of).columns : [];
}

interface Selected {
  filter?: string | undefined;
  read?: (paths: readonly string[]) => string;
}

/** There may be files from before they were there. */
const LATER_COLUMNS = ['route', 'imported_from', 'channel', 'class_reason', 'target_host', 'short_host'];

/** With the columns that some file has. */
const readAsIs = (paths: readonly string[]) => `read_parquet(${quoteList(paths)}, union_by_name = true)`;
