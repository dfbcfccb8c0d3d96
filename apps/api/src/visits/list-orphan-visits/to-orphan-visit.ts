import { isPotentialBot, type OrphanVisit } from '@hopcount/contracts';
import type { LoggedOrphan } from '@hopcount/statistics';

import { formatDate } from '../../http/dates.js';
import { toLocation } from '../list-visits/to-visit.js';

/** A recorded request without a link as clients see it. Pure. */
export function toOrphanVisit(orphan: LoggedOrphan, visitedUrl: string): OrphanVisit {
  return {
    referer: orphan.referrer ?? '',
    date: formatDate(new Date(orphan.occurredAt)),
    userAgent: orphan.userAgent ?? '',
    visitLocation: toLocation(orphan),
    potentialBot: isPotentialBot(orphan.class),
    visitedUrl,
    redirectUrl: null,
    type: orphan.type,
    eventId: orphan.eventId,
  };
}
