import type { InstantRange } from '@hopcount/ledger';

/** An hour (UTC) of a link, folded by the commits; its checksum was found to hold. */
export type ValidFold = InstantRange;

export type Piece<Fold extends ValidFold = ValidFold> =
  { from: 'fold'; fold: Fold; range: InstantRange } | { from: 'ledger'; range: InstantRange };

/**
 * Splits ranges (ascending, apart) into valid folds that lie inside and the rest, which only the ledger can answer.
 * The pieces are in order and cover exactly the ranges, so nothing is counted twice at a seam and nothing is missed.
 * No piece straddles one of `cuts` (for a series: where its points start), so each point is a run of whole pieces.
 */
export function planRange<Fold extends ValidFold>(
  ranges: readonly InstantRange[],
  folds: readonly Fold[],
  cuts: readonly number[] = [],
): Piece<Fold>[] {
  const left = [...folds].sort((a, b) => a.from - b.from);
  const pieces: Piece<Fold>[] = [];
  for (const cell of ranges.flatMap((range) => cutAt(range, cuts))) {
    let position = cell.from;
    while (left[0] !== undefined && left[0].from < cell.to) {
      const fold = left.shift();
      if (fold === undefined || fold.from < position || fold.to > cell.to || fold.from >= fold.to) continue;
      if (fold.from > position) pieces.push({ from: 'ledger', range: { from: position, to: fold.from } });
      pieces.push({ from: 'fold', fold, range: { from: fold.from, to: fold.to } });
      position = fold.to;
    }
    if (position < cell.to) pieces.push({ from: 'ledger', range: { from: position, to: cell.to } });
  }
  return pieces;
}

function cutAt({ from, to }: InstantRange, cuts: readonly number[]): InstantRange[] {
  const limits = [from, ...cuts.filter((cut) => cut > from && cut < to), to];
  return limits.slice(1).map((limit, n) => ({ from: limits[n] ?? from, to: limit }));
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
