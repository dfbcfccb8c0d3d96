import type { Dimension } from '@hopcount/contracts';
import { BUCKET_MS, HOUR_MS, hourOf, type InstantRange, isBucketStart, toIso } from '@hopcount/ledger';

import { keptSince } from '../clean/purged-visits.js';
import { dimensionVisitsOf } from '../dimensions.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { quoteList } from '../duckdb/quoting.js';
import { readCsv } from '../duckdb/read-csv.js';
import type { ArchiveFile } from '../manifest/archive-file.js';
import type { LocalFile } from '../store/archive-store.js';
import { CHECKSUM } from '../visit-columns.js';
import { countUniques, type Uniques } from './count-uniques.js';
import type { PeriodSum } from './judge-sums.js';

export interface LinkRange extends InstantRange {
  linkId: string;
}

/** IPs only where they were asked for. */
export type FoundUniques = Pick<Uniques, 'visitors'> & Partial<Uniques>;

export interface ValueCount {
  value: string;
  visits: number;
}

const REST_COLUMNS = [
  { name: 'point', type: 'INTEGER' },
  { name: 'visitor', type: 'BIGINT' },
  { name: 'ip', type: 'BIGINT' },
];

/** A file on this machine. */
export type LinkFile = Pick<LocalFile<ArchiveFile>, 'local' | 'period'>;

/**
 * The visits of one link that files hold in a range, in a session of DuckDB. What is counted several times is read once;
 * the dimensions' columns are read where they are counted: by the files' dictionaries.
 */
export class ArchivedLink {
  #notFromFiles: readonly number[] = [];

  private constructor(
    private readonly session: DuckSession,
    private readonly range: LinkRange,
    private readonly select: (range: InstantRange) => string,
  ) {}

  /** Purged visits are left out at once; their files are written anew later. */
  static async load(
    session: DuckSession,
    range: LinkRange,
    files: readonly LinkFile[],
    { purgedBefore, keptFrom }: { purgedBefore: number | undefined; keptFrom: number },
  ): Promise<ArchivedLink> {
    const paths = files.map(({ local }) => local);
    const since = purgedBefore === undefined ? Number.NEGATIVE_INFINITY : keptSince(purgedBefore, keptFrom);
    const select = (within: InstantRange) => {
      const from = Math.max(within.from, since);
      const isWhole = files.every(({ period }) => period.from >= from && period.to <= within.to);
      const time = `occurred_at >= '${toIso(from)}'::TIMESTAMPTZ AND occurred_at < '${toIso(within.to)}'::TIMESTAMPTZ`;
      return `read_parquet(${quoteList(paths)}) WHERE link_id = ${range.linkId} ${isWhole ? '' : `AND ${time}`}`;
    };
    await session.run(
      `CREATE TEMP TABLE visit AS
       SELECT epoch_ms(occurred_at) AS at_ms, class, visitor, ip, ${CHECKSUM} AS checksum FROM ${select(wholeHours(range))}`,
    );
    return new ArchivedLink(session, range, select);
  }

  /** Of hours or days, ascending. */
  sums(periodMs: number, { from, to }: InstantRange): Promise<PeriodSum[]> {
    return this.session.rows(
      `SELECT (at_ms // ${periodMs} * ${periodMs})::DOUBLE AS start, count(*)::DOUBLE AS visits,
         bit_xor(checksum)::VARCHAR AS checksum
       FROM visit WHERE at_ms >= ${from} AND at_ms < ${to} GROUP BY 1 ORDER BY 1`,
    );
  }

  /** Leaves hours out of everything that is asked from now on. */
  async leaveOut(hours: readonly number[]): Promise<void> {
    const { from, to } = wholeHours(this.range);
    if (hours.length === 0 && from === this.range.from && to === this.range.to) return;
    this.#notFromFiles = hours;
    const outside = `at_ms < ${this.range.from} OR at_ms >= ${this.range.to}`;
    await this.session.run(`DELETE FROM visit WHERE ${outside} ${this.#isLeftOut('at_ms', 'OR', 'IN')}`);
  }

  async count(): Promise<number> {
    const [row] = await this.session.rows<{ visits: number }>('SELECT count(*)::DOUBLE AS visits FROM visit');
    return row?.visits ?? 0;
  }

  /** Visits in some ranges by point (0-based; `starts` ascend) and class. */
  async countEdges(
    ranges: readonly InstantRange[],
    starts: readonly number[],
  ): Promise<{ point: number; class: number; visits: number }[]> {
    if (ranges.length === 0) return [];
    const within = ranges.map(({ from, to }) => `(at_ms >= ${from} AND at_ms < ${to})`).join(' OR ');
    return this.session.rows(
      `SELECT point, class, count(*)::DOUBLE AS visits
       FROM (SELECT at_ms, class FROM visit WHERE ${within}) ASOF JOIN (${pointsFrom(starts)}) ON at_ms >= start
       GROUP BY point, class`,
    );
  }

  /**
   * Distinct visitors and IPs of the range and of each point, of the files' visits and of those in `rest`: a file with
   * point, visitor and ip of what they do not answer. Points without a visit do not appear.
   */
  async uniques(
    starts: readonly number[],
    rest: string | undefined,
  ): Promise<{ total: Uniques; points: Map<number, Uniques> }> {
    const more = rest === undefined ? '' : `UNION ALL SELECT point, visitor, ip FROM ${readCsv(rest, REST_COLUMNS)}`;
    await this.session.run(`CREATE TEMP TABLE everyone AS ${this.#placed(starts)} ${more}`);
    return countUniques(this.session, 'everyone', starts.length);
  }

  /**
   * Visits by the values of each dimension, as ledger_dimensions() names them; a value may come several times. `session`:
   * any, also one beside.
   */
  async dimensions(session: DuckSession): Promise<[Dimension, ValueCount[]][]> {
    const rows = await session.rows<{ dimension: Dimension; values: string[]; visits: number[] }>(
      `SELECT dimension, list(value) AS values, list(visits::DOUBLE) AS visits
       FROM (${dimensionVisitsOf(this.#counted())}) GROUP BY dimension`,
    );
    return rows.map(({ dimension, values, visits }) => [
      dimension,
      values.map((value, n) => ({ value, visits: visits[n] ?? 0 })),
    ]);
  }

  /** What the table of visits holds, from the files again: with all columns. */
  #counted(): string {
    return `${this.select(this.range)} ${this.#isLeftOut('epoch_ms(occurred_at)', 'AND', 'NOT IN')}`;
  }

  #isLeftOut(instant: string, and: 'AND' | 'OR', is: 'IN' | 'NOT IN'): string {
    if (this.#notFromFiles.length === 0) return '';
    return `${and} ${instant} // ${HOUR_MS} ${is} (${this.#notFromFiles.map((hour) => hour / HOUR_MS).join(', ')})`;
  }

  /** Points begin with buckets, but in zones of before 1972 and where the range itself does not. */
  #placed(starts: readonly number[]): string {
    const points = pointsFrom(starts);
    if (!starts.slice(1).every(isBucketStart)) {
      return `SELECT point, visitor, ip FROM visit ASOF JOIN (${points}) ON at_ms >= start`;
    }
    return `SELECT point, visitor, ip FROM visit JOIN (
        SELECT bucket, point
        FROM (SELECT DISTINCT at_ms // ${BUCKET_MS} AS bucket FROM visit)
        ASOF JOIN (${points}) ON greatest(bucket * ${BUCKET_MS}, ${this.range.from}) >= start
      ) ON bucket = at_ms // ${BUCKET_MS}`;
  }
}

function pointsFrom(starts: readonly number[]): string {
  return `SELECT unnest(range(${starts.length}))::INTEGER AS point, unnest([${starts.join(', ')}]::BIGINT[]) AS start`;
}

/** What files are asked for: an hour is the smallest part that can be held against the buckets. */
export function wholeHours({ from, to }: InstantRange): InstantRange {
  return { from: hourOf(from), to: hourOf(to - 1) + HOUR_MS };
}
