import { type InstantRange, toIso } from '@hopcount/ledger';
import { loadSql, type Transaction } from '@hopcount/postgres';

import type { PeriodSum } from './judge-sums.js';

const READ_SUMS = loadSql(import.meta.url, 'sql/read-sums.sql');

/** What the buckets of a link say of each day (UTC) or hour of a range of whole hours, ascending. */
export async function readSums(
  tx: Transaction,
  { linkId, from, to }: InstantRange & { linkId: string },
  step: '1 day' | '1 hour',
): Promise<PeriodSum[]> {
  const [row] = await tx.query<{ starts: number[]; visits: number[]; checksums: string[] }>(READ_SUMS, [
    linkId,
    toIso(from),
    toIso(to),
    step,
  ]);
  return (row?.starts ?? []).map((start, n) => ({
    start,
    visits: row?.visits[n] ?? 0,
    checksum: row?.checksums[n] ?? '',
  }));
}
