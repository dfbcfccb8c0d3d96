import { randomBytes } from 'node:crypto';

import { eventIdTimeMs, type OrphanVisitV1, type VisitEventV1 } from '@hopcount/contracts';

/** A fresh UUIDv7 (RFC 9562) of the given instant, wholly random otherwise. */
export function newEventId(timeMs: number = Date.now()): string {
  const random = randomBytes(10);
  random.writeUInt8((random.readUInt8(0) & 0x0f) | 0x70, 0);
  random.writeUInt8((random.readUInt8(2) & 0x3f) | 0x80, 2);
  const digits = timeMs.toString(16).padStart(12, '0') + random.toString('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * A valid visit.v1 whose id and time agree: give `eventId`, `occurredAt`, both (for an event that
 * contradicts itself) or neither.
 */
export function buildVisitEvent(overrides: Partial<VisitEventV1> = {}): VisitEventV1 {
  const eventId = overrides.eventId ?? newEventId(overrides.occurredAt);
  return {
    version: 1,
    occurredAt: eventIdTimeMs(eventId),
    linkId: '7300000000000000001',
    domain: 'localhost',
    code: 'abc1234',
    visitorId: randomBytes(16).toString('base64url'),
    clientIp: '198.51.100.0',
    clientIpHash: randomBytes(8).toString('hex'),
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    clientHints: null,
    referrer: 'https://example.org/some/page',
    acceptLanguage: 'de-CH,de;q=0.9,en;q=0.5',
    utm: null,
    method: 'GET',
    destination: 'https://example.com/target',
    groupId: null,
    signals: { purpose: null, doNotTrack: false },
    truncated: [],
    source: 'gateway-test',
    ...overrides,
    eventId,
  };
}

/** A valid orphan-visit.v1 of the given or a fresh event id. */
export function buildOrphanVisit(overrides: Partial<OrphanVisitV1> = {}): OrphanVisitV1 {
  const eventId = overrides.eventId ?? newEventId();
  return {
    version: 1,
    occurredAt: eventIdTimeMs(eventId),
    type: 'invalid_short_url',
    domain: 'localhost',
    path: '/no-such-code',
    clientIp: '198.51.100.0',
    clientIpHash: randomBytes(8).toString('hex'),
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
    referrer: null,
    signals: { purpose: null, doNotTrack: false },
    truncated: [],
    source: 'gateway-test',
    ...overrides,
    eventId,
  };
}

/** The Kafka record a gateway would publish for a visit: keyed by its event id. */
export function visitRecord(visit: VisitEventV1): { key: string; value: string; headers: Record<string, string> } {
  return { key: visit.eventId, value: JSON.stringify(visit), headers: {} };
}
