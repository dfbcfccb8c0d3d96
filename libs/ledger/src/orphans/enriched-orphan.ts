import type { OrphanVisitType, VisitClass } from '@hopcount/contracts';

/** A decoded orphan visit with what the consumer found out about it: one row of orphan_visits. */
export interface EnrichedOrphan {
  eventId: string;
  /** Epoch milliseconds inside the event id. */
  occurredAtMs: number;
  type: OrphanVisitType;
  class: VisitClass;
  domain: string;
  path: string;
  /** 64-bit keyed hash as signed decimal text; null when the visitor opted out. */
  ip: string | null;
  clientIp: string | null;
  latitude: number | null;
  longitude: number | null;
  /** UNKNOWN where nothing was found; never empty. */
  country: string;
  region: string;
  city: string;
  referrer: string | null;
  userAgent: string | null;
  truncated: string[];
  source: string;
}
