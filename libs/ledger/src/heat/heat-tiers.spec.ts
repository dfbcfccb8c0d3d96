import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { BUCKET_MS, HOUR_MS } from '../buckets.js';
import { decideHeat, foldLimits, HEAT_TIERS, heatWindowStart, type MeasuredLink, slotsFor } from './heat-tiers.js';

const HOUR = Date.parse('2026-09-10T12:00:00Z');
const steps = [1, ...HEAT_TIERS.map((tier) => tier.slots)];

describe('the window of heat', () => {
  it.each([
    [0, HOUR - BUCKET_MS],
    [14, HOUR - BUCKET_MS],
    [15, HOUR],
    [59, HOUR],
  ])('%i minutes past', (minutes, start) => {
    expect(heatWindowStart(HOUR + minutes * 60_000)).toBe(start);
  });
});

describe('slots by heat', () => {
  it('go up at a tier and down at an eighth of it', () => {
    expect([4_999, 5_000, 100_000, 1_000_000].map((heat) => slotsFor(heat, 1))).toEqual([1, 16, 32, 100]);
    expect([1_000_000, 125_000, 124_999, 12_499, 624].map((heat) => slotsFor(heat, 100))).toEqual([
      100, 100, 32, 16, 1,
    ]);
  });

  it('stay where they are under an even stream, whatever the hour', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 3_000, noNaN: true }), fc.constantFrom(...steps), (perSecond, start) => {
        let slots = start;
        const seen = new Set<number>();
        for (let minute = 60; minute < 240; minute += 1) {
          const now = HOUR + minute * 60_000;
          slots = slotsFor(((now - heatWindowStart(now)) / 1_000) * perSecond, slots);
          if (minute >= 120) seen.add(slots);
        }
        expect(seen.size).toBe(1);
      }),
      { numRuns: 200 },
    );
  });
});

describe('what heat decides', () => {
  const link = (linkId: string, heat: number, rest: Partial<MeasuredLink> = {}): MeasuredLink => ({
    linkId,
    heat,
    slots: null,
    pinnedSlots: null,
    foldedFrom: null,
    ...rest,
  });

  it('folds the hottest, and lets one that is folded go on unless another is far hotter', () => {
    const foldedOf = (links: MeasuredLink[]) =>
      decideHeat(links, { openHour: HOUR, fold: { heat: 5_000, links: 1 } }).flatMap(({ linkId, foldedFrom }) =>
        foldedFrom === null ? [] : [[linkId, foldedFrom]],
      );
    expect(foldedOf([link('1', 6_000), link('2', 9_000), link('3', 100)])).toEqual([['2', HOUR]]);
    const folded = link('2', 9_000, { slots: 16, foldedFrom: HOUR - HOUR_MS });
    expect(foldedOf([link('1', 60_000), folded])).toEqual([['2', HOUR - HOUR_MS]]);
    expect(foldedOf([link('1', 90_000), folded])).toEqual([['1', HOUR]]);
    expect(foldedOf([link('2', 600, { slots: 16, foldedFrom: HOUR })])).toEqual([]);
  });

  it('leaves slots that an operator has set alone, and folds by heat all the same', () => {
    const decided = decideHeat(
      [link('1', 10, { slots: 32, pinnedSlots: 32 }), link('2', 9_000, { slots: 16, pinnedSlots: 1 })],
      { openHour: HOUR, fold: { heat: 5_000, links: 5 } },
    );
    expect(decided.map(({ slots, foldedFrom }) => [slots, foldedFrom])).toEqual([
      [32, null],
      [1, HOUR],
    ]);
  });

  it('folds from AGGREGATE_FROM on, whatever that says of slots, and the more links the lower it is', () => {
    expect([5_000, 100, 7, 1].map(foldLimits)).toEqual([
      { heat: 5_000, links: 16 },
      { heat: 100, links: 800 },
      { heat: 7, links: 10_000 },
      { heat: 5_000, links: 16 },
    ]);
    const decided = decideHeat(
      [link('1', 99), link('2', 100), link('3', 13, { foldedFrom: HOUR }), link('4', 12, { foldedFrom: HOUR })],
      { openHour: HOUR, fold: foldLimits(100) },
    );
    expect(decided.map(({ slots, foldedFrom }) => [slots, foldedFrom])).toEqual([
      [1, null],
      [1, HOUR],
      [1, HOUR],
      [1, null],
    ]);
  });

  it('says what changed', () => {
    const decided = decideHeat([link('1', 5_000), link('2', 7_000, { slots: 16, foldedFrom: HOUR }), link('3', 10)], {
      openHour: HOUR,
      fold: { heat: 5_000, links: 5 },
    });
    expect(decided.map(({ slots, changed }) => [slots, changed])).toEqual([
      [16, true],
      [16, false],
      [1, false],
    ]);
  });
});
