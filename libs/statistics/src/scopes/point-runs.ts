import type { InstantRange } from '@hopcount/ledger';

/** Points of a series that follow each other; `first` is the 0-based number of the first one. */
export interface PointRun extends InstantRange {
  first: number;
  starts: readonly number[];
}

/** Each is asked for itself. */
const RUNS_AT_MOST = 8;

/**
 * The points that are not known, those that touch as one run. Of more runs than are asked, those with the least between
 * them become one, with what lies between.
 */
export function unknownRuns(points: readonly InstantRange[], known: ReadonlyMap<number, unknown>): PointRun[] {
  const left = points.flatMap(({ from, to }, point) => (known.has(point) ? [] : [{ from, to, point }]));
  const gaps = left.flatMap(({ from }, nth) => {
    const before = left[nth - 1]?.to ?? from;
    return before < from ? [{ nth, width: from - before }] : [];
  });
  const widest = gaps.sort((a, b) => b.width - a.width).slice(0, RUNS_AT_MOST - 1);
  const cuts = [0, ...widest.map(({ nth }) => nth).sort((a, b) => a - b)];
  return cuts.flatMap((cut, nth) => {
    const part = left.slice(cut, cuts[nth + 1]);
    const [head, tail] = [part[0], part.at(-1)];
    if (head === undefined || tail === undefined) return [];
    const starts = points.slice(head.point, tail.point + 1).map(({ from }) => from);
    return [{ from: head.from, to: tail.to, first: head.point, starts }];
  });
}
