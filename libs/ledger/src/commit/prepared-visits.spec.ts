import { CLASS_REASONS, VISIT_CLASSES } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { enrichedVisit } from '../enriched-visit.spec-helpers.js';
import type { EnrichedVisit } from './enriched-visit.js';
import { foldHours } from './fold-hours.js';
import { visitsInHand } from './prepared-visits.js';

const START_MS = Date.UTC(2026, 9, 25);
const text = fc.oneof(
  fc.constantFrom('a\0b', '\ud800', 'é', '🦣', 'x'.repeat(300), '\t\r\n\\N'),
  fc.string({ minLength: 1 }),
);
const anyVisit = fc
  .record({
    offsetMs: fc.integer({ min: 0, max: 7_200_000 }),
    linkId: fc.constantFrom('7', '70', '9223372036854775807', '9999999999999999999'),
    class: fc.constantFrom(...VISIT_CLASSES),
    classReason: fc.constantFrom(...CLASS_REASONS),
    visitor: fc.constantFrom(null, '-9223372036854775808', '0'),
    ip: fc.constantFrom(null, '77'),
    clientIp: fc.constantFrom(null, '81.2.69.0', '2001:db8::'),
    latitude: fc.constantFrom(null, 47.3769),
    longitude: fc.constantFrom(null, -179.5),
    osVersion: fc.option(text),
    city: text,
    referrer: fc.option(text),
    userAgent: fc.option(text),
    destination: fc.option(text),
    route: fc.constantFrom(null, 'rule:1'),
    utm: fc.constantFrom(null, { source: 'ä"\\', medium: null }),
    truncated: fc.subarray(['referrer', 'userAgent']),
    source: fc.constantFrom('gw-a', 'gw-b'),
  })
  .map(({ offsetMs, ...fields }) => enrichedVisit({ ...fields, atMs: START_MS + offsetMs }));

/** As PostgreSQL holds it. */
function asStored(visit: EnrichedVisit): EnrichedVisit {
  const entries = Object.entries(visit).map(([name, value]: [string, unknown]) => {
    if (typeof value === 'string') return [name, Buffer.from(value).toString()];
    return [name, name.endsWith('itude') && typeof value === 'number' ? Math.fround(value) : value];
  });
  return Object.fromEntries(entries) as EnrichedVisit;
}

describe('the visits of a batch', () => {
  it('are given back as they were taken, each once and in key order, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyVisit, { maxLength: 30 }), async (visits) => {
        const source = visitsInHand([...visits, ...visits.slice(0, 3)]);
        const stored = [...visits].sort((a, b) => (a.eventId < b.eventId ? -1 : 1)).map(asStored);
        expect(source.prepared.given).toBe(visits.length + Math.min(visits.length, 3));
        expect(source.prepared.eventIds).toEqual(stored.map(({ eventId }) => eventId));
        expect(await source.pick({ eventIds: new Set(source.prepared.eventIds) })).toEqual(stored);
        const ofLink = stored.filter(({ linkId }) => linkId === '70');
        expect(await source.pick({ linkIds: new Set(['70']) })).toEqual(ofLink);
        expect(await source.foldHours(new Map([['70', 0]]))).toEqual(foldHours(ofLink, () => 0));
      }),
    );
  });
});
