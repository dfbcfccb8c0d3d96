import { eventIdTimeMs, type OrphanVisitV1 } from '@hopcount/contracts';
import type { EnrichedOrphan } from '@hopcount/ledger';

import type { createClassifyVisit } from '../enrich/classify-visit.js';
import { readIpHash } from '../enrich/hash-visitor.js';
import type { createLocateVisitor } from '../enrich/locate-visitor.js';

export interface OrphanEnrichments {
  classifyVisit: ReturnType<typeof createClassifyVisit>;
  locateVisitor: ReturnType<typeof createLocateVisitor>;
}

/** A decoded orphan visit → one row of its table, by the rules of visits. Never fails. */
export function createEnrichOrphan(steps: OrphanEnrichments) {
  return function enrichOrphan(orphan: OrphanVisitV1): EnrichedOrphan {
    const place = steps.locateVisitor(orphan.clientIp);
    return {
      eventId: orphan.eventId,
      occurredAtMs: eventIdTimeMs(orphan.eventId),
      type: orphan.type,
      class: steps.classifyVisit(orphan),
      domain: orphan.domain,
      path: orphan.path,
      ip: readIpHash(orphan.clientIpHash),
      clientIp: place.address,
      latitude: place.latitude,
      longitude: place.longitude,
      country: place.country,
      region: place.region,
      city: place.city,
      referrer: orphan.referrer,
      userAgent: orphan.userAgent,
      truncated: orphan.truncated,
      source: orphan.source,
    };
  };
}
