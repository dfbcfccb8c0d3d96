import { loadSql, type Transaction } from '@hopcount/postgres';

import { keyOf, type OwnedCheckpoint } from './checkpoint.js';
import { fenced } from './partition-checkpoints.js';

const ADVANCE_CHECKPOINT = loadSql(import.meta.url, 'sql/advance-checkpoint.sql');

export interface CheckpointAdvance {
  checkpoint: OwnedCheckpoint;
  /** Offset after the batch's last record, countable or not. */
  nextOffset: bigint;
  /** Broker's time of that record, epoch milliseconds; null for an empty batch. */
  lastRecordAtMs: number | null;
}

/**
 * The first statement of every commit: the fence.
 * @throws AppError `checkpoint-fenced`: another owner, or another database than the owner knew
 */
export async function advanceCheckpoint(tx: Transaction, advance: CheckpointAdvance): Promise<OwnedCheckpoint> {
  const { checkpoint } = advance;
  const { rows } = await tx.execute<{ next_offset: string }>(ADVANCE_CHECKPOINT, [
    ...keyOf(checkpoint),
    checkpoint.epoch.toString(),
    checkpoint.nextOffset.toString(),
    advance.nextOffset.toString(),
    advance.lastRecordAtMs === null ? null : new Date(advance.lastRecordAtMs).toISOString(),
  ]);
  const row = rows[0];
  if (row === undefined) throw fenced(checkpoint);
  return { ...checkpoint, nextOffset: BigInt(row.next_offset) };
}
