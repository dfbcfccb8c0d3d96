import { CLASS_REASONS, visitClassNumber } from '@hopcount/contracts';
import { arrayLiteral } from '@hopcount/postgres';

import { ENRICHMENT_VERSION, type EnrichedVisit } from './enriched-visit.js';

/** Parameters of insert-visits.sql, in its order: one array a column, but for where all of them were imported from. */
export function visitColumns(visits: readonly EnrichedVisit[], importedFrom: string | null = null): unknown[] {
  return [
    column(visits, (visit) => new Date(visit.occurredAtMs).toISOString()),
    column(visits, (visit) => visit.eventId),
    column(visits, (visit) => visit.linkId),
    column(visits, (visit) => visit.visitor),
    column(visits, (visit) => visit.ip),
    column(visits, (visit) => visitClassNumber(visit.class)),
    ENRICHMENT_VERSION,
    column(visits, (visit) => visit.latitude),
    column(visits, (visit) => visit.longitude),
    column(visits, (visit) => visit.clientIp),
    column(visits, (visit) => visit.country),
    column(visits, (visit) => visit.region),
    column(visits, (visit) => visit.city),
    column(visits, (visit) => visit.os),
    column(visits, (visit) => visit.osVersion),
    column(visits, (visit) => visit.browser),
    column(visits, (visit) => visit.browserVersion),
    column(visits, (visit) => visit.device),
    column(visits, (visit) => visit.network),
    column(visits, (visit) => visit.referrerHost),
    column(visits, (visit) => visit.language),
    column(visits, (visit) => visit.referrer),
    column(visits, (visit) => visit.userAgent),
    column(visits, (visit) => visit.destination),
    column(visits, (visit) => (visit.utm === null ? null : JSON.stringify(visit.utm))),
    column(visits, (visit) => visit.truncated.join(',')),
    column(visits, (visit) => visit.source),
    column(visits, (visit) => visit.route),
    importedFrom,
    column(visits, (visit) => visit.channel),
    column(visits, (visit) => CLASS_REASONS.indexOf(visit.classReason)),
    column(visits, (visit) => visit.targetHost),
    column(visits, (visit) => visit.shortHost),
  ];
}

/** What tells visits apart, as parameters, for statements about those the insert left out. */
export type Identities = Readonly<Record<'times' | 'eventIds' | 'linkIds' | 'sources', unknown>>;

export function identitiesIn(columns: readonly unknown[]): Identities {
  return { times: columns[0], eventIds: columns[1], linkIds: columns[2], sources: columns[26] };
}

export function identitiesOf(visits: readonly EnrichedVisit[]): Identities {
  return {
    times: column(visits, (visit) => new Date(visit.occurredAtMs).toISOString()),
    eventIds: column(visits, (visit) => visit.eventId),
    linkIds: column(visits, (visit) => visit.linkId),
    sources: column(visits, (visit) => visit.source),
  };
}

function column<Value extends string | number | null>(
  visits: readonly EnrichedVisit[],
  read: (visit: EnrichedVisit) => Value,
) {
  return arrayLiteral(visits.map(read));
}
