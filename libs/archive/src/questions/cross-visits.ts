import { BUCKET_MS, toIso } from '@hopcount/ledger';

import { DUCKDB, POSTGRES } from './dialect.js';
import { type GroupedBy, valueOfVisit } from './visit-values.js';

/** One side of a matrix: values of a dimension, or labels of the points (of a series of whole buckets) in which visits lie. */
export type CrossedBy =
  { by: 'value'; of: GroupedBy } | { by: 'point'; starts: readonly number[]; labels: readonly number[] };

export interface Crossing {
  rows: CrossedBy;
  columns: CrossedBy;
}

/** The so many rows and columns with the most visits; all others are one. */
export interface MatrixSize {
  rows: number;
  columns: number;
}

export interface MatrixSide {
  /** Those with the most visits, these first. */
  values: { value: string; visits: number }[];
  /** Of all. */
  number: number;
}

export interface Matrix {
  rows: MatrixSide;
  columns: MatrixSide;
  /** By row and column; behind the last of each, all others. */
  cells: number[][];
}

/** PostgreSQL: a SELECT of `a`, `b` and `visits` from a relation of visits. */
export function crossInLedger({ rows, columns }: Crossing): {
  columns: readonly string[];
  counts(visits: string): string;
} {
  const key = (side: CrossedBy) => {
    if (side.by === 'value') return `(${valueOfVisit(side.of).value(POSTGRES)}) COLLATE "C"`;
    const starts = side.starts.map((start) => `'${toIso(start)}'`).join(', ');
    // Of fixed length: each is found at once, however many there are.
    const labels = `ARRAY[${side.labels.join(', ')}]::smallint[]`;
    return `((${labels})[width_bucket(occurred_at, ARRAY[${starts}]::timestamptz[])])::text COLLATE "C"`;
  };
  return {
    columns: [...new Set(['occurred_at', ...columnsOf(rows), ...columnsOf(columns)])],
    counts: (visits) =>
      `SELECT ${key(rows)} AS a, ${key(columns)} AS b, count(*) AS visits FROM ${visits} GROUP BY 1, 2`,
  };
}

/** DuckDB: the same, by columns as they are first. Of points it needs labelTable(). */
export function crossInFiles({ rows, columns }: Crossing): (visits: string) => string {
  const key = (side: CrossedBy) =>
    side.by === 'point' ? 'label::VARCHAR' : `CAST(${valueOfVisit(side.of).value(DUCKDB)} AS VARCHAR)`;
  const isPoint = rows.by === 'point' || columns.by === 'point';
  const names = [...new Set([...columnsOf(rows), ...columnsOf(columns)])];
  const grouped = [...names, ...(isPoint ? [`${DUCKDB.atMs} // ${BUCKET_MS} AS bucket`] : [])];
  return (visits) =>
    `SELECT ${key(rows)} AS a, ${key(columns)} AS b, visits
     FROM (SELECT ${grouped.join(', ')}, count(*) AS visits FROM ${visits} GROUP BY ALL)
     ${isPoint ? 'JOIN bucket_labels USING (bucket)' : ''}`;
}

/** DuckDB: labels of buckets, once `bucket_points` are there (pointTables). */
export function labelTable(labels: readonly number[]): string {
  return `CREATE OR REPLACE TEMP TABLE bucket_labels AS SELECT bucket, label FROM bucket_points
    JOIN (SELECT unnest(range(${labels.length}))::INTEGER AS point, unnest([${labels.join(', ')}]::INTEGER[]) AS label) USING (point)`;
}

interface PlacedRow {
  kind: 'cell' | 'row' | 'column' | 'rows' | 'columns';
  row: number;
  column: number;
  value: string | null;
  visits: number;
}

/** Cells by their places (from 1), names of the places, and how many values there are; in PostgreSQL and DuckDB. */
export function matrixOf(counts: string, { rows, columns }: MatrixSize, number: string): string {
  const placed = (side: 'a' | 'b') =>
    `(SELECT ${side}, sum(visits) AS visits, row_number() OVER (ORDER BY sum(visits) DESC, ${side}) AS place FROM counted GROUP BY ${side})`;
  const select = (kind: string, [row, column, value, visits]: [string, string, string, string]) =>
    `SELECT '${kind}' AS kind, CAST(${row} AS ${number}) AS "row", CAST(${column} AS ${number}) AS "column", CAST(${value} AS VARCHAR) AS value, CAST(${visits} AS ${number}) AS visits`;
  return `WITH counted AS MATERIALIZED (SELECT a, b, sum(visits) AS visits FROM (${counts}) AS part GROUP BY a, b),
    placed_a AS ${placed('a')}, placed_b AS ${placed('b')},
    cells AS (
      SELECT least(placed_a.place, ${rows + 1}) AS a_place, least(placed_b.place, ${columns + 1}) AS b_place, counted.visits
      FROM counted JOIN placed_a ON placed_a.a = counted.a JOIN placed_b ON placed_b.b = counted.b
    )
    ${select('cell', ['a_place', 'b_place', 'NULL', 'sum(visits)'])} FROM cells GROUP BY a_place, b_place
    UNION ALL ${select('row', ['place', '0', 'a', 'visits'])} FROM placed_a WHERE place <= ${rows}
    UNION ALL ${select('column', ['0', 'place', 'b', 'visits'])} FROM placed_b WHERE place <= ${columns}
    UNION ALL ${select('rows', ['0', '0', 'NULL', 'count(*)'])} FROM placed_a
    UNION ALL ${select('columns', ['0', '0', 'NULL', 'count(*)'])} FROM placed_b`;
}

export function toMatrix(found: readonly PlacedRow[]): Matrix {
  const side = (kind: 'row' | 'column'): MatrixSide => ({
    values: found
      .filter((row) => row.kind === kind)
      .sort((x, y) => x[kind] - y[kind])
      .map(({ value, visits }) => ({ value: value ?? '', visits })),
    number: found.find((row) => row.kind === `${kind}s`)?.visits ?? 0,
  });
  const [rows, columns] = [side('row'), side('column')];
  const cells = Array.from({ length: rows.values.length + 1 }, () =>
    Array.from({ length: columns.values.length + 1 }, () => 0),
  );
  for (const { kind, row, column, visits } of found) {
    const line = cells[Math.min(row, cells.length) - 1];
    if (kind === 'cell' && line !== undefined) line[Math.min(column, line.length) - 1] = visits;
  }
  return { rows, columns, cells };
}

function columnsOf(side: CrossedBy): readonly string[] {
  return side.by === 'value' ? valueOfVisit(side.of).columns : [];
}
