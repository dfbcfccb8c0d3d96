import type { VisitsSum } from '@hopcount/archive';
import { type InstantRange, readDoubted } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

type Counted = Pick<VisitsSum, 'visits'> & Partial<VisitsSum>;

/** The same visits counted twice: as they are read now, and as commits added them up. Both with a checksum, or neither. */
export interface Comparison {
  range: InstantRange;
  rows: Counted;
  buckets: Counted;
}

/** What an answer was computed from. Every field is required, so that a check that was left out never counts as passed. */
export interface Evidence {
  /** Ranges whose visits are not all kept any more, or whose files differ from what was counted. */
  unknown: readonly InstantRange[];
  /** Ranges whose sums are known to be wrong. */
  doubted: readonly InstantRange[];
  /** Wherever the answer has both counts; [] where it was made of visits alone or of sums alone. */
  compared: readonly Comparison[];
  /** Whether the sums by host of all time that were used are right as far as is known (see areHostSumsExact()); true where none were used. */
  isAttributed: boolean;
}

/** Of an answer that was counted from visits in the ledger, without sums. */
export const COUNTED_FROM_VISITS: Evidence = { unknown: [], doubted: [], compared: [], isAttributed: true };

export interface Exactness {
  exact: boolean;
  /** Where it is not; a sum of all time is inexact without a range. */
  inexact: readonly InstantRange[];
}

/** Decides for every answer whether its numbers are exact. */
export function exactnessOf({ unknown, doubted, compared, isAttributed }: Evidence): Exactness {
  const disagreeing = compared.filter(({ rows, buckets }) => !areEqual(rows, buckets)).map(({ range }) => range);
  // Where visits are known to be missing, or sums to be wrong, both counts differ for that reason.
  const known = [...unknown, ...doubted];
  const inexact = known.length > 0 ? known : disagreeing;
  return { exact: inexact.length === 0 && isAttributed, inexact };
}

/** What of the range has sums that were found to be something else than their visits: [] or one range. */
export async function readDoubtedPart(tx: Transaction, { from, to }: InstantRange): Promise<InstantRange[]> {
  const doubted = await readDoubted(tx);
  if (doubted === undefined) return [];
  const part = { from: Math.max(from, doubted.from), to: Math.min(to, doubted.to) };
  return part.from < part.to ? [part] : [];
}

/** Of all-time sums by host, which are not compared with visits. */
export function exactnessOfHostSums(isAttributed: boolean): Exactness {
  return exactnessOf({ ...COUNTED_FROM_VISITS, isAttributed });
}

export function areEqual(rows: Counted, buckets: Counted): boolean {
  return rows.visits === buckets.visits && rows.checksum === buckets.checksum;
}
