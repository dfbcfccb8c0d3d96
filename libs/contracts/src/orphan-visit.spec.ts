import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { eventIdTimeMs } from './event-id.js';
import {
  decodeOrphanVisit,
  ORPHAN_VISIT_TYPES,
  orphanVisitTypeFromNumber,
  orphanVisitTypeNumber,
} from './orphan-visit.js';

const golden = readFileSync(new URL('../golden/orphan-visit.v1.json', import.meta.url));
const body = JSON.parse(golden.toString('utf8')) as Record<string, unknown>;

describe('an orphan visit', () => {
  it('of the golden sample decodes, to the same content', () => {
    const decoded = decodeOrphanVisit(golden);
    expect(decoded).toEqual({ outcome: 'ok', visit: body });
    if (decoded.outcome === 'ok') expect(decoded.visit.occurredAt).toBe(eventIdTimeMs(decoded.visit.eventId));
  });

  it.each([
    ['empty-value', null],
    ['not-json', '{'],
    ['unsupported-version', { ...body, version: 2 }],
    ['schema-mismatch', { ...body, eventId: 'x' }],
    ['schema-mismatch', { ...body, type: 'other' }],
    ['schema-mismatch', { ...body, path: 'x'.repeat(513) }],
    ['schema-mismatch', { ...body, clientIpHash: '203.0.113.7' }],
  ])('that is broken is refused as %s', (reason, value) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(decodeOrphanVisit(value === null ? null : Buffer.from(text))).toMatchObject({
      outcome: 'dead-letter',
      reason,
    });
  });

  it('has a type with a number that never changes', () => {
    expect(ORPHAN_VISIT_TYPES.map(orphanVisitTypeNumber)).toEqual([0, 1, 2, 3, 4]);
    expect(ORPHAN_VISIT_TYPES.map((_, index) => orphanVisitTypeFromNumber(index))).toEqual([...ORPHAN_VISIT_TYPES]);
    expect(() => orphanVisitTypeFromNumber(5)).toThrow(RangeError);
  });
});
