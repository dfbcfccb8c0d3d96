import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ledgerRanges, planRange, type ValidFold } from './plan-range.js';

/** Small numbers: shared limits and empty gaps come up all the time. Folds are hours: they never overlap. */
const anyFolds: fc.Arbitrary<ValidFold[]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 15 })
  .map((hours) => hours.map((hour) => ({ from: 2 * hour, to: 2 * hour + 2 })));
const anyRanges = fc
  .uniqueArray(fc.integer({ min: 0, max: 62 }), { minLength: 2, maxLength: 8 })
  .map((limits) => limits.sort((a, b) => a - b))
  .map((limits) =>
    limits.flatMap((from, n) => {
      const to = limits[n + 1];
      return n % 2 === 0 && to !== undefined ? [{ from, to }] : [];
    }),
  );
const anyPlan = fc.record({
  ranges: anyRanges,
  folds: anyFolds,
  cuts: fc.uniqueArray(fc.integer({ min: 0, max: 62 }), { maxLength: 8 }).map((cuts) => cuts.sort((a, b) => a - b)),
});
const instantsOf = (ranges: readonly { from: number; to: number }[]) =>
  ranges.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n));

describe('the plan of ranges', () => {
  it('covers them exactly: nothing twice, nothing missing, in order', () => {
    fc.assert(
      fc.property(anyPlan, ({ ranges, folds, cuts }) => {
        const pieces = planRange(ranges, folds, cuts);
        expect(instantsOf(pieces.map(({ range }) => range))).toEqual(instantsOf(ranges));
        for (const piece of pieces) if (piece.from === 'fold') expect(piece.range).toEqual(piece.fold);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has no piece across a cut', () => {
    fc.assert(
      fc.property(anyPlan, ({ ranges, folds, cuts }) => {
        for (const { range } of planRange(ranges, folds, cuts)) {
          expect(cuts.filter((cut) => cut > range.from && cut < range.to)).toEqual([]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes every fold that lies inside and crosses no cut', () => {
    fc.assert(
      fc.property(anyPlan, ({ ranges, folds, cuts }) => {
        const taken = planRange(ranges, folds, cuts).flatMap((piece) => (piece.from === 'fold' ? [piece.fold] : []));
        const fits = folds.filter(
          ({ from, to }) =>
            ranges.some((range) => from >= range.from && to <= range.to) && !cuts.some((cut) => cut > from && cut < to),
        );
        expect(new Set(taken)).toEqual(new Set(fits));
      }),
      { numRuns: 2_000 },
    );
  });

  it('joins neighbouring ledger pieces for reading', () => {
    const cuts = [10, 20];
    const range = [{ from: 5, to: 25 }];
    expect(ledgerRanges(planRange(range, [], cuts))).toEqual(range);
    expect(ledgerRanges(planRange(range, [{ from: 12, to: 14 }], cuts))).toEqual([
      { from: 5, to: 12 },
      { from: 14, to: 25 },
    ]);
  });
});
