/** Whose bases are read at once. */
const ROWS_AT_ONCE = 100;

interface Recent {
  name: string;
  /** Visits of the last five minutes. */
  window: number | null;
}

export interface Excess {
  /** Of five minutes; null: too little is known, and all of the window is more than usual. */
  usualVisits: number | null;
  excess: number;
}

/**
 * Those whose window has the most visits beyond the usual ones, in their order. Nobody has more excess than window: so bases are read of
 * the largest windows first, until none that is left can be on the page.
 * @param rows the largest window first
 */
export async function mostExcess<Row extends Recent>(
  rows: readonly Row[],
  usualOf: (rows: readonly Row[]) => Promise<(number | null)[]>,
  { after, limit }: { after: { sum: number; name: string } | null; limit: number },
): Promise<(Row & Excess)[]> {
  let most: (Row & Excess)[] = [];
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE);
    const last = most[limit - 1];
    if (last !== undefined && (part[0]?.window ?? 0) < last.excess) break;
    const usual = await usualOf(part);
    const found = part
      .map((row, nth) => {
        const usualVisits = usual[nth] ?? null;
        return { ...row, usualVisits, excess: Math.round((row.window ?? 0) - (usualVisits ?? 0)) };
      })
      .filter((row) => row.excess > 0 && (after === null || compare({ excess: after.sum, name: after.name }, row) < 0));
    most = [...most, ...found].sort(compare).slice(0, limit);
  }
  return most;
}

interface Place {
  excess: number;
  name: string;
}

function compare(one: Place, other: Place): number {
  if (one.excess !== other.excess) return other.excess - one.excess;
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}
