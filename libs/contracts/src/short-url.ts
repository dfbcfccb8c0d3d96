import type { OrphanVisitType } from './orphan-visit.js';

/** Shapes of Shlink's REST v3, answered by our own code (see shlink's published API). */
export interface VisitsSummary {
  total: number;
  nonBots: number;
  bots: number;
}

export interface ShortUrl {
  shortUrl: string;
  shortCode: string;
  longUrl: string;
  /** RFC 3339 in whole seconds with `+00:00`, as Shlink's clients compare it. */
  dateCreated: string;
  tags: string[];
  meta: { validSince: string | null; validUntil: string | null; maxVisits: number | null };
  /** null on the default domain. */
  domain: string | null;
  title: string | null;
  crawlable: boolean;
  forwardQuery: boolean;
  visitsSummary: VisitsSummary;
  hasRedirectRules: boolean;
  /** Ours: the immutable id (a snowflake) and the group. */
  id: string;
  groupId: string | null;
}

export interface Visit {
  referer: string;
  date: string;
  userAgent: string;
  visitLocation: VisitLocation | null;
  potentialBot: boolean;
  visitedUrl: string | null;
  redirectUrl: string | null;
  /** Ours. */
  eventId: string;
}

/** A request without a link; `visitedUrl` lacks its query string, which is not kept. */
export interface OrphanVisit extends Visit {
  type: OrphanVisitType;
}

/** Answer of GET visits: all there are. */
export interface VisitsOverview {
  visits: { nonOrphanVisits: VisitsSummary; orphanVisits: VisitsSummary };
}

/** Answer of DELETE short-urls/{code}/visits and of DELETE visits/orphan. */
export interface DeletedVisits {
  deletedVisits: number;
}

export interface VisitLocation {
  countryCode: string;
  countryName: string;
  regionName: string;
  cityName: string;
  latitude: number;
  longitude: number;
  timezone: string;
  isEmpty: boolean;
}

export interface Page<T> {
  data: T[];
  pagination: {
    currentPage: number;
    pagesCount: number;
    itemsPerPage: number;
    itemsInCurrentPage: number;
    totalItems: number;
  };
}
