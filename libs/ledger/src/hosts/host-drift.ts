import { loadSql, type Queryable } from '@hopcount/postgres';

const MEASURE_DRIFT = loadSql(import.meta.url, 'sql/measure-drift.sql');

/**
 * How far hosts are from all links in the last hour: visits of them that are too many or too few, and buckets with another checksum.
 * Must be 0 and 0; `hopcount verify` holds each host against the ledger.
 */
export async function measureHostDrift(queryable: Queryable): Promise<{ visits: number; checksums: number }> {
  const [row] = await queryable.query<{ visits: number; checksums: number }>(MEASURE_DRIFT);
  return row ?? { visits: 0, checksums: 0 };
}
