import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { ledgerRanges, planRange, type ValidFold } from './plan-range.js';

/** Small numbers: overlaps, shared limits and empty gaps come up all the time. */
const anyFold: fc.Arbitrary<ValidFold> = fc
  .record({ unit: fc.constantFrom('hour' as const, 'day' as const), from: fc.integer({ min: 0, max: 60 }) })
  .chain(({ unit, from }) =>
    fc.integer({ min: 1, max: unit === 'hour' ? 2 : 12 }).map((length) => ({ unit, from, to: from + length })),
  );
const anyPlan = fc.record({
  from: fc.integer({ min: 0, max: 60 }),
  length: fc.integer({ min: 0, max: 60 }),
  folds: fc.array(anyFold, { maxLength: 25 }),
  cuts: fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 8 }),
});

describe('the plan of a range', () => {
  it('covers it exactly: nothing twice, nothing missing, in order', () => {
    fc.assert(
      fc.property(anyPlan, ({ from, length, folds, cuts }) => {
        const range = { from, to: from + length };
        let position = from;
        for (const piece of planRange(range, folds, cuts)) {
          expect(piece.range.from).toBe(position);
          expect(piece.range.to).toBeGreaterThan(position);
          position = piece.range.to;
          if (piece.from === 'fold') expect(piece.range).toEqual({ from: piece.fold.from, to: piece.fold.to });
        }
        expect(position).toBe(range.to);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has no piece across a cut', () => {
    fc.assert(
      fc.property(anyPlan, ({ from, length, folds, cuts }) => {
        for (const { range } of planRange({ from, to: from + length }, folds, cuts)) {
          expect(cuts.filter((cut) => cut > range.from && cut < range.to)).toEqual([]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes every fold it can: what it leaves overlaps one it took, crosses a cut or sticks out', () => {
    fc.assert(
      fc.property(anyPlan, ({ from, length, folds, cuts }) => {
        const to = from + length;
        const taken = planRange({ from, to }, folds, cuts).flatMap((piece) =>
          piece.from === 'fold' ? [piece.fold] : [],
        );
        for (const fold of folds) {
          const fits = fold.from >= from && fold.to <= to && !cuts.some((cut) => cut > fold.from && cut < fold.to);
          const rivals = taken.filter((other) => other.from < fold.to && other.to > fold.from);
          if (fits) expect(rivals).not.toEqual([]);
          if (fits && fold.unit === 'day') expect(rivals.some((other) => other.unit === 'day')).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('prefers days, then hours, then the ledger', () => {
    const folds: ValidFold[] = [
      { unit: 'hour', from: 3, to: 4 },
      { unit: 'hour', from: 25, to: 26 },
      { unit: 'day', from: 0, to: 24 },
      { unit: 'day', from: 24, to: 48 },
    ];
    expect(planRange({ from: 0, to: 30 }, folds)).toEqual([
      { from: 'fold', fold: folds[2], range: { from: 0, to: 24 } },
      { from: 'ledger', range: { from: 24, to: 25 } },
      { from: 'fold', fold: folds[1], range: { from: 25, to: 26 } },
      { from: 'ledger', range: { from: 26, to: 30 } },
    ]);
  });

  it('joins neighbouring ledger pieces for reading', () => {
    const cuts = [10, 20];
    expect(ledgerRanges(planRange({ from: 5, to: 25 }, [], cuts))).toEqual([{ from: 5, to: 25 }]);
    const fold: ValidFold = { unit: 'hour', from: 12, to: 14 };
    expect(ledgerRanges(planRange({ from: 5, to: 25 }, [fold], cuts))).toEqual([
      { from: 5, to: 12 },
      { from: 14, to: 25 },
    ]);
  });
});
