/** What several runs of the same thing measured. */
export interface Spread {
  median: number;
  min: number;
  max: number;
  runs: number[];
}

/** @throws RangeError without values */
export function spreadOf(runs: readonly number[]): Spread {
  const sorted = [...runs].sort((a, b) => a - b);
  const middle = sorted.length >>> 1;
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1];
  const [min] = sorted;
  const max = sorted.at(-1);
  if (upper === undefined || lower === undefined || min === undefined || max === undefined) {
    throw new RangeError('nothing was measured');
  }
  return { median: (lower + upper) / 2, min, max, runs: [...runs] };
}

/** Nearest-rank percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('nothing was measured');
  return value;
}

export function ratioSpread(values: readonly number[], base: readonly number[]): Spread {
  return spreadOf(values.map((value, index) => value / (base[index] ?? Number.NaN)));
}
