import type { VisitsSum } from '@hopcount/archive';
import type { InstantRange } from '@hopcount/ledger';

/** What an answer was made of. */
export interface Evidence {
  /** Ranges of which nobody has all visits any more, or files hold something else than was counted. */
  unknown: readonly InstantRange[];
  /** Visits of the range as they are read now, and as commits added them up; absent: nobody compared them. */
  proof?: { rows: VisitsSum; buckets: VisitsSum; range: InstantRange };
  /** Of sums by host: whether they are without all that was purged (see isAllAttributed()). */
  isAttributed?: boolean;
}

export interface Exactness {
  exact: boolean;
  /** Where it is not; a sum of all time is inexact without a range. */
  inexact: readonly InstantRange[];
}

/** Decides for every answer whether its numbers are exact. */
export function exactnessOf({ unknown, proof, isAttributed = true }: Evidence): Exactness {
  const agrees = proof === undefined || areEqual(proof.rows, proof.buckets);
  const inexact = unknown.length === 0 && !agrees ? [proof.range] : unknown;
  return { exact: inexact.length === 0 && isAttributed, inexact };
}

export function areEqual(rows: VisitsSum, buckets: VisitsSum): boolean {
  return rows.visits === buckets.visits && rows.checksum === buckets.checksum;
}
