import { BUCKET_MS, bucketOf } from '@hopcount/contracts';

import { WINDOW_MS } from './host-windows.js';

const WINDOWS_IN_BUCKET = BUCKET_MS / WINDOW_MS;
const DAY_MS = 86_400_000;
const WEEKS = 4;
/** Fewer weeks than that say nothing of a week's course. */
const MIN_WEEKS = 2;
/** Two hours. */
const RECENT_BUCKETS = 8;

/** What was usual, of five minutes. */
export interface SurgeBase {
  visits: number;
  /** Median absolute deviation of what it was made of. */
  deviation: number;
  /** Too little is known of the host. */
  isNew: boolean;
}

/** What is known of a host's past: visits with those below it, in buckets of 15 minutes. */
export interface HostPast {
  /** @returns undefined: not known, as of before the host was first seen; also of buckets it surged in */
  visitsIn(bucket: number): number | undefined;
  /** What the reporting zone's clock showed as `instant` so many days ago; so a week's course keeps its hour when clocks change. */
  daysBefore(instant: number, days: number): number;
}

/**
 * What a window that ends at `at` is held against: the larger of the bases of both buckets it touches, since a window at the end of
 * a weekly mailing has still the mailing's visits.
 */
export function surgeBase(past: HostPast, at: number): SurgeBase {
  const buckets = bucketsOf(at);
  const now = baseOfBucket(past, buckets.now);
  if (buckets.before === buckets.now) return now;
  const earlier = baseOfBucket(past, buckets.before);
  return !earlier.isNew && (now.isNew || earlier.visits > now.visits) ? earlier : now;
}

/** The larger of: the median of that time of day in the last four weeks, 15 minutes more or less; the median of the last two hours. */
function baseOfBucket(past: HostPast, bucket: number): SurgeBase {
  const around = (days: number) => {
    const then = bucketOf(past.daysBefore(bucket, days));
    return known([then - BUCKET_MS, then, then + BUCKET_MS].map((one) => past.visitsIn(one)));
  };
  const weeks = Array.from({ length: WEEKS }, (_, index) => around(7 * (index + 1))).filter(({ length }) => length > 0);
  const usual = weeks.length >= MIN_WEEKS ? weeks.flat() : around(1);
  const recent = known(
    Array.from({ length: RECENT_BUCKETS }, (_, index) => past.visitsIn(bucket - (index + 1) * BUCKET_MS)),
  );
  const samples = [usual, recent].filter(({ length }) => length > 0);
  if (usual.length === 0 && recent.length < RECENT_BUCKETS / 2) return { visits: 0, deviation: 0, isNew: true };
  const bases = samples.map((values) => {
    const middle = median(values);
    return { visits: middle, deviation: median(values.map((value) => Math.abs(value - middle))) };
  });
  const { visits, deviation } = bases.reduce((one, other) => (other.visits > one.visits ? other : one));
  return { visits: visits / WINDOWS_IN_BUCKET, deviation: deviation / WINDOWS_IN_BUCKET, isNew: false };
}

/** Of days of 24 hours, for reports in UTC. */
export function utcDaysBefore(instant: number, days: number): number {
  return instant - days * DAY_MS;
}

/** Those a window that ends at `at` touches: mostly one. */
export function bucketsOf(at: number): { now: number; before: number } {
  return { now: bucketOf(at - 1), before: bucketOf(at - WINDOW_MS) };
}

function known(values: (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
