import { BUCKET_MS } from '@hopcount/ledger';

/**
 * DuckDB: those of a relation of visits that are before the purge of their link (`purges`). Without the halves of buckets
 * that a purge cuts in two where the ledger is dropped (before `keptFrom`): nobody can tell which the buckets have lost.
 */
export function purgedAmong(visits: string, keptFrom: number): string {
  const inLedger = Number.isFinite(keptFrom) ? `bucket >= ${keptFrom}` : 'true';
  return `(${visits}) JOIN purges USING (link_id)
    WHERE epoch_ms(occurred_at) < purged_before AND (${inLedger} OR bucket + ${BUCKET_MS} <= purged_before)`;
}
