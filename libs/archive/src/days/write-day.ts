import { type InstantRange, toIso } from '@hopcount/ledger';
import { loadSql, type Transaction } from '@hopcount/postgres';

import type { DuckSession } from '../duckdb/duck-database.js';

const INSERT_AGGREGATES = loadSql(import.meta.url, 'sql/insert-aggregates.sql');
const INSERT_DIMENSIONS = loadSql(import.meta.url, 'sql/insert-dimensions.sql');

/** In memory at once, whatever the number of links. */
const ROWS_AT_ONCE = 10_000;

interface AggregateRow {
  scope: string;
  scope_id: string;
  class: string;
  visits: number;
  checksum: string;
  visitors: number;
  ips: number;
}

interface DimensionRow {
  scope: string;
  scope_id: string;
  dimension: string;
  kept_place: number;
  kept_value: string | null;
  values: number;
  human: number;
  bot: number;
  preview: number;
  prefetch: number;
  opted_out: number;
}

/** Replaces what PostgreSQL has of a day by `day_rows` and `day_values` of the session. @returns how many rows */
export async function writeDay(tx: Transaction, session: DuckSession, { from, to }: InstantRange): Promise<number> {
  const start = toIso(from);
  for (const table of ['day_aggregates', 'day_aggregate_dimensions']) {
    await tx.query(`DELETE FROM ${table} WHERE day_start = $1`, [start]);
  }
  let written = 0;
  const aggregates = `scope, scope_id, class, visits::DOUBLE AS visits, checksum::VARCHAR AS checksum,
    visitors::DOUBLE AS visitors, ips::DOUBLE AS ips`;
  for await (const rows of stepsThrough<AggregateRow>(session, 'day_rows', aggregates)) {
    await tx.query(INSERT_AGGREGATES, [
      start,
      toIso(to),
      rows.map((row) => row.scope),
      rows.map((row) => row.scope_id),
      rows.map((row) => row.class),
      rows.map((row) => row.visits),
      rows.map((row) => row.checksum),
      rows.map((row) => row.visitors),
      rows.map((row) => row.ips),
    ]);
    written += rows.length;
  }
  const counts = ['"values"', 'human', 'bot', 'preview', 'prefetch', 'opted_out'];
  const dimensions = `scope, scope_id, dimension, kept_place::DOUBLE AS kept_place, kept_value,
    ${counts.map((name) => `${name}::DOUBLE AS ${name}`).join(', ')}`;
  for await (const rows of stepsThrough<DimensionRow>(session, 'day_values', dimensions)) {
    await tx.query(INSERT_DIMENSIONS, [
      start,
      rows.map((row) => row.scope),
      rows.map((row) => row.scope_id),
      rows.map((row) => row.dimension),
      rows.map((row) => row.kept_place),
      rows.map((row) => row.kept_value),
      rows.map((row) => row.values),
      rows.map((row) => row.human),
      rows.map((row) => row.bot),
      rows.map((row) => row.preview),
      rows.map((row) => row.prefetch),
      rows.map((row) => row.opted_out),
    ]);
    written += rows.length;
  }
  return written;
}

async function* stepsThrough<Row>(session: DuckSession, table: string, columns: string): AsyncGenerator<Row[]> {
  for (let from = 0; ; from += ROWS_AT_ONCE) {
    const rows = await session.rows<Row>(
      `SELECT ${columns} FROM ${table} WHERE rowid >= ${from} AND rowid < ${from + ROWS_AT_ONCE}`,
    );
    if (rows.length === 0) return;
    yield rows;
  }
}
