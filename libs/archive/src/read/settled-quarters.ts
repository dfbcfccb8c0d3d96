import { BUCKET_MS, HOUR_MS, type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { joinPeriods } from './judge-sums.js';
import type { LastingPart } from './kept-relations.js';

/** A quarter of an hour that the ledger answers for. */
export interface SettledQuarter extends LastingPart, InstantRange {}

/** Of more hours all are read as ever: there is more than open ones, and to name them would take longer. */
const HOURS_AT_MOST = 50;

/**
 * Sums and labels are read in the snapshot of the question. `xmin` is another one after every change of a row: visits
 * that were purged and imported again with the same ids leave the same sums.
 */
const READ_QUARTERS = `SELECT (extract(epoch FROM bucket) * 1000)::float8 AS start,
    concat_ws(' ', sum(visits), bit_xor(checksum),
      md5(string_agg(scope_traffic.xmin::text, ',' ORDER BY class, slot_id))) AS sums,
    (SELECT count(*) || ' ' || coalesce(max(ended_at)::text, '') FROM relabels WHERE ended_at IS NOT NULL) AS labels
  FROM unnest($1::timestamptz[], $2::timestamptz[]) AS span (from_time, to_time)
  JOIN scope_traffic ON scope = 'all' AND scope_id = ''
    AND bucket >= from_time AND bucket + interval '15 minutes' <= to_time
  GROUP BY bucket ORDER BY bucket`;

/**
 * Whole quarters of an hour in ranges that ascend and are apart, but for the newest, which still grows. Rows of the
 * ledger never change, but for labels that are given anew, by a transaction that notes its end. So a quarter whose
 * sums are the same, and were not written since, has the rows that it had when it was last read.
 */
export async function readSettledQuarters(
  tx: Transaction,
  ranges: readonly InstantRange[],
): Promise<readonly SettledQuarter[]> {
  const spanMs = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  if (ranges.length === 0 || spanMs > HOURS_AT_MOST * HOUR_MS) return [];
  const limits = [ranges.map(({ from }) => toIso(from)), ranges.map(({ to }) => toIso(to))];
  const rows = await tx.query<{ start: number; sums: string; labels: string }>(READ_QUARTERS, limits);
  return rows.slice(0, -1).map(({ start, sums, labels }) => ({
    key: [start, sums, labels].join(' '),
    from: start,
    to: start + BUCKET_MS,
  }));
}

/** As few ranges as can be. */
export function rangesOf(quarters: readonly SettledQuarter[]): InstantRange[] {
  return joinPeriods(
    quarters.map(({ from }) => from),
    BUCKET_MS,
  );
}

/** What is left of ranges without the quarters; both ascend, and are apart. */
export function without(ranges: readonly InstantRange[], quarters: readonly SettledQuarter[]): InstantRange[] {
  const taken = rangesOf(quarters);
  return ranges.flatMap((range) => {
    const inside = taken.filter(({ from, to }) => from >= range.from && to <= range.to);
    const starts = [range.from, ...inside.map(({ to }) => to)];
    const ends = [...inside.map(({ from }) => from), range.to];
    return starts.map((from, nth) => ({ from, to: ends[nth] ?? range.to })).filter(({ from, to }) => from < to);
  });
}
