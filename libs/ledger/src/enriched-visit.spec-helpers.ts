import { eventIdTimeMs, UNKNOWN } from '@hopcount/contracts';
import { UuidV7Source } from '@hopcount/runtime';

import type { EnrichedVisit } from './commit/enriched-visit.js';

/** A ledger row with a fresh event id at `atMs` (now unless told). */
export function enrichedVisit(overrides: Partial<EnrichedVisit> & { atMs?: number } = {}): EnrichedVisit {
  const { atMs, ...fields } = overrides;
  const eventId = fields.eventId ?? new UuidV7Source(() => atMs ?? Date.now()).next();
  return {
    eventId,
    occurredAtMs: eventIdTimeMs(eventId),
    linkId: '1001',
    class: 'human',
    visitor: '-42',
    ip: '77',
    clientIp: '81.2.69.0',
    latitude: null,
    longitude: null,
    country: UNKNOWN,
    region: UNKNOWN,
    city: UNKNOWN,
    os: 'Linux',
    osVersion: null,
    browser: 'Firefox',
    browserVersion: '140',
    device: 'desktop',
    network: UNKNOWN,
    referrerHost: 'example.org',
    language: 'en',
    targetHost: 'example.com',
    shortHost: 's.test',
    referrer: null,
    userAgent: 'Mozilla/5.0',
    destination: 'https://example.com/',
    route: null,
    channel: 'direct',
    classReason: 'person',
    utm: null,
    truncated: [],
    source: 'gw-test',
    ...fields,
  };
}
