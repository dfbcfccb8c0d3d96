import type { InstantRange } from '@hopcount/ledger';

/** A closed hour (UTC) or day (reporting zone) of a link, folded; its checksum was found to hold. */
export interface ValidFold extends InstantRange {
  unit: 'hour' | 'day';
}

export type Piece<Fold extends ValidFold = ValidFold> =
  { from: 'fold'; fold: Fold; range: InstantRange } | { from: 'ledger'; range: InstantRange };

/**
 * Splits [from, to) into valid folds and the rest, which only the ledger can answer: day folds that lie
 * inside, then hour folds in what is left, then ledger ranges. The pieces are in order, touch each
 * other and cover exactly the range, so nothing is counted twice at a seam and nothing is missed.
 * No piece straddles one of `cuts` (for a series: where its points start), so each point is a run of
 * whole pieces. Folds may overlap each other (days of two reporting zones); at most one of them is taken.
 */
export function planRange<Fold extends ValidFold>(
  range: InstantRange,
  folds: readonly Fold[],
  cuts: readonly number[] = [],
): Piece<Fold>[] {
  if (range.from >= range.to) return [];
  const limits = limitsOf(range, cuts);
  const usable = folds.filter((fold) => fold.from < fold.to && isInsideOne(limits, fold));
  const days = withoutOverlaps(usable.filter((fold) => fold.unit === 'day'));
  const dayStarts = days.map((day) => day.from);
  // Days first: an hour that yields to a day must not have pushed out another hour before.
  const hours = usable.filter((fold) => fold.unit === 'hour' && !overlapsDay(days, dayStarts, fold));
  const chosen = [...days, ...withoutOverlaps(hours)].sort(byStart);
  return fillGaps(limits, chosen);
}

/** Ascending limits of the cells no piece may straddle, `from` first and `to` last. */
function limitsOf({ from, to }: InstantRange, cuts: readonly number[]): number[] {
  const inside = cuts.filter((cut) => cut > from && cut < to);
  return [...new Set([from, ...inside, to])].sort((a, b) => a - b);
}

function isInsideOne(limits: readonly number[], { from, to }: InstantRange): boolean {
  const cell = lastAtMost(limits, from);
  const end = limits[cell + 1];
  return cell >= 0 && end !== undefined && to <= end;
}

/** Index of the last value ≤ `instant` in ascending values; -1 when there is none. */
function lastAtMost(values: readonly number[], instant: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function byStart(a: InstantRange, b: InstantRange): number {
  return a.from - b.from || a.to - b.to;
}

function withoutOverlaps<Fold extends ValidFold>(folds: Fold[]): Fold[] {
  let end = Number.NEGATIVE_INFINITY;
  return folds.sort(byStart).filter((fold) => {
    if (fold.from < end) return false;
    end = fold.to;
    return true;
  });
}

/** The days are ascending and apart, so only the last that starts before the hour's end can overlap it. */
function overlapsDay(days: readonly InstantRange[], dayStarts: readonly number[], hour: InstantRange): boolean {
  const last = days[lastAtMost(dayStarts, hour.to - 1)];
  return last !== undefined && last.to > hour.from;
}

function fillGaps<Fold extends ValidFold>(limits: readonly number[], folds: readonly Fold[]): Piece<Fold>[] {
  const pieces: Piece<Fold>[] = [];
  let next = 0;
  for (let cell = 0; cell + 1 < limits.length; cell += 1) {
    let position = limits[cell] ?? 0;
    const end = limits[cell + 1] ?? position;
    for (let fold = folds[next]; fold !== undefined && fold.from < end; fold = folds[(next += 1)]) {
      if (fold.from > position) pieces.push({ from: 'ledger', range: { from: position, to: fold.from } });
      pieces.push({ from: 'fold', fold, range: { from: fold.from, to: fold.to } });
      position = fold.to;
    }
    if (position < end) pieces.push({ from: 'ledger', range: { from: position, to: end } });
  }
  return pieces;
}

/** Ledger ranges of a plan with touching neighbours joined: fewer index scans, the same visits. */
export function ledgerRanges(pieces: readonly Piece[]): InstantRange[] {
  const ranges: InstantRange[] = [];
  for (const piece of pieces) {
    if (piece.from !== 'ledger') continue;
    const last = ranges.at(-1);
    if (last?.to === piece.range.from) last.to = piece.range.to;
    else ranges.push({ ...piece.range });
  }
  return ranges;
}
