import type { PartitionLag } from './lag.js';

const FIRST_STEP_MS = 1_000;
const BISECTIONS = 3;

/** First offset of each partition whose record is of that instant (the broker's time) or later. */
type OffsetsAt = (timestampMs: number) => Promise<Map<number, bigint>>;

/**
 * How long the oldest record that is not counted has been in the log, by the broker's time: at least so long, and at most
 * an eighth longer. No record is read: the broker tells which offsets are older than an instant. 0: nothing is pending.
 */
export async function pendingAgeMs(
  lag: readonly PartitionLag[],
  { offsetsAt, nowMs, longestMs }: { offsetsAt: OffsetsAt; nowMs: number; longestMs: number },
): Promise<number> {
  const waiting = lag
    .filter(({ pending }) => pending > 0n)
    .map(({ partition, logEnd, pending }) => ({ partition, next: logEnd - pending }));
  if (waiting.length === 0) return 0;
  const isOlderThan = async (ageMs: number) => {
    const offsets = await offsetsAt(nowMs - ageMs);
    return waiting.some(({ partition, next }) => next < (offsets.get(partition) ?? 0n));
  };
  let atLeast = 0;
  let below = FIRST_STEP_MS;
  while (below < longestMs && (await isOlderThan(below))) {
    atLeast = below;
    below *= 2;
  }
  for (let step = 0; step < BISECTIONS; step += 1) {
    const middle = (atLeast + below) / 2;
    if (await isOlderThan(middle)) atLeast = middle;
    else below = middle;
  }
  return atLeast;
}
