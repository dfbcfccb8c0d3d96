/** The quarter of an hour every count is kept by: all IANA offsets in use are multiples of it. */
export const BUCKET_MS = 900_000;

/** Start of the 15-minute UTC bucket that holds the instant. */
export function bucketOf(instant: number): number {
  return Math.floor(instant / BUCKET_MS) * BUCKET_MS;
}
