import type { IncomingHttpHeaders } from 'node:http';

import { eventIdTimeMs, TEXT_LIMITS, type VisitEventV1 } from '@hopcount/contracts';

import { cutText, decodeHeader } from './clean-text.js';
import { describeAgent } from './describe-agent.js';
import { campaignOf } from './utm-fields.js';

/** What is known of one answered redirect. */
export interface VisitFacts {
  /** UUIDv7; its time is the visit's. */
  eventId: string;
  link: { id: string; domain: string; code: string; longUrl: string; groupId: string | null };
  /** The one that was asked. */
  host: string;
  destination: string;
  /** What decided where the visitor went; undefined: nothing but the link's long URL. */
  route?: string | undefined;
  visitorId: string | null;
  clientIp: string | null;
  clientIpHash: string | null;
  doNotTrack: boolean;
  /** Whether this client follows this link more often than anybody does. */
  isFlood: boolean;
  headers: IncomingHttpHeaders;
  /** Raw query string without the question mark. */
  query: string;
  /** Name of this gateway process's life. */
  source: string;
}

/** Request facts → `visit.v1`, every text storable and within its limit. Never throws. */
export function describeVisit(facts: VisitFacts): VisitEventV1 {
  const { headers, link } = facts;
  const truncated: string[] = [];
  const required = (field: keyof typeof TEXT_LIMITS, value: string): string => {
    const text = cutText(value, TEXT_LIMITS[field]);
    if (text.length < value.length && value.length > TEXT_LIMITS[field]) truncated.push(field);
    return text;
  };
  const optional = (field: keyof typeof TEXT_LIMITS, value: string | undefined, name: string = field) => {
    if (value === undefined) return null;
    const decoded = decodeHeader(value);
    const text = cutText(decoded, TEXT_LIMITS[field]);
    if (decoded.length > TEXT_LIMITS[field]) truncated.push(name);
    return text;
  };
  return {
    version: 1,
    eventId: facts.eventId,
    occurredAt: eventIdTimeMs(facts.eventId),
    linkId: link.id,
    domain: required('domain', link.domain),
    code: required('code', link.code),
    // What most visits would only repeat.
    ...(facts.host === link.domain || facts.host.length > TEXT_LIMITS.domain ? {} : { host: facts.host }),
    visitorId: facts.visitorId,
    clientIp: facts.clientIp,
    clientIpHash: facts.clientIpHash,
    ...describeAgent(headers, optional),
    referrer: optional('referrer', headers.referer),
    acceptLanguage: optional('acceptLanguage', headers['accept-language']),
    utm: campaignOf({ query: facts.query, destination: facts.destination, longUrl: link.longUrl }, (name, value) => {
      const text = cutText(value, TEXT_LIMITS.utm);
      if (value.length > TEXT_LIMITS.utm) truncated.push(`utm.${name}`);
      return text;
    }),
    method: 'GET',
    destination: required('destination', facts.destination),
    ...(facts.route === undefined ? {} : { route: facts.route }),
    groupId: link.groupId,
    ...(facts.isFlood && { isFlood: true }),
    signals: { purpose: optional('purpose', purposeOf(headers)), doNotTrack: facts.doNotTrack },
    truncated,
    source: facts.source,
  };
}

/** The headers by which browsers say "nobody has clicked yet", the standard one first. */
export function purposeOf(headers: IncomingHttpHeaders): string | undefined {
  return (headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz']) as
    string | undefined;
}

/** True when the visitor asked not to be tracked (DNT, Global Privacy Control). */
export function asksNotToBeTracked(headers: IncomingHttpHeaders): boolean {
  return headers['dnt'] === '1' || headers['sec-gpc'] === '1';
}
