import { classifyPostgresError, type Database, loadSql, postgresErrorCode } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { toIso } from '../buckets.js';

const DELETE_DELTAS = 'DELETE FROM link_fold_deltas WHERE link_id = $1 AND hour = $2::timestamptz';
const UPSERT_FOLD = loadSql(import.meta.url, 'sql/upsert-fold.sql');
const DELETE_DIMENSIONS = 'DELETE FROM link_dimensions WHERE link_id = $1 AND hour = $2::timestamptz';
const INSERT_DIMENSIONS = loadSql(import.meta.url, 'sql/insert-dimensions.sql');

/**
 * - `folded`: the hour's aggregates and dimensions are in place.
 * - `mismatch`: ledger and buckets disagree in one snapshot; nothing was written. Only a defect or
 *   damage can cause it; `hopcount verify` says where.
 * - `conflict`: another folder wrote the hour meanwhile; nothing was written by this one.
 * - `failed`: PostgreSQL refused this hour (mostly too large for the statement's time limit), not everything.
 */
export type FoldOutcome = 'folded' | 'mismatch' | 'conflict' | 'failed';

/** A conflict where labels are given anew after this snapshot; before, whoever gives them waits for this transaction, and drops its fold. */
const KEEP_LABELS = 'SELECT FROM ledger_labels FOR SHARE';

const STATEMENT_TIMEOUT = '57014';

/**
 * Computes the aggregates of a link's UTC hour from the ledger and replaces what was kept of it. One snapshot for
 * ledger and buckets: a visit committed meanwhile is in neither, and its commit makes the fold invalid.
 */
export async function foldHour(database: Database, linkId: string, hour: number): Promise<FoldOutcome> {
  const key = [linkId, toIso(hour)];
  try {
    return await database.transaction(
      async (tx) => {
        await tx.query(KEEP_LABELS);
        // Those of this snapshot say what the ledger says in it; later ones are left, and add to this fold.
        // Before the fold, as merging them begins with them too.
        await tx.query(DELETE_DELTAS, key);
        const folded = await tx.query(UPSERT_FOLD, key);
        if (folded.length === 0) return 'mismatch';
        await tx.query(DELETE_DIMENSIONS, key);
        failpoint('worker.fold-mid');
        await tx.query(INSERT_DIMENSIONS, key);
        return 'folded';
      },
      { isolation: 'REPEATABLE READ' },
    );
  } catch (error) {
    if (classifyPostgresError(error) === 'conflict') return 'conflict';
    if (isOfThisHour(error)) return 'failed';
    throw error;
  }
}

/** Whether PostgreSQL refused this statement (it took too long, say), and would take others. */
export function isOfThisHour(error: unknown): boolean {
  return classifyPostgresError(error) !== 'unavailable' || postgresErrorCode(error) === STATEMENT_TIMEOUT;
}
