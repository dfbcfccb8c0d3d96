import type { VisitsByClass } from './visit-class.js';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The dimensions kept for every visit, in the order they are answered. */
export const DIMENSIONS = [
  'country',
  'region',
  'city',
  'os',
  'browser',
  'device',
  'network',
  'referrer',
  'language',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Stands for a value nobody could find out; so the values of a dimension always sum to the visits. */
export const UNKNOWN = 'unknown';
/** Referrer of a visit that names none. */
export const DIRECT = 'direct';

export interface SeriesPoint {
  /** RFC 3339 with the zone's offset at that instant: the two 02:00 of a 25-hour day differ. */
  start: string;
  visits: number;
  visitors: number;
  ips: number;
}

/** Answer of GET /rest/v3/short-urls/{code}/stats. The range is half-open: [startDate, endDate). */
export interface LinkStatistics {
  shortCode: string;
  domain: string | null;
  timeZone: string;
  startDate: string;
  endDate: string;
  interval: Interval;
  /** Every visit published before this instant is in these numbers; null when Kafka cannot be asked and nothing was counted yet. */
  countedUpTo: string | null;
  /** Events published and not counted yet, over all links; null when Kafka cannot be asked. */
  pending: number | null;
  /**
   * Visits of this range known not to be counted, over all links (gateways report per minute, not per
   * link): redirects answered without a durable visit, visits in a dead letter, and visits a gateway
   * made durable that never arrived. Whole minutes that touch the range.
   */
  uncounted: number;
  totals: { visits: number; visitors: number; ips: number; byClass: VisitsByClass };
  series: SeriesPoint[];
  dimensions: Record<Dimension, { value: string; visits: number }[]>;
  /** Which visits were read from where; the sums are the same whatever the split. */
  readFrom: { dayFolds: number; hourFolds: number; ledgerVisits: number };
  /** The licence of the geography data asks for this line. */
  attribution: string;
}

export const GEO_ATTRIBUTION = 'IP geolocation by DB-IP (https://db-ip.com), CC BY 4.0';
