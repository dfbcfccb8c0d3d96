import { toIso } from '@hopcount/ledger';
import { loadSql, type Transaction } from '@hopcount/postgres';

import type { ScopeTables } from './visit-scope.js';

const WALK_BUCKETS = loadSql(import.meta.url, 'sql/walk-buckets.sql');

/** A bucket with visits, and how many visits are newer than all of it. */
export interface BucketPlace {
  bucket: number;
  newer: number;
}

export interface WalkedBuckets {
  total: number;
  /** Those a page touches, newest first. */
  places: BucketPlace[];
}

/**
 * Finds a page by counts that are kept, so that no page costs the visits before it: what is read afterwards are visits
 * of the buckets it touches.
 */
export async function walkBuckets(
  tx: Transaction,
  tables: ScopeTables,
  question: {
    from: number | undefined;
    to: number | undefined;
    exceptClasses: readonly number[];
    /** Buckets that a limit cuts in two, with their visits in the range. */
    cut: readonly { bucket: number; visits: number }[];
    offset: number;
    limit: number;
  },
): Promise<WalkedBuckets> {
  const { from, to, exceptClasses, cut, offset, limit } = question;
  const [row] = await tx.query<{ total: number; buckets: number[]; newer: number[] }>(WALK_BUCKETS, [
    ...tables.buckets,
    from === undefined ? null : toIso(from),
    to === undefined ? null : toIso(to),
    exceptClasses,
    cut.map(({ bucket }) => toIso(bucket)),
    cut.map(({ visits }) => visits),
    offset,
    limit,
  ]);
  const places = (row?.buckets ?? []).map((bucket, nth) => ({ bucket, newer: row?.newer[nth] ?? 0 }));
  return { total: row?.total ?? 0, places };
}
