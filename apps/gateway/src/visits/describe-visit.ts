import { eventIdTimeMs, TEXT_LIMITS } from '@hopcount/contracts';

import type { RequestHeaders } from '../front/exchange.js';
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
  headers: RequestHeaders;
  /** Raw query string without the question mark. */
  query: string;
  /** Name of this gateway process's life. */
  source: string;
}

type Field = keyof typeof TEXT_LIMITS;

/** Text that is its own JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Request facts → the JSON of `visit.v1`, with its fields in the schema's order and every text storable and within its limit: the
 * bytes of JSON.stringify, without making the object first. Never throws.
 */
export function describeVisit(facts: VisitFacts): string {
  const { headers, link, eventId, host } = facts;
  const truncated: string[] = [];
  const text = (field: Field, value: string): string => {
    if (value.length > TEXT_LIMITS[field]) truncated.push(field);
    else if (PLAIN.test(value)) return `"${value}"`;
    return JSON.stringify(cutText(value, TEXT_LIMITS[field]));
  };
  const header = (field: Field, value: string | undefined, name: string = field): string => {
    if (value === undefined) return 'null';
    if (value.length <= TEXT_LIMITS[field] && PLAIN.test(value)) return `"${value}"`;
    const decoded = decodeHeader(value);
    if (decoded.length > TEXT_LIMITS[field]) truncated.push(name);
    return JSON.stringify(cutText(decoded, TEXT_LIMITS[field]));
  };
  const ofLink = `"linkId":${quoted(link.id)},"domain":${text('domain', link.domain)},"code":${text('code', link.code)}`;
  const { userAgent, clientHints } = describeAgent(headers, header);
  const hints =
    clientHints && `{"brands":${clientHints.brands},"mobile":${clientHints.mobile},"platform":${clientHints.platform}}`;
  const referrer = header('referrer', headers.referer);
  const language = header('acceptLanguage', headers['accept-language']);
  const utm = campaignOf(
    { query: facts.query, destination: facts.destination, longUrl: link.longUrl },
    (name, value) => {
      if (value.length > TEXT_LIMITS.utm) truncated.push(`utm.${name}`);
      return cutText(value, TEXT_LIMITS.utm);
    },
  );
  const destination = text('destination', facts.destination);
  const purpose = header('purpose', purposeOf(headers));
  return (
    `{"version":1,"eventId":"${eventId}","occurredAt":${eventIdTimeMs(eventId)},${ofLink}` +
    // What most visits would only repeat.
    (host === link.domain || host.length > TEXT_LIMITS.domain ? '' : `,"host":${quoted(host)}`) +
    `,"visitorId":${quoted(facts.visitorId)},"clientIp":${quoted(facts.clientIp)},"clientIpHash":${quoted(facts.clientIpHash)}` +
    `,"userAgent":${userAgent},"clientHints":${hints},"referrer":${referrer},"acceptLanguage":${language}` +
    `,"utm":${utm === null ? 'null' : JSON.stringify(utm)},"method":"GET","destination":${destination}` +
    (facts.route === undefined ? '' : `,"route":${quoted(facts.route)}`) +
    `,"groupId":${quoted(link.groupId)}${facts.isFlood ? ',"isFlood":true' : ''}` +
    `,"signals":{"purpose":${purpose},"doNotTrack":${facts.doNotTrack}}` +
    `,"truncated":${truncated.length === 0 ? '[]' : JSON.stringify(truncated)},"source":${quoted(facts.source)}}`
  );
}

function quoted(value: string | null): string {
  if (value === null) return 'null';
  return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** The headers by which browsers say "nobody has clicked yet", the standard one first. */
export function purposeOf(headers: RequestHeaders): string | undefined {
  return (headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-purpose'] ?? headers['x-moz']) as
    string | undefined;
}

/** True when the visitor asked not to be tracked (DNT, Global Privacy Control). */
export function asksNotToBeTracked(headers: RequestHeaders): boolean {
  return headers['dnt'] === '1' || headers['sec-gpc'] === '1';
}
