import { DAY_MS, HOUR_MS, hourOf, type InstantRange, toIso } from '@hopcount/ledger';

import { keptSince } from '../clean/purged-visits.js';
import { dimensionVisitsOf } from '../dimensions.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { quoteList } from '../duckdb/quoting.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { LocalFile } from '../store/archive-store.js';
import type { FileSummaries } from '../summaries/file-summaries.js';
import { type DimensionSum, DimensionSums, type LinkSummary } from '../summaries/link-summary.js';
import { engineFailed, readSummary, type SummaryPlace } from '../summaries/summary-block.js';
import { CHECKSUM, VISIT_COLUMNS } from '../visit-columns.js';
import { countUniques, IDS_AT_ONCE, type SeriesUniques, UniqueIds, type Uniques } from './count-uniques.js';
import { addSums, type PeriodSum } from './judge-sums.js';
import { selectPoints, SeriesPlaces } from './series-places.js';

export interface LinkRange extends InstantRange {
  linkId: string;
}

/** IPs only where they were asked for. */
export type FoundUniques = Pick<Uniques, 'visitors'> & Partial<Uniques>;

/** And the visits they are of. */
export type CountedUniques = FoundUniques & { visits: number };

const REST_COLUMNS = [
  { name: 'point', type: 'INTEGER' },
  { name: 'visitor', type: 'BIGINT' },
  { name: 'ip', type: 'BIGINT' },
];

/** A file on this machine. */
export type LinkFile = Pick<LocalFile<ArchiveFile>, 'id' | 'local' | 'stamp' | 'period'>;

/** Of which all visits of the link lie in the range. */
interface SummarisedFile extends LinkFile {
  place: SummaryPlace;
}

export interface LinkToLoad {
  /** Of the series' points, ascending. */
  starts: readonly number[];
  purgedBefore: number | undefined;
  keptFrom: number;
  summaries: FileSummaries;
  /** Of more rows ids are counted in parts. */
  idsAtOnce?: number | undefined;
}

/** Rows that came from elsewhere: a file with point, visitor and ip, and how many there are. */
export interface RestOfIds {
  path: string;
  rows: number;
}

/**
 * The visits of one link that files hold in a range, in a session of DuckDB. Where a file has a summary of the link, and lies in
 * the range, only ids of visitors are read of it. The other files' rows are read once into a table; the dimensions' columns are
 * read where they are counted: by the files' dictionaries.
 */
export class ArchivedLink {
  #summarised: readonly SummarisedFile[] = [];
  /** Files of which rows are in the table. */
  #read: readonly LinkFile[] = [];
  #notFromFiles: readonly number[] = [];
  /** Read while PostgreSQL adds up buckets, as if files answered for all hours. */
  #ids: Promise<UniqueIds> | undefined;
  #dimensions: Promise<DimensionSum[]> = Promise.resolve([]);
  /** All together. */
  #summaries: Promise<LinkSummary> = Promise.resolve({ days: [], dimensions: [] });

  private constructor(
    private readonly session: DuckSession,
    private readonly range: LinkRange,
    private readonly places: SeriesPlaces,
    private readonly starts: readonly number[],
    /** Before it, visits were purged: left out at once; their files are written anew later. */
    private readonly since: number,
    private readonly idsAtOnce: number,
  ) {}

  static async load(
    session: DuckSession,
    range: LinkRange,
    files: readonly LinkFile[],
    { starts, purgedBefore, keptFrom, summaries, idsAtOnce = IDS_AT_ONCE }: LinkToLoad,
  ): Promise<ArchivedLink> {
    const since = purgedBefore === undefined ? Number.NEGATIVE_INFINITY : keptSince(purgedBefore, keptFrom);
    const link = new ArchivedLink(session, range, new SeriesPlaces(range, starts), starts, since, idsAtOnce);
    const isWhole = ({ period }: LinkFile) => period.from >= Math.max(range.from, since) && period.to <= range.to;
    const placeIn = (file: LinkFile) => (isWhole(file) ? summaries.placeOf(file, range.linkId) : undefined);
    const found = await Promise.all(files.map(async (file) => ({ ...file, place: await placeIn(file) })));
    link.#summarised = found.filter((file): file is SummarisedFile => file.place !== undefined);
    link.#read = found.filter(({ place }) => place === undefined);
    link.#readAhead();
    try {
      await session.run(`CREATE TEMP TABLE visit AS ${link.#selectRows(link.#read)}`);
    } catch (error) {
      await link.ended();
      throw error;
    }
    return link;
  }

  /** By day (UTC), ascending. */
  async days(within: InstantRange): Promise<PeriodSum[]> {
    return addSums([await this.#sumsOfRows(DAY_MS, within), (await this.#summaries).days]);
  }

  /** By hour, ascending, of hours whose files were read. */
  hours(within: InstantRange): Promise<PeriodSum[]> {
    return this.#sumsOfRows(HOUR_MS, within);
  }

  /** From now on files that may have visits of it are not answered for by their summaries. */
  async readRowsOf({ from, to }: InstantRange): Promise<void> {
    const isTouched = ({ period }: LinkFile) => period.from < to && period.to > from;
    const touched = this.#summarised.filter(isTouched);
    if (touched.length === 0) return;
    await this.ended();
    this.#summarised = this.#summarised.filter((file) => !isTouched(file));
    this.#read = [...this.#read, ...touched];
    this.#readAhead();
    await this.session.run(`INSERT INTO visit ${this.#selectRows(touched)}`);
  }

  /** Leaves hours, whose files were read, out of everything that is asked from now on. */
  async leaveOut(hours: readonly number[]): Promise<void> {
    const { from, to } = wholeHours(this.range);
    if (hours.length === 0 && from === this.range.from && to === this.range.to) return;
    this.#notFromFiles = hours;
    if (hours.length > 0) {
      await this.#dimensions.catch(() => undefined);
      this.#readDimensions();
    }
    const outside = `at_ms < ${this.range.from} OR at_ms >= ${this.range.to}`;
    await this.session.run(`DELETE FROM visit WHERE ${outside} ${this.#isLeftOut('at_ms', 'OR', 'IN')}`);
  }

  async count(): Promise<number> {
    const [row] = await this.session.rows<{ visits: number }>('SELECT count(*)::DOUBLE AS visits FROM visit');
    return this.#summarisedVisits() + (row?.visits ?? 0);
  }

  /** Visits in some ranges by point (0-based) and class. */
  async countEdges(ranges: readonly InstantRange[]): Promise<{ point: number; class: number; visits: number }[]> {
    if (ranges.length === 0) return [];
    const within = ranges.map(({ from, to }) => `(at_ms >= ${from} AND at_ms < ${to})`).join(' OR ');
    return this.session.rows(
      `SELECT point, class, count(*)::DOUBLE AS visits
       FROM (SELECT at_ms, class FROM ${this.#all()} WHERE ${within}) ASOF JOIN (${selectPoints(this.starts)}) ON at_ms >= start
       GROUP BY point, class`,
    );
  }

  /** Distinct visitors and IPs of the range and of each point, of the files' visits and of those in `rest`: what they do not answer. */
  async uniques(rest: RestOfIds | undefined): Promise<SeriesUniques> {
    const { session, places } = this;
    const ofRest = rest === undefined ? [] : [places.ofPoints(readCsv(rest.path, REST_COLUMNS))];
    const rows = (await this.count()) + (rest?.rows ?? 0);
    if (rows > this.idsAtOnce) await this.#dropIds();
    if (this.#ids === undefined) {
      const select = [places.ofVisits(this.#all()), ...ofRest].join(' UNION ALL ');
      return countUniques(session, { select, rows }, places, this.idsAtOnce);
    }
    const ids = await this.#ids;
    this.#ids = undefined;
    for (const select of [places.ofVisits('visit'), ...ofRest]) await ids.read(session, select);
    return ids.count();
  }

  /** Before then its files are in use. */
  async ended(): Promise<void> {
    await Promise.allSettled([this.#ids, this.#dimensions, this.#summaries]);
  }

  /** Visits by the values of each dimension, as ledger_dimensions() names them; a value may come several times. */
  async dimensions(): Promise<DimensionSum[]> {
    return [...(await this.#summaries).dimensions, ...(await this.#dimensions)];
  }

  #sumsOfRows(periodMs: number, { from, to }: InstantRange): Promise<PeriodSum[]> {
    return this.session.rows(
      `SELECT (at_ms // ${periodMs} * ${periodMs})::DOUBLE AS start, count(*)::DOUBLE AS visits,
         bit_xor(checksum)::VARCHAR AS checksum
       FROM visit WHERE at_ms >= ${from} AND at_ms < ${to} GROUP BY 1 ORDER BY 1`,
    );
  }

  #selectRows(files: readonly LinkFile[]): string {
    return `SELECT ${VISIT}, ${CHECKSUM} AS checksum FROM ${this.#select(files, wholeHours(this.range))}`;
  }

  /** Without a look at times where all of the files is in the range. */
  #select(files: readonly LinkFile[], within: InstantRange): string {
    if (files.length === 0) return NO_FILE;
    const from = Math.max(within.from, this.since);
    const isWhole = files.every(({ period }) => period.from >= from && period.to <= within.to);
    const time = `occurred_at >= '${toIso(from)}'::TIMESTAMPTZ AND occurred_at < '${toIso(within.to)}'::TIMESTAMPTZ`;
    const paths = files.map(({ local }) => local);
    return `read_parquet(${quoteList(paths)}) WHERE link_id = ${this.range.linkId} ${isWhole ? '' : `AND ${time}`}`;
  }

  /** A relation of every visit. */
  #all(): string {
    if (this.#summarised.length === 0) return 'visit';
    return `(SELECT at_ms, class, visitor, ip FROM visit UNION ALL SELECT * FROM ${this.#ofSummarised()})`;
  }

  #ofSummarised(): string {
    return `(SELECT ${VISIT} FROM ${this.#select(this.#summarised, this.range)})`;
  }

  #summarisedVisits(): number {
    return this.#summarised.reduce((sum, { place }) => sum + place.visits, 0);
  }

  /** What the table of visits holds, from the files again: with all columns. */
  #counted(): string {
    return `${this.#select(this.#read, this.range)} ${this.#isLeftOut('epoch_ms(occurred_at)', 'AND', 'NOT IN')}`;
  }

  #isLeftOut(instant: string, and: 'AND' | 'OR', is: 'IN' | 'NOT IN'): string {
    if (this.#notFromFiles.length === 0) return '';
    return `${and} ${instant} // ${HOUR_MS} ${is} (${this.#notFromFiles.map((hour) => hour / HOUR_MS).join(', ')})`;
  }

  #readAhead(): void {
    this.#readDimensions();
    this.#readIds();
    this.#summaries = readSummaries(this.#summarised);
    this.#summaries.catch(() => undefined);
  }

  /** Of files without summaries. */
  #readDimensions(): void {
    if (this.#read.length === 0) return;
    const select = `SELECT dimension, list(value) AS values, list(visits::DOUBLE) AS visits
      FROM (${dimensionVisitsOf(this.#counted())}) GROUP BY dimension`;
    this.#dimensions = this.session.beside((other) => other.rows<DimensionSum>(select));
    // Its error is of whoever asks for them.
    this.#dimensions.catch(() => undefined);
  }

  /** Of files with summaries. */
  #readIds(): void {
    this.#ids = undefined;
    const rows = this.#summarisedVisits();
    if (rows === 0 || rows > this.idsAtOnce) return;
    // Some more come from other files.
    const ids = new UniqueIds(this.places, Math.ceil(1.1 * rows));
    const select = this.places.ofVisits(this.#ofSummarised());
    this.#ids = this.session.beside(async (other) => {
      const found = await ids.read(other, select);
      if (found !== rows) throw engineFailed(`${found} rows where summaries of the link have ${rows} visits`);
      return ids;
    });
    this.#ids.catch(() => undefined);
  }

  /** Before others are counted: there is room for one of them. */
  async #dropIds(): Promise<void> {
    await this.#ids;
    this.#ids = undefined;
  }
}

/** One after the other: each may have as many values as all together. */
async function readSummaries(files: readonly SummarisedFile[]): Promise<LinkSummary> {
  const dimensions = new DimensionSums();
  let days: PeriodSum[] = [];
  for (const { local, place } of files) {
    const summary = await readSummary(local, place);
    days = addSums([days, summary.days]);
    dimensions.add(summary.dimensions);
  }
  return { days, dimensions: dimensions.sums() };
}

const VISIT = 'epoch_ms(occurred_at) AS at_ms, class, visitor, ip';
const NO_FILE = `(SELECT ${VISIT_COLUMNS.map(({ name, type }) => `NULL::${type} AS ${name}`).join(', ')}) WHERE false`;

/** What files are asked for: an hour is the smallest part that can be held against the buckets. */
export function wholeHours({ from, to }: InstantRange): InstantRange {
  return { from: hourOf(from), to: hourOf(to - 1) + HOUR_MS };
}
