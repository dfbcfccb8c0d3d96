import type { Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

const LOCK_RUN = 'SELECT FROM relabels WHERE id = $1 AND ended_at IS NULL FOR UPDATE';

/**
 * First of all in a transaction that reads or changes what the run keeps aside: who ends the run takes the same row before it
 * empties those tables. So what is kept aside is of the open run alone.
 * @throws AppError `relabel-unfinished`
 */
export async function lockRun(tx: Transaction, { id }: { id: string }): Promise<void> {
  if ((await tx.query(LOCK_RUN, [id])).length === 0) throw unfinished('Another process ended it.');
}

export function unfinished(reason: string): AppError {
  return new AppError('relabel-unfinished', reason, { retryable: true });
}
