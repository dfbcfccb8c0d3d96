import type { HostCountsV1 } from '@hopcount/contracts';
import { arrayLiteral, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { advanceCheckpoint, type CheckpointAdvance } from '../commit/advance-checkpoint.js';
import type { OwnedCheckpoint } from '../commit/checkpoint.js';
import { findUnstorable } from '../commit/find-unstorable.js';
import { FED_CLASS, FED_KIND } from './host-batches.js';

const COUNT_FED = loadSql(import.meta.url, 'sql/count-fed.sql');
/** One commit of the feed at a time: none can pass the sum that all may have, and no two wait for each other. */
const LOCK_FEED = 'SELECT visits FROM host_feed FOR UPDATE';

interface FedBatch extends CheckpointAdvance {
  /** Batches of counts, one of each record. */
  items: readonly HostCountsV1[];
}

export interface FedCommit {
  /** What the next commit of this partition must carry. */
  checkpoint: OwnedCheckpoint;
  counted: number;
  /** Their sum would have been too large. */
  refused: number;
  /** Settled before, or of a key that stands for other counts. */
  known: number;
}

/** The one place that counts what was fed. A batch's row in `host_batches` decides, in the transaction that books its counts. */
export class HostBatchCommitter {
  constructor(private readonly database: Database) {}

  /** @throws AppError `checkpoint-fenced`; PostgreSQL's own errors: nothing was written (see VisitCommitter) */
  commit({ items, ...advance }: FedBatch): Promise<FedCommit> {
    return this.database.transaction(async (tx) => {
      const checkpoint = await advanceCheckpoint(tx, advance);
      if (items.length === 0) return { checkpoint, counted: 0, refused: 0, known: 0 };
      const settled = await countAll(tx, items);
      failpoint('consumer.feed-before-commit');
      const refused = settled.filter((refusal) => refusal !== null).length;
      return { checkpoint, counted: settled.length - refused, refused, known: items.length - settled.length };
    });
  }

  /** Those PostgreSQL refuses to hold. */
  findUnstorable(items: readonly HostCountsV1[]): Promise<HostCountsV1[]> {
    return findUnstorable(this.database, items, countAll);
  }
}

/** @returns of each that was not settled before why it is refused, null: counted */
async function countAll(tx: Transaction, items: readonly HostCountsV1[]): Promise<(string | null)[]> {
  await tx.query(LOCK_FEED);
  const settled: (string | null)[] = [];
  for (const { stream, key, bodyHash, acceptedAt, names, counts } of items) {
    const rows = await tx.query<{ refusal: string | null }>(COUNT_FED, [
      ...[stream, key, Buffer.from(bodyHash, 'hex'), new Date(acceptedAt).toISOString()],
      ...[arrayLiteral([...names]), arrayLiteral([...counts]), names.length, FED_KIND, FED_CLASS],
    ]);
    failpoint('consumer.feed-mid-transaction');
    for (const { refusal } of rows) settled.push(refusal);
  }
  return settled;
}
