import { BUCKET_MS, bucketOf } from '@hopcount/ledger';

/** DuckDB: those of a relation of visits that are before the purge of their link (`purges`). */
export function purgedAmong(visits: string, keptFrom: number): string {
  return `(${visits}) JOIN purges USING (link_id) WHERE ${isMarked('epoch_ms(occurred_at)', 'purged_before', keptFrom)}`;
}

/**
 * DuckDB: whether a visit at `atMs` is gone with a purge of all before `mark`. The halves of buckets that a purge cuts in two
 * where the ledger is dropped (before `keptFrom`) stay: nobody can tell which of them the buckets have lost.
 */
export function isMarked(atMs: string, mark: string, keptFrom: number): string {
  const inLedger = Number.isFinite(keptFrom) ? `${atMs} >= ${keptFrom}` : 'true';
  return `${atMs} < ${mark} AND (${inLedger} OR (${atMs} // ${BUCKET_MS} + 1) * ${BUCKET_MS} <= ${mark})`;
}

/** The same of one link: no visit since then is gone. */
export function keptSince(mark: number, keptFrom: number): number {
  return mark >= keptFrom ? mark : bucketOf(mark);
}
