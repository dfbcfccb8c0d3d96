export interface PartitionPositions {
  /** PostgreSQL: every offset below is counted; 0 when there is no checkpoint. */
  checkpoint: bigint;
  /** Kafka's committed offset of the group; null when there is none. */
  committed: bigint | null;
  /** First offset the log still has, and the one the next record will get. */
  low: bigint;
  high: bigint;
}

export interface StartDecision {
  start: bigint;
  /**
   * Below this offset no `done` mark is believed: the ledger decides alone. It is the log's end: what was there
   * before this assignment may have been counted, marked, and lost again with a database that was set back, and
   * whoever sets the group back as well leaves no trace of that in the offsets.
   */
  trustClaimsFrom: bigint;
  /** The checkpoint is to be set back to 0 first. */
  restartTopic: boolean;
  /** No mark of before is to be believed by anyone: claim keys get another prefix. */
  renewIncarnation: boolean;
  reason: 'usual' | 'first-read' | 'topic-made-anew' | 'ledger-restored' | 'replay' | 'group-reset';
}

/**
 * Where to start reading a partition. Reading too early costs time (the ledger refuses duplicates);
 * reading too late costs visits, so every doubt goes back:
 * - The log ends below the checkpoint: the topic was made anew; its offsets mean other visits.
 * - Kafka is ahead of the checkpoint, which a commit never leaves behind: the database was restored
 *   from a backup; marks in Redis tell of rows that are gone.
 * - Kafka is behind: a crash between the two commits, or an operator's replay; both read again.
 * - Kafka knows nothing but the ledger does: the group was deleted or expired; read what there is.
 */
export function decideStart(positions: PartitionPositions): StartDecision {
  const { checkpoint, committed, low, high } = positions;
  const decision = (reason: StartDecision['reason'], wanted: bigint): StartDecision => ({
    start: wanted < low ? low : wanted > high ? high : wanted,
    trustClaimsFrom: high,
    restartTopic: reason === 'topic-made-anew',
    renewIncarnation: reason === 'topic-made-anew' || reason === 'ledger-restored',
    reason,
  });
  if (high < checkpoint) return decision('topic-made-anew', low);
  if (committed === null) {
    return decision(checkpoint === 0n ? 'first-read' : 'group-reset', low);
  }
  if (committed > checkpoint) return decision('ledger-restored', checkpoint);
  return decision(committed < checkpoint ? 'replay' : 'usual', committed);
}
