import type { InstantRange } from '@hopcount/ledger';

import { DERIVED_COLUMNS, VISIT_COLUMNS } from '../visit-columns.js';
import { quoteList } from './quoting.js';

/** A DuckDB SELECT of the files' visits with their bucket, checksum and file. */
export function archivedVisits(paths: readonly string[], range?: InstantRange): string {
  const time =
    range === undefined ? '' : `WHERE epoch_ms(occurred_at) >= ${range.from} AND epoch_ms(occurred_at) < ${range.to}`;
  return `SELECT *, ${DERIVED_COLUMNS} FROM ${paths.length === 0 ? NO_VISITS : readParquet(paths)} ${time}`;
}

/** With every column the ledger has today: in files from before a column, it is null. */
export function readParquet(paths: readonly string[]): string {
  const files = `read_parquet(${quoteList(paths)}, filename = true, union_by_name = true)`;
  return `(SELECT * FROM ${files} UNION ALL BY NAME SELECT * FROM ${NO_VISITS})`;
}

const NO_VISITS = `(
  SELECT ${[...VISIT_COLUMNS, { name: 'filename', type: 'VARCHAR' }].map(({ name, type }) => `NULL::${type} AS ${name}`).join(', ')}
  LIMIT 0
)`;

/** What a relation of visits adds up to, by link and bucket. */
export function sumOf(visits: string): string {
  return `SELECT link_id, bucket, count(*) AS visits, bit_xor(checksum) AS checksum FROM ${visits} GROUP BY link_id, bucket`;
}
