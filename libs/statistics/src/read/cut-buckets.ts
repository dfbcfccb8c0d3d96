import { BUCKET_MS, bucketOf, type InstantRange, isBucketStart } from '@hopcount/ledger';

/**
 * Buckets in which a limit (an end of the range or the start of a point) falls: their counts cannot be
 * used whole. `ranges` is the part of each that lies in the range, to be counted visit by visit.
 * In today's zones only `from` and `to` can cut a bucket; some offsets of before 1972 were no multiple
 * of 15 minutes.
 */
export function cutBuckets(
  { from, to }: InstantRange,
  starts: readonly number[],
): { buckets: number[]; ranges: InstantRange[] } {
  const cut = [from, ...starts, to].filter((limit) => !isBucketStart(limit));
  const buckets = [...new Set(cut.map(bucketOf))];
  const ranges = buckets.map((bucket) => ({ from: Math.max(from, bucket), to: Math.min(to, bucket + BUCKET_MS) }));
  return { buckets, ranges };
}
