import type { PartitionProgress } from '@hopcount/ledger';

export interface PartitionEnd {
  partition: number;
  /** Offset the next record will get. */
  high: bigint;
}

export interface Freshness {
  /** Every visit published before this instant is counted; null when that is not known. */
  countedUpTo: number | null;
  /** Records published and not counted yet; null when Kafka cannot be asked. */
  pending: number | null;
}

/**
 * How complete a snapshot is. The log ends must have been read before the snapshot was taken: what was
 * published by then is either counted in it or pending. When nothing is pending all of it is counted, so
 * the numbers are complete up to the moment the ends were read; else each lagging partition is complete
 * up to its last counted record, and the answer is the earliest of those.
 * Without Kafka (`logEnd` null) every partition may lag.
 */
export function describeFreshness(known: {
  checkpoints: readonly PartitionProgress[];
  logEnd: readonly PartitionEnd[] | null;
  logEndReadAt: number;
}): Freshness {
  const { checkpoints, logEnd, logEndReadAt } = known;
  if (logEnd === null) return { countedUpTo: earliest(checkpoints.map((row) => row.lastRecordAt)), pending: null };
  const progress = new Map(checkpoints.map((row) => [row.partition, row]));
  let pending = 0n;
  const lagging: (number | null)[] = [];
  for (const { partition, high } of logEnd) {
    const lag = high - (progress.get(partition)?.nextOffset ?? 0n);
    if (lag <= 0n) continue;
    pending += lag;
    lagging.push(progress.get(partition)?.lastRecordAt ?? null);
  }
  return { countedUpTo: lagging.length === 0 ? logEndReadAt : earliest(lagging), pending: Number(pending) };
}

/** null when there is nothing, or when one of them never counted a record: then no instant is sure. */
function earliest(instants: readonly (number | null)[]): number | null {
  let result: number | null = null;
  for (const instant of instants) {
    if (instant === null) return null;
    if (result === null || instant < result) result = instant;
  }
  return result;
}
