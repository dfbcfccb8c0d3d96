import { HOUR_MS, type InstantRange, toIso } from '@hopcount/ledger';

import type { DuckSession } from '../duckdb/duck-database.js';
import { quote, quoteList } from '../duckdb/quoting.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { LocalFile } from '../store/archive-store.js';
import { type CountedBy, keyType, pointTables, selectInFiles } from '../questions/count-visits.js';
import { DUCKDB } from '../questions/dialect.js';
import { filterVisits, type VisitFilter } from '../questions/visit-filters.js';
import { CHECKSUM } from '../visit-columns.js';
import type { FoundUniques } from './archived-link.js';
import type { PeriodSum } from './judge-sums.js';
import { isOneOf, type VisitsOf, type VisitsQuestion } from './visits-of.js';

/** Hours by their starts. */
export interface FileHours {
  /** Visits purged since the file was written are left out there. */
  marked: readonly number[];
  /** All of the files' visits are. */
  leftOut: readonly number[];
}

/** Which rows of a value are wanted: `offset` to `offset + limit` in the order. */
export interface ValuePage {
  order: 'visits' | 'value';
  isAscending: boolean;
  offset: number;
  limit: number;
}

export interface ValueRow {
  value: string;
  visits: number;
}

export interface ValueRows {
  rows: ValueRow[];
  /** Of all values together. */
  values: number;
  visits: number;
}

type Relation = 'counts' | 'members';
const OTHER_COLUMNS: Record<Relation, readonly string[]> = { counts: ['visits'], members: ['visitor', 'ip'] };

/** Visits of a scope that files hold, in a session of DuckDB, read where they are counted. */
export class ScopedVisits {
  #hours: FileHours = { marked: [], leftOut: [] };

  constructor(
    private readonly session: DuckSession,
    private readonly files: readonly LocalFile<ArchiveFile>[],
    private readonly question: VisitsQuestion,
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

  /** Of some hours, without what was purged; ascending. */
  sums(of: VisitsOf, hours: readonly number[]): Promise<PeriodSum[]> {
    const hour = `${DUCKDB.atMs} // ${HOUR_MS}`;
    const range = { from: Math.min(...hours), to: Math.max(...hours) + HOUR_MS };
    const visits = this.#select(of, range, { marked: hours, leftOut: [] }, `${hour} IN (${hoursIn(hours)})`);
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

  /** Distinct visitors, and IPs where they are asked for (twice the time), by key; `rest`: a file of key, visitor and ip. */
  async uniques(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    hasIps: boolean,
  ): Promise<Map<string, FoundUniques>> {
    const members = this.#all('members', by, filters, rest);
    const ips = hasIps ? ', count(DISTINCT ip)::DOUBLE AS ips' : '';
    const distinct = `count(DISTINCT visitor)::DOUBLE AS visitors${ips}`;
    const rows = await this.session.rows<{ key: string } & FoundUniques>(
      by.by === 'nothing'
        ? `SELECT '0' AS key, ${distinct} FROM (${members})`
        : `SELECT CAST(key AS VARCHAR) AS key, * EXCLUDE (key) FROM (SELECT key, ${distinct} FROM (${members}) GROUP BY key)`,
    );
    return new Map(rows.map(({ key, ...found }) => [key, found]));
  }

  /** A page of values by visits; `rest` as of counts(). */
  async page(
    by: CountedBy,
    filters: readonly VisitFilter[],
    rest: string | undefined,
    page: ValuePage,
  ): Promise<ValueRows> {
    const rows = await this.session.rows<PagedRow>(pageOf(this.#all('counts', by, filters, rest), page, 'DOUBLE'));
    return toValueRows(rows);
  }

  #all(relation: Relation, by: CountedBy, filters: readonly VisitFilter[], rest: string | undefined): string {
    const visits = this.#select(this.question.of, this.question, this.#hours, filterVisits(filters, DUCKDB));
    const others = OTHER_COLUMNS[relation];
    const filed = `SELECT ${['key', ...others].join(', ')} FROM (${selectInFiles(by)[relation](visits)})`;
    if (rest === undefined) return filed;
    const columns = [{ name: 'key', type: keyType(by) }, ...others.map((name) => ({ name, type: 'BIGINT' }))];
    return `${filed} UNION ALL SELECT * FROM ${readCsv(rest, columns)}`;
  }

  /** Files that lie in the range as a whole, and have no hour that is not as it was sealed, are read without a look at times. */
  #select(of: VisitsOf, range: InstantRange, hours: FileHours, filter: string | undefined): string {
    const touched = [...hours.marked, ...hours.leftOut];
    const parts = new Map<string, { paths: string[]; conditions: string[] }>();
    for (const file of this.files) {
      const within = file.period.from >= range.from && file.period.to <= range.to;
      if (file.period.from >= range.to || file.period.to <= range.from) continue;
      const isTouched = touched.some((hour) => hour >= file.period.from && hour < file.period.to);
      const conditions = [
        ...(within ? [] : [isWithin(range)]),
        ...(isTouched ? isCounted(hours) : []),
        ...scopeConditions(of),
        ...(filter === undefined ? [] : [filter]),
      ];
      const key = conditions.join(' AND ');
      const part = parts.get(key) ?? { paths: [], conditions };
      part.paths.push(file.local);
      parts.set(key, part);
    }
    const selects = [...parts.values()].map(({ paths, conditions }) => {
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      return `SELECT * FROM read_parquet(${quoteList(paths)}, union_by_name = true) ${where}`;
    });
    return `(${selects.length === 0 ? NO_ROWS(this.files) : selects.join(' UNION ALL BY NAME ')})`;
  }
}

/** Of some file, so that the columns are there. */
const NO_ROWS = (files: readonly LocalFile<ArchiveFile>[]) =>
  `SELECT * FROM read_parquet(${quoteList(files.slice(0, 1).map(({ local }) => local))}) LIMIT 0`;

interface PagedRow {
  place: number;
  value: string | null;
  visits: number | null;
  values: number;
}

/** The page's rows and, at place 0, all values together; in PostgreSQL and DuckDB. */
export function pageOf(counts: string, { order, isAscending, offset, limit }: ValuePage, number: string): string {
  const direction = isAscending ? 'ASC' : 'DESC';
  const by = order === 'visits' ? `visits ${direction}, value` : `value ${direction}`;
  return `WITH counted AS MATERIALIZED (SELECT key AS value, sum(visits) AS visits FROM (${counts}) AS part GROUP BY key)
    SELECT CAST(place AS ${number}) AS place, value, CAST(visits AS ${number}) AS visits, CAST(0 AS ${number}) AS "values"
    FROM (SELECT value, visits, row_number() OVER (ORDER BY ${by}) AS place FROM counted) AS placed
    WHERE place > ${offset} AND place <= ${offset + limit}
    UNION ALL
    SELECT CAST(0 AS ${number}), NULL, CAST(sum(visits) AS ${number}), CAST(count(*) AS ${number}) FROM counted`;
}

export function toValueRows(rows: readonly PagedRow[]): ValueRows {
  const all = rows.find(({ place }) => place === 0);
  const paged = rows.filter(({ place }) => place > 0).sort((a, b) => a.place - b.place);
  return {
    rows: paged.map(({ value, visits }) => ({ value: value ?? '', visits: visits ?? 0 })),
    values: all?.values ?? 0,
    visits: all?.visits ?? 0,
  };
}

function isWithin({ from, to }: InstantRange): string {
  return `occurred_at >= '${toIso(from)}'::TIMESTAMPTZ AND occurred_at < '${toIso(to)}'::TIMESTAMPTZ`;
}

function isCounted({ marked, leftOut }: FileHours): string[] {
  const hour = `${DUCKDB.atMs} // ${HOUR_MS}`;
  const isPurged = `EXISTS (SELECT 1 FROM purges WHERE purged_link = link_id AND ${DUCKDB.atMs} < purged_before)`;
  return [
    ...(leftOut.length === 0 ? [] : [`${hour} NOT IN (${hoursIn(leftOut)})`]),
    ...(marked.length === 0 ? [] : [`NOT (${hour} IN (${hoursIn(marked)}) AND ${isPurged})`]),
  ];
}

function scopeConditions({ links, groupId }: VisitsOf): string[] {
  const ofLinks = () => {
    if (links === undefined) return [];
    return [`link_id ${'select' in links ? 'IN (SELECT id FROM scope_links)' : isOneOf(links)}`];
  };
  return [...ofLinks(), ...(groupId === undefined ? [] : [`coalesce(group_id, '') = ${quote(groupId)}`])];
}

function hoursIn(hours: readonly number[]): string {
  return hours.map((hour) => hour / HOUR_MS).join(', ');
}
