import { createHash } from 'node:crypto';

import { eventIdTimeMs, UNKNOWN, UNKNOWN_HOST } from '@hopcount/contracts';
import { createReadHost, targetHostOf } from '@hopcount/hosts';
import type { EnrichedVisit } from '@hopcount/ledger';
import {
  createIdentifyDevice,
  createJudgeVisit,
  createReadChannel,
  createReadReferrerHost,
} from '@hopcount/links/visitors';

import type { SourceVisit } from '../sources/source-visit.js';

/** `source` of imported visits: no gateway made them. */
const SOURCE = 'import';

const judge = createJudgeVisit();
const readChannel = createReadChannel();
const identifyDevice = createIdentifyDevice();
const readHost = createReadHost();
const readReferrerHost = createReadReferrerHost();
const NO_SIGNALS = { purpose: null, doNotTrack: false };

/**
 * What tells a visit from the others of its installation, as a UUID; several visits may have the same. Nothing that a
 * source finds out later, as the place, is part of it, nor the form it came in: one file may be read as several.
 */
export function identityOf(installation: string, visit: SourceVisit): string {
  const { key, occurredAt, referrer, userAgent } = visit;
  return toUuid(digestOf(['visit', installation, key, occurredAt, referrer, userAgent]));
}

/** The same id whenever it is imported: a UUIDv7 of the visit's time, whose other bits are of its identity and place among equals. */
export function eventIdOf(occurredAt: number, identity: string, ordinal: number): string {
  const bytes = digestOf(['event', identity, ordinal]);
  bytes.writeUIntBE(occurredAt, 0, 6);
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x70, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  return toUuid(bytes);
}

/** A row of the ledger, with what the source knew; there is nothing by which visitors could be told apart. */
export function toEnriched(visit: SourceVisit, linkId: string, eventId: string): EnrichedVisit {
  const judged = judge({ userAgent: visit.userAgent, signals: NO_SIGNALS });
  const referrerHost = visit.referrerHost ?? readReferrerHost(visit.referrer);
  const device = identifyDevice({ userAgent: visit.userAgent, clientHints: null });
  return {
    eventId,
    occurredAtMs: eventIdTimeMs(eventId),
    linkId,
    class: visit.class ?? (visit.userAgent === null ? 'human' : judged.class),
    visitor: null,
    ip: null,
    clientIp: null,
    latitude: visit.latitude,
    longitude: visit.longitude,
    country: visit.country ?? UNKNOWN,
    region: visit.region ?? UNKNOWN,
    city: visit.city ?? UNKNOWN,
    os: visit.os ?? device.os,
    osVersion: visit.osVersion ?? device.osVersion,
    browser: visit.browser ?? device.browser,
    browserVersion: visit.browserVersion ?? device.browserVersion,
    device: visit.device ?? device.device,
    network: visit.network ?? UNKNOWN,
    referrerHost,
    language: visit.language ?? UNKNOWN,
    targetHost: targetHostOf(visit.destination ?? '', readHost),
    // Nobody says which of its domains was asked there.
    shortHost: UNKNOWN_HOST,
    referrer: visit.referrer,
    userAgent: visit.userAgent,
    destination: visit.destination,
    route: visit.route,
    channel: visit.channel ?? readChannel({ ...visit, referrerHost, domain: '' }),
    classReason:
      visit.class === null
        ? visit.userAgent === null
          ? 'imported'
          : judged.reason
        : (visit.classReason ?? 'imported'),
    utm: visit.utm,
    truncated: [],
    source: SOURCE,
  };
}

function digestOf(parts: readonly (string | number | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
}

function toUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
