import { isEventId } from './event-id.js';
import { TEXT_LIMITS } from './text-limits.js';
import type { VisitEventV1 } from './visit-event.js';

type Fields = Record<string, unknown>;

const LINK_ID = /^[1-9][0-9]{0,18}$/;
const IP_HASH = /^[0-9a-f]{16}$/;
const REQUIRED_FIELDS = 20;
const VISITOR_ID_LENGTH = 64;
const CLIENT_IP_LENGTH = 45;

/**
 * Whether a parsed body is a visit that the schema takes as it is, with no field it would drop. It may say no to one: then
 * the schema is asked, which alone refuses anything and says why. Held against it by property test.
 */
export function isPlainVisit(body: unknown): body is VisitEventV1 {
  if (typeof body !== 'object' || body === null) return false;
  const visit = body as Fields;
  const { host, route, isFlood } = visit;
  const optional = Number(host !== undefined) + Number(route !== undefined) + Number(isFlood !== undefined);
  return (
    Object.keys(visit).length === REQUIRED_FIELDS + optional &&
    visit['version'] === 1 &&
    visit['method'] === 'GET' &&
    isIdentified(visit) &&
    isAnswered(visit) &&
    isSentBy(visit) &&
    (host === undefined || isText(host, TEXT_LIMITS.domain)) &&
    (route === undefined || isText(route, TEXT_LIMITS.route)) &&
    (isFlood === undefined || isFlood === true)
  );
}

function isIdentified({ eventId, occurredAt, linkId }: Fields): boolean {
  const isTime = typeof occurredAt === 'number' && Number.isSafeInteger(occurredAt) && occurredAt >= 0;
  return (
    isTime && typeof eventId === 'string' && isEventId(eventId) && typeof linkId === 'string' && LINK_ID.test(linkId)
  );
}

function isAnswered({ domain, code, destination, groupId, truncated, source }: Fields): boolean {
  return (
    isText(domain, TEXT_LIMITS.domain) &&
    isText(code, TEXT_LIMITS.code) &&
    isText(destination, TEXT_LIMITS.destination) &&
    isText(source, TEXT_LIMITS.source) &&
    (groupId === null || typeof groupId === 'string') &&
    Array.isArray(truncated) &&
    truncated.every((name) => typeof name === 'string')
  );
}

function isSentBy(visit: Fields): boolean {
  const { clientIpHash, clientHints, utm, signals } = visit;
  return (
    isTextOrNull(visit['visitorId'], VISITOR_ID_LENGTH) &&
    isTextOrNull(visit['clientIp'], CLIENT_IP_LENGTH) &&
    (clientIpHash === null || (typeof clientIpHash === 'string' && IP_HASH.test(clientIpHash))) &&
    isTextOrNull(visit['userAgent'], TEXT_LIMITS.userAgent) &&
    isTextOrNull(visit['referrer'], TEXT_LIMITS.referrer) &&
    isTextOrNull(visit['acceptLanguage'], TEXT_LIMITS.acceptLanguage) &&
    (clientHints === null || areTextsOrNull(clientHints, HINTS, TEXT_LIMITS.clientHint)) &&
    (utm === null || areTextsOrNull(utm, UTM, TEXT_LIMITS.utm)) &&
    areSignals(signals)
  );
}

const HINTS = ['brands', 'mobile', 'platform'];
const UTM = ['source', 'medium', 'campaign', 'term', 'content'];

function areTextsOrNull(value: unknown, names: readonly string[], limit: number): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== names.length) return false;
  return names.every((name) => isTextOrNull((value as Fields)[name], limit));
}

function areSignals(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return false;
  const { purpose, doNotTrack } = value as Fields;
  return isTextOrNull(purpose, TEXT_LIMITS.purpose) && typeof doNotTrack === 'boolean';
}

function isText(value: unknown, limit: number): boolean {
  return typeof value === 'string' && value.length <= limit;
}

function isTextOrNull(value: unknown, limit: number): boolean {
  return value === null || isText(value, limit);
}
