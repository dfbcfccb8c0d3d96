import { visitClassNumber } from '@hopcount/contracts';

import { ENRICHMENT_VERSION, type EnrichedVisit } from './enriched-visit.js';

/** Parameters of insert-visits.sql, in its order: one array a column. */
export function visitColumns(visits: readonly EnrichedVisit[]): unknown[] {
  return [
    visits.map((visit) => new Date(visit.occurredAtMs).toISOString()),
    visits.map((visit) => visit.eventId),
    visits.map((visit) => visit.linkId),
    visits.map((visit) => visit.visitor),
    visits.map((visit) => visit.ip),
    visits.map((visit) => visitClassNumber(visit.class)),
    ENRICHMENT_VERSION,
    visits.map((visit) => visit.latitude),
    visits.map((visit) => visit.longitude),
    visits.map((visit) => visit.clientIp),
    visits.map((visit) => visit.country),
    visits.map((visit) => visit.region),
    visits.map((visit) => visit.city),
    visits.map((visit) => visit.os),
    visits.map((visit) => visit.osVersion),
    visits.map((visit) => visit.browser),
    visits.map((visit) => visit.browserVersion),
    visits.map((visit) => visit.device),
    visits.map((visit) => visit.network),
    visits.map((visit) => visit.referrerHost),
    visits.map((visit) => visit.language),
    visits.map((visit) => visit.referrer),
    visits.map((visit) => visit.userAgent),
    visits.map((visit) => visit.destination),
    visits.map((visit) => (visit.utm === null ? null : JSON.stringify(visit.utm))),
    visits.map((visit) => visit.truncated.join(',')),
    visits.map((visit) => visit.source),
  ];
}
