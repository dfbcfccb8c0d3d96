import { type Database, loadSql } from '@hopcount/postgres';

import { keyOf, type OwnedCheckpoint } from './checkpoint.js';
import { fenced } from './partition-checkpoints.js';

const LIST_ATTEMPTS = loadSql(import.meta.url, 'sql/list-batch-attempts.sql');
const RECORD_ATTEMPT = loadSql(import.meta.url, 'sql/record-batch-attempt.sql');
const CLEAR_ATTEMPT = loadSql(import.meta.url, 'sql/clear-batch-attempt.sql');

/** Work that began at an offset and was never ended: whoever did it died. */
export interface UnendedAttempt {
  /** The first record that was in hand. */
  offset: bigint;
  /** How often in a row. */
  attempts: number;
}

/**
 * Tries of a partition's first batch after an assignment, written before each try in a transaction of
 * its own, so that they survive the death of the process. Committed batches after that cost nothing.
 */
export class BatchAttempts {
  constructor(
    private readonly database: Database,
    private readonly owner: string,
  ) {}

  /** What others left unended, by partition. What this process itself began is not a death: it is alive. */
  async list(group: string, topic: string): Promise<Map<number, UnendedAttempt>> {
    const rows = await this.database.query<{
      partition: number;
      next_offset: string;
      attempts: number;
      owner: string;
    }>(LIST_ATTEMPTS, [group, topic]);
    const unended = rows.map(({ partition, next_offset: offset, attempts, owner }) => {
      const deaths = owner === this.owner ? attempts - 1 : attempts;
      return [partition, { offset: BigInt(offset), attempts: deaths }] as const;
    });
    return new Map(unended.filter(([, { attempts }]) => attempts > 0));
  }

  /** @throws AppError `checkpoint-fenced` when the partition has another owner by now */
  async record(owned: OwnedCheckpoint, attempt: UnendedAttempt): Promise<void> {
    const { offset, attempts } = attempt;
    const values = [...keyOf(owned), owned.epoch.toString(), offset.toString(), attempts, this.owner];
    if ((await this.database.query(RECORD_ATTEMPT, values)).length === 0) throw fenced(owned);
  }

  async clear(owned: OwnedCheckpoint): Promise<void> {
    await this.database.query(CLEAR_ATTEMPT, [...keyOf(owned), owned.epoch.toString()]);
  }
}
