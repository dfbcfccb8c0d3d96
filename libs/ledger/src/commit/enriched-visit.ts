import type { VisitClass } from '@hopcount/contracts';

/** A decoded visit with everything the consumer found out about it: one row of the ledger. */
export interface EnrichedVisit {
  eventId: string;
  /** Epoch milliseconds inside the event id. */
  occurredAtMs: number;
  linkId: string;
  class: VisitClass;
  /** 64-bit keyed hashes as signed decimal text; null when the visitor opted out. */
  visitor: string | null;
  ip: string | null;
  clientIp: string | null;
  latitude: number | null;
  longitude: number | null;
  /** UNKNOWN where nothing was found; never empty. */
  country: string;
  region: string;
  city: string;
  os: string;
  osVersion: string | null;
  browser: string;
  browserVersion: string | null;
  device: string;
  network: string;
  referrerHost: string;
  language: string;
  referrer: string | null;
  userAgent: string | null;
  destination: string | null;
  utm: Record<string, string | null> | null;
  truncated: string[];
  source: string;
}

/** Raised when rules, parser or geography data change; part of every ledger row and fold. */
export const ENRICHMENT_VERSION = 1;
