import { BUCKET_MS, bucketOf } from '@hopcount/contracts';

export { BUCKET_MS, bucketOf };
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Instants are epoch milliseconds (UTC) everywhere in this lib; ranges are half-open: [from, to). */
export interface InstantRange {
  from: number;
  to: number;
}

/** Start of the first bucket that begins at or after the instant. */
export function nextBucketAt(instant: number): number {
  return -floorTo(-instant, BUCKET_MS) + 0;
}

export function isBucketStart(instant: number): boolean {
  return bucketOf(instant) === instant;
}

/** Start of the UTC hour that holds the instant. */
export function hourOf(instant: number): number {
  return floorTo(instant, HOUR_MS);
}

export function floorTo(instant: number, stepMs: number): number {
  return Math.floor(instant / stepMs) * stepMs;
}

/** As PostgreSQL parses it, to the millisecond. */
export function toIso(instant: number): string {
  return new Date(instant).toISOString();
}
