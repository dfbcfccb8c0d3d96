import { type Database, loadSql } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { keyOf, type OwnedCheckpoint, type PartitionRef } from './checkpoint.js';

const TAKE_OWNERSHIP = loadSql(import.meta.url, 'sql/take-ownership.sql');
const RESTART_TOPIC = loadSql(import.meta.url, 'sql/restart-topic.sql');
const RECORD_LOSS = loadSql(import.meta.url, 'sql/record-loss.sql');
const READ_INCARNATION = 'SELECT incarnation FROM ledger_incarnation';
const RENEW_INCARNATION = loadSql(import.meta.url, 'sql/renew-incarnation.sql');

/** How far each partition is counted, and who may count on. */
export class PartitionCheckpoints {
  constructor(private readonly database: Database) {}

  /**
   * Makes `owner` the only one who can commit this partition: waits for a transaction the previous
   * owner has open, then fences it with a higher epoch. `nextOffset` is 0 for a partition never read.
   */
  async takeOwnership(ref: PartitionRef, owner: string): Promise<OwnedCheckpoint> {
    const rows = await this.database.query<{ owner_epoch: string; next_offset: string }>(TAKE_OWNERSHIP, [
      ...keyOf(ref),
      owner,
    ]);
    const row = rows[0];
    if (row === undefined) throw new Error('take-ownership.sql returned no row');
    return { ...ref, epoch: BigInt(row.owner_epoch), nextOffset: BigInt(row.next_offset) };
  }

  /**
   * The topic was made anew (its log ends below the checkpoint): offsets start over.
   * @throws AppError `checkpoint-fenced` when the partition has another owner by now
   */
  async restartTopic(owned: OwnedCheckpoint): Promise<OwnedCheckpoint> {
    const rows = await this.database.execute(RESTART_TOPIC, [...keyOf(owned), owned.epoch.toString()]);
    if (rows.affected !== 1) throw fenced(owned);
    return { ...owned, nextOffset: 0n };
  }

  /**
   * The log begins at `logStart`, beyond the checkpoint: what lies between was never counted and is gone.
   * Writes that down and moves the checkpoint past it, in one statement. Resolves with the number of
   * records lost; 0 when another group of this ledger had counted them all.
   * @throws AppError `checkpoint-fenced` when the partition has another owner by now
   */
  async recordLoss(owned: OwnedCheckpoint, logStart: bigint): Promise<{ checkpoint: OwnedCheckpoint; lost: bigint }> {
    const values = [...keyOf(owned), owned.epoch.toString(), owned.nextOffset.toString(), logStart.toString()];
    const { rows } = await this.database.execute<{ lost: string }>(RECORD_LOSS, values);
    const row = rows[0];
    if (row === undefined) throw fenced(owned);
    return { checkpoint: { ...owned, nextOffset: logStart }, lost: BigInt(row.lost) };
  }

  /** Part of every claim key: marks made for an earlier incarnation of the ledger are never believed. */
  async incarnation(): Promise<string> {
    const rows = await this.database.query<{ incarnation: string }>(READ_INCARNATION);
    return onlyIncarnation(rows);
  }

  async renewIncarnation(reason: string): Promise<string> {
    const { rows } = await this.database.execute<{ incarnation: string }>(RENEW_INCARNATION, [reason]);
    return onlyIncarnation(rows);
  }
}

export function fenced(owned: OwnedCheckpoint): AppError {
  return new AppError(
    'checkpoint-fenced',
    `Partition ${owned.topic}[${owned.partition}] is owned by another consumer, or its checkpoint moved without us.`,
    { retryable: false, details: { partition: owned.partition, epoch: owned.epoch.toString() } },
  );
}

function onlyIncarnation(rows: { incarnation: string }[]): string {
  const row = rows[0];
  if (row === undefined) throw new Error('ledger_incarnation has no row');
  return row.incarnation;
}
