import {
  eventIdTimeMs,
  ORPHAN_PATH_LIMIT,
  type OrphanVisitType,
  type OrphanVisitV1,
  TEXT_LIMITS,
} from '@hopcount/contracts';

import type { RequestHeaders } from '../front/exchange.js';
import { pathOf } from '../redirect/request-target.js';
import { cutText, decodeHeader } from '../visits/clean-text.js';
import { purposeOf } from '../visits/describe-visit.js';

/** What is known of one request that was not sent on. */
export interface OrphanFacts {
  /** UUIDv7; its time is the orphan visit's. */
  eventId: string;
  type: OrphanVisitType;
  domain: string;
  /** Target of the request as Node hands it over, query string included. */
  url: string;
  clientIp: string | null;
  clientIpHash: string | null;
  doNotTrack: boolean;
  headers: RequestHeaders;
  source: string;
}

/** Which kind a request is that has no link: `code` is what could be read as one. */
export function orphanTypeOf(url: string, code: string | undefined): Exclude<OrphanVisitType, 'blocked' | 'held_back'> {
  if (code !== undefined) return 'invalid_short_url';
  return pathOf(url) === '/' ? 'base_url' : 'regular_404';
}

/** Request facts → `orphan-visit.v1`, every text storable and within its limit. Never throws. */
export function describeOrphan(facts: OrphanFacts): OrphanVisitV1 {
  const truncated: string[] = [];
  const cut = (field: string, text: string, limit: number): string => {
    if (text.length > limit) truncated.push(field);
    return cutText(text, limit);
  };
  const header = (field: 'userAgent' | 'referrer' | 'purpose', value: string | undefined) =>
    value === undefined ? null : cut(field, decodeHeader(value), TEXT_LIMITS[field]);
  return {
    version: 1,
    eventId: facts.eventId,
    occurredAt: eventIdTimeMs(facts.eventId),
    type: facts.type,
    domain: cut('domain', facts.domain, TEXT_LIMITS.domain),
    path: cut('path', decodeHeader(pathOf(facts.url)), ORPHAN_PATH_LIMIT),
    clientIp: facts.clientIp,
    clientIpHash: facts.clientIpHash,
    userAgent: header('userAgent', facts.headers['user-agent']),
    referrer: header('referrer', facts.headers.referer),
    signals: { purpose: header('purpose', purposeOf(facts.headers)), doNotTrack: facts.doNotTrack },
    truncated,
    source: facts.source,
  };
}
