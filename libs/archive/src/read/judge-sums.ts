import type { InstantRange } from '@hopcount/ledger';

/** Visits of one link in an hour or a day (UTC); the checksum is the XOR of the random bits of their ids, as text. */
export interface PeriodSum {
  start: number;
  visits: number;
  checksum: string;
}

export interface Judgement {
  /** Where files do not hold what the buckets say: the ledger has to answer. Touching periods are one range. */
  fromLedger: InstantRange[];
  /** Starts of periods of which the files' visits must not be counted. */
  notFromFiles: number[];
  /** The ledger is gone and the files hold something else than the buckets say: they are all there is. */
  unknown: InstantRange[];
}

/**
 * Which periods of a link its files answer: those where number and checksum are what the buckets say in the same
 * snapshot. Anywhere else the ledger answers while it has the period (from `keptFrom` on). Both lists ascend.
 */
export function judgeSums(
  kept: readonly PeriodSum[],
  filed: readonly PeriodSum[],
  { keptFrom, periodMs }: { keptFrom: number; periodMs: number },
): Judgement {
  const inFiles = new Map(filed.map((sum) => [sum.start, sum]));
  const counted = new Set(kept.map(({ start }) => start));
  const differing = kept.filter(({ start, visits, checksum }) => {
    const sum = inFiles.get(start);
    return sum?.visits !== visits || sum.checksum !== checksum;
  });
  return {
    fromLedger: joinPeriods(startsOf(differing.filter(({ start }) => start >= keptFrom)), periodMs),
    // Also periods without a bucket: all of them was purged.
    notFromFiles: [
      ...differing.filter(({ start }) => start >= keptFrom && inFiles.has(start)),
      ...filed.filter(({ start }) => !counted.has(start)),
    ].map(({ start }) => start),
    unknown: joinPeriods(startsOf(differing.filter(({ start }) => start < keptFrom)), periodMs),
  };
}

function startsOf(periods: readonly { start: number }[]): number[] {
  return periods.map(({ start }) => start);
}

/** What several say of the same periods together, ascending. */
export function addSums(parts: readonly (readonly PeriodSum[])[]): PeriodSum[] {
  const sums = new Map<number, PeriodSum>();
  for (const { start, visits, checksum } of parts.flat()) {
    const sum = sums.get(start) ?? { start, visits: 0, checksum: '0' };
    const both = BigInt(sum.checksum) ^ BigInt(checksum);
    sums.set(start, { start, visits: sum.visits + visits, checksum: both.toString() });
  }
  return [...sums.values()].sort((a, b) => a.start - b.start);
}

/** From the first to the last of the periods in which the two differ; undefined: in none. */
export function differingSpan(
  kept: readonly PeriodSum[],
  filed: readonly PeriodSum[],
  periodMs: number,
): InstantRange | undefined {
  const { fromLedger, notFromFiles } = judgeSums(kept, filed, { keptFrom: Number.NEGATIVE_INFINITY, periodMs });
  const starts = [...fromLedger.flatMap(({ from, to }) => [from, to - periodMs]), ...notFromFiles];
  return starts.length === 0 ? undefined : { from: Math.min(...starts), to: Math.max(...starts) + periodMs };
}

/** Periods by their starts, ascending; touching ones are one range. */
export function joinPeriods(starts: readonly number[], periodMs: number): InstantRange[] {
  const ranges: InstantRange[] = [];
  for (const start of starts) {
    const last = ranges.at(-1);
    if (last?.to === start) last.to += periodMs;
    else ranges.push({ from: start, to: start + periodMs });
  }
  return ranges;
}
