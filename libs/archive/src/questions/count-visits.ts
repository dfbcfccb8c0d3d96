import { BUCKET_MS, type InstantRange, isBucketStart, toIso } from '@hopcount/ledger';

import { type Dialect, DUCKDB, POSTGRES } from './dialect.js';
import { type GroupedBy, valueOfVisit } from './visit-values.js';

/** What visits are counted by: their class, the point of a series in which they lie (0-based), or a value. */
export type CountedBy =
  { by: 'class' } | { by: 'point'; starts: readonly number[] } | { by: 'value'; of: GroupedBy } | { by: 'nothing' };

/** DuckDB's type of a key: a text costs more than all else where there are millions, and links are thousands. */
export function keyType(counted: CountedBy): 'BIGINT' | 'VARCHAR' {
  return counted.by === 'value' && counted.of !== 'link' ? 'VARCHAR' : 'BIGINT';
}

/** SELECTs of `key` and `visits`, and of `key`, `visitor` and `ip` of each visit, from a relation of visits. */
export interface VisitSelections {
  counts(visits: string): string;
  members(visits: string): string;
  /** Of the ledger's columns, those that are looked at. */
  columns: readonly string[];
}

/** In PostgreSQL's words. */
export function selectInLedger(counted: CountedBy): VisitSelections {
  const key = keyInLedger(counted);
  const columns = ['occurred_at', 'visitor', 'ip', 'class', ...(counted.by === 'value' ? columnsOf(counted.of) : [])];
  return {
    columns: [...new Set(columns)],
    counts: (visits) => `SELECT ${key} AS key, count(*) AS visits FROM ${visits} GROUP BY 1`,
    members: (visits) => `SELECT ${key} AS key, visitor, ip FROM ${visits}`,
  };
}

/** Of a series of points that begin with buckets: DuckDB needs pointTables(). */
export function selectInFiles(counted: CountedBy): Omit<VisitSelections, 'columns'> {
  switch (counted.by) {
    case 'nothing':
      return bothBy('0');
    case 'class':
      return bothBy('class');
    case 'point':
      return byPoint(counted.starts);
    case 'value':
      return byValue(counted.of);
  }
}

/** Points of a series, and of its buckets, as tables `point_starts` (point, start) and `bucket_points` (bucket, point). */
export function pointTables(starts: readonly number[], { from, to }: InstantRange): string[] {
  const points = `SELECT unnest(range(${starts.length}))::INTEGER AS point, unnest([${starts.join(', ')}]::BIGINT[]) AS start`;
  const buckets = `SELECT unnest(range(${Math.floor(from / BUCKET_MS)}, ${Math.ceil(to / BUCKET_MS)})) AS bucket`;
  return [
    `CREATE OR REPLACE TEMP TABLE point_starts AS ${points}`,
    `CREATE OR REPLACE TEMP TABLE bucket_points AS SELECT bucket, point FROM (${buckets})
     ASOF JOIN point_starts ON greatest(bucket * ${BUCKET_MS}, ${from}) >= start`,
  ];
}

function keyInLedger(counted: CountedBy): string {
  switch (counted.by) {
    case 'nothing':
      return '0';
    case 'class':
      return 'class';
    case 'point':
      return `width_bucket(occurred_at, ARRAY[${counted.starts.map((start) => `'${toIso(start)}'`).join(', ')}]::timestamptz[]) - 1`;
    case 'value':
      return `(${valueOfVisit(counted.of).value(POSTGRES)}) COLLATE "C"`;
  }
}

function bothBy(key: string): Omit<VisitSelections, 'columns'> {
  return {
    counts: (visits) => `SELECT ${key} AS key, count(*) AS visits FROM ${visits} GROUP BY ALL`,
    members: (visits) => `SELECT ${key} AS key, visitor, ip FROM ${visits}`,
  };
}

/** Counts go by the columns as they are, and are named afterwards. */
function byValue(of: GroupedBy): Omit<VisitSelections, 'columns'> {
  const value = of === 'link' ? 'link_id' : valueOfVisit(of).value(DUCKDB);
  const columns = columnsOf(of).join(', ');
  return {
    counts: (visits) =>
      `SELECT ${value} AS key, visits FROM (SELECT ${columns}, count(*) AS visits FROM ${visits} GROUP BY ${columns})`,
    members: (visits) => `SELECT ${value} AS key, visitor, ip FROM ${visits}`,
  };
}

/** Points begin with buckets, but in zones of before 1972 and where the range itself does not. */
function byPoint(starts: readonly number[]): Omit<VisitSelections, 'columns'> {
  const { atMs }: Dialect = DUCKDB;
  if (!starts.slice(1).every(isBucketStart)) {
    const placed = (visits: string) =>
      `(SELECT *, ${atMs} AS at_ms FROM ${visits}) ASOF JOIN point_starts ON at_ms >= start`;
    return {
      counts: (visits) => `SELECT point AS key, count(*) AS visits FROM ${placed(visits)} GROUP BY point`,
      members: (visits) => `SELECT point AS key, visitor, ip FROM ${placed(visits)}`,
    };
  }
  return {
    counts: (visits) =>
      `SELECT point AS key, sum(visits)::BIGINT AS visits
       FROM (SELECT ${atMs} // ${BUCKET_MS} AS bucket, count(*) AS visits FROM ${visits} GROUP BY ALL)
       JOIN bucket_points USING (bucket) GROUP BY point`,
    members: (visits) =>
      `SELECT point AS key, visitor, ip
       FROM (SELECT ${atMs} // ${BUCKET_MS} AS bucket, visitor, ip FROM ${visits}) JOIN bucket_points USING (bucket)`,
  };
}

function columnsOf(by: GroupedBy): readonly string[] {
  return valueOfVisit(by).columns;
}
