import type { InstantRange } from '@hopcount/ledger';
import { HOUR_MS, toIso } from '@hopcount/ledger';
import { loadPreparedSql, type Transaction } from '@hopcount/postgres';
import type { Uniques } from '@hopcount/archive';

import { ledgerRanges, type Piece, type ValidFold } from './plan-range.js';

const VALID_FOLDS = loadPreparedSql(import.meta.url, 'sql/valid-folds.sql');

export interface LinkFold extends ValidFold {
  visits: number;
  /** null: commits added to the fold, so that its sets must be counted. */
  sizes: Uniques | null;
}

export type LinkPlan = readonly Piece<LinkFold>[];

/** Hours folded by the commits of a hot link that say what their buckets say. */
export async function findValidFolds(tx: Transaction, linkId: string, { from, to }: InstantRange): Promise<LinkFold[]> {
  const rows = await tx.query<{ hour: Date; visits: string; visitors: number | null; ips: number | null }>(
    VALID_FOLDS,
    [linkId, toIso(from), toIso(to)],
  );
  return rows.map(({ hour, visits, visitors, ips }) => ({
    from: hour.getTime(),
    // Nothing of it is after the end of the range, see valid-folds.sql.
    to: Math.min(hour.getTime() + HOUR_MS, to),
    visits: Number(visits),
    sizes: visitors === null || ips === null ? null : { visitors, ips },
  }));
}

export function foldsOf(plan: LinkPlan): LinkFold[] {
  return plan.flatMap((piece) => (piece.from === 'fold' ? [piece.fold] : []));
}

/** As the statements take a plan: hours of folds, and the ledger's ranges as parallel arrays. */
export function planColumns(plan: LinkPlan): [string[], string[], string[]] {
  return [foldsOf(plan).map(({ from }) => toIso(from)), ...rangeColumns(ledgerRanges(plan))];
}

export function rangeColumns(ranges: readonly InstantRange[]): [string[], string[]] {
  return [ranges.map(({ from }) => toIso(from)), ranges.map(({ to }) => toIso(to))];
}
