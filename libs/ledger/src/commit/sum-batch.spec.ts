import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { VISIT_CLASSES } from '@hopcount/contracts';

import type { EnrichedVisit } from './enriched-visit.js';
import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import { sourceParameters, visitsInHand } from './prepared-visits.js';

const START_MS = Date.UTC(2026, 9, 25, 0, 0);

const anyVisit = fc
  .record({
    offsetMs: fc.integer({ min: 0, max: 3 * 3_600_000 }),
    linkId: fc.constantFrom('7', '70', '123456789012345678', '9'),
    class: fc.constantFrom(...VISIT_CLASSES),
    source: fc.constantFrom('gw-a', 'gw-b'),
  })
  .map(({ offsetMs, ...fields }) => enrichedVisit({ ...fields, atMs: START_MS + offsetMs }));

const checksumOf = (visit: EnrichedVisit) =>
  BigInt(`0x${visit.eventId.replaceAll('-', '').slice(16)}`) & ((1n << 62n) - 1n);
const xor = (values: bigint[]) => values.reduce((sum, value) => sum ^ value, 0n);
const add = (values: number[]) => values.reduce((sum, value) => sum + value, 0);

/** The sums as they go to PostgreSQL: literals of arrays of plain values are JSON but for their brackets. */
function sumBatch(visits: readonly EnrichedVisit[]) {
  const { traffic, slots, sources } = visitsInHand(visits).prepared.sums;
  const texts = (literal: unknown) => JSON.parse(`[${String(literal).slice(1, -1)}]`) as string[];
  const numbers = (literal: unknown) => texts(literal).map(Number);
  return {
    traffic: {
      linkIds: texts(traffic.linkIds),
      buckets: texts(traffic.buckets),
      classes: numbers(traffic.classes),
      visits: numbers(traffic.visits),
      checksums: texts(traffic.checksums),
    },
    slots: { linkIds: texts(slots.linkIds), visits: numbers(slots.visits) },
    sources: { visits: sourceParameters(sources)[2] as number[], checksums: sourceParameters(sources)[3] as string[] },
  };
}

describe('the sums of a batch', () => {
  it('count every visit once in each table, with the XOR of its random bits', () => {
    fc.assert(
      fc.property(fc.array(anyVisit, { maxLength: 60 }), (visits) => {
        const { traffic, slots, sources } = sumBatch(visits);
        expect(add(traffic.visits)).toBe(visits.length);
        expect(add(slots.visits)).toBe(visits.length);
        expect(add(sources.visits)).toBe(visits.length);
        const all = xor(visits.map(checksumOf));
        expect(xor(traffic.checksums.map(BigInt))).toBe(all);
        expect(xor(sources.checksums.map(BigInt))).toBe(all);
      }),
    );
  });

  it('put each visit into its own link, quarter of an hour and class', () => {
    fc.assert(
      fc.property(fc.array(anyVisit, { maxLength: 40 }), (visits) => {
        const { traffic } = sumBatch(visits);
        traffic.linkIds.forEach((linkId, index) => {
          const from = Date.parse(traffic.buckets[index] ?? '');
          const inside = visits.filter(
            (visit) =>
              visit.linkId === linkId &&
              VISIT_CLASSES.indexOf(visit.class) === traffic.classes[index] &&
              visit.occurredAtMs >= from &&
              visit.occurredAtMs < from + 900_000,
          );
          expect(from % 900_000).toBe(0);
          expect(traffic.visits[index]).toBe(inside.length);
          expect(BigInt(traffic.checksums[index] ?? '-1')).toBe(xor(inside.map(checksumOf)));
        });
      }),
    );
  });

  it('come in one order whatever the order of the visits, so that two batches never deadlock', () => {
    fc.assert(
      fc.property(fc.array(anyVisit, { minLength: 2, maxLength: 40 }), (visits) => {
        const forward = sumBatch(visits);
        const backward = sumBatch([...visits].reverse());
        expect(backward.traffic).toEqual(forward.traffic);
        expect(backward.slots).toEqual(forward.slots);
        expect(backward.sources).toEqual(forward.sources);
        const ids = forward.slots.linkIds.map(BigInt);
        expect(ids).toEqual([...ids].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
      }),
    );
  });
});
