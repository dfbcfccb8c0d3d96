import { isPotentialBot, UNKNOWN, type Visit, type VisitLocation } from '@hopcount/contracts';
import type { LoggedVisit } from '@hopcount/statistics';

import { formatDate } from '../../http/dates.js';

const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' });

/** A row of the access log as clients see it. Pure. */
export function toVisit(visit: LoggedVisit, visitedUrl: string | null): Visit {
  return {
    referer: visit.referrer ?? '',
    date: formatDate(new Date(visit.occurredAt)),
    userAgent: visit.userAgent ?? '',
    visitLocation: toLocation(visit),
    potentialBot: isPotentialBot(visit.class),
    visitedUrl,
    redirectUrl: visit.destination,
    eventId: visit.eventId,
    ...(visit.importedFrom !== null && { importedFrom: visit.importedFrom }),
  };
}

export function toLocation(
  visit: Pick<LoggedVisit, 'country' | 'region' | 'city' | 'latitude' | 'longitude'>,
): VisitLocation | null {
  if (visit.country === UNKNOWN) return null;
  return {
    countryCode: visit.country,
    countryName: countryName(visit.country),
    regionName: known(visit.region),
    cityName: known(visit.city),
    latitude: visit.latitude ?? 0,
    longitude: visit.longitude ?? 0,
    // The geography data name no zone.
    timezone: '',
    isEmpty: false,
  };
}

function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : code;
}

function known(value: string): string {
  return value === UNKNOWN ? '' : value;
}
