import type { Channel, ClassReason, OrphanVisitType, VisitClass } from '@hopcount/contracts';

/** What the consumer found out about any request. */
interface EnrichedRequest {
  eventId: string;
  /** Epoch milliseconds inside the event id. */
  occurredAtMs: number;
  class: VisitClass;
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

/** A decoded orphan visit with what the consumer found out about it: one row of orphan_visits. */
export interface EnrichedOrphan extends EnrichedRequest {
  type: OrphanVisitType;
  domain: string;
  path: string;
}

/** A decoded visit with everything the consumer found out about it: one row of the ledger. */
export interface EnrichedVisit extends EnrichedRequest {
  linkId: string;
  /** As `ip`. */
  visitor: string | null;
  os: string;
  osVersion: string | null;
  browser: string;
  browserVersion: string | null;
  device: string;
  network: string;
  referrerHost: string;
  language: string;
  /** Of the destination, and the one that was asked: as normaliseHost() of libs/hosts reads them; `~unknown` where it reads none. */
  targetHost: string;
  shortHost: string;
  destination: string | null;
  /** What decided the destination; null: the link's long URL. */
  route: string | null;
  channel: Channel;
  classReason: ClassReason;
  utm: Record<string, string | null> | null;
}

/**
 * Raised when rules, parser or geography data change; part of every ledger row and fold.
 * 2: networks, channels and reasons of classes are known. 3: apps' own requests, programs for mail and Apple's fetchers are no people.
 */
export const ENRICHMENT_VERSION = 3;
