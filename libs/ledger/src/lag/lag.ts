/** Offsets as texts or numbers of the sources, all as bigint here. */
export interface LagSources {
  logEnds: { partition: number; low: bigint; high: bigint }[];
  committed: { partition: number; offset: bigint | null }[];
  checkpoints: { partition: number; nextOffset: bigint; lastRecordAt: Date | null; lost: bigint }[];
}

export interface PartitionLag {
  partition: number;
  logEnd: bigint;
  /** Every offset below is counted (PostgreSQL); null when nothing was counted yet. */
  checkpoint: bigint | null;
  /** Where Kafka believes the group is: a hint only. */
  committed: bigint | null;
  /** Records published and not counted yet. */
  pending: bigint;
  /** Removed by retention before they were counted: as consumers noted it, and as it is to be seen now. */
  lost: bigint;
  lastRecordAgeMs: number | null;
}

/**
 * Pending is held against the checkpoint, not against Kafka's committed offset: only what PostgreSQL
 * committed is counted. Records that retention removed before they were read cannot be pending: they are lost.
 */
export function computeLag(sources: LagSources, nowMs: number): PartitionLag[] {
  const committed = new Map(sources.committed.map((row) => [row.partition, row.offset]));
  const checkpoints = new Map(sources.checkpoints.map((row) => [row.partition, row]));
  return sources.logEnds
    .map(({ partition, low, high }) => {
      const checkpoint = checkpoints.get(partition);
      // A log end below the checkpoint: the topic was made anew and all of it waits to be read.
      const counted = checkpoint !== undefined && checkpoint.nextOffset <= high ? checkpoint.nextOffset : 0n;
      const from = counted > low ? counted : low;
      return {
        partition,
        logEnd: high,
        checkpoint: checkpoint?.nextOffset ?? null,
        committed: committed.get(partition) ?? null,
        pending: high > from ? high - from : 0n,
        lost: checkpoint === undefined ? 0n : checkpoint.lost + (low > counted ? low - counted : 0n),
        lastRecordAgeMs: checkpoint?.lastRecordAt == null ? null : nowMs - checkpoint.lastRecordAt.getTime(),
      };
    })
    .sort((a, b) => a.partition - b.partition);
}

export function totalLost(partitions: readonly PartitionLag[]): bigint {
  return partitions.reduce((sum, partition) => sum + partition.lost, 0n);
}

export function totalPending(partitions: readonly PartitionLag[]): bigint {
  return partitions.reduce((sum, partition) => sum + partition.pending, 0n);
}
