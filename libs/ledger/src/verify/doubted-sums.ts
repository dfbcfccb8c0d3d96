import type { Queryable } from '@hopcount/postgres';

import { type InstantRange, toIso } from '../buckets.js';

const NOTE = `INSERT INTO doubted_sums AS known (from_time, to_time) VALUES ($1, $2)
  ON CONFLICT (singleton) DO UPDATE SET from_time = least(known.from_time, excluded.from_time),
    to_time = greatest(known.to_time, excluded.to_time), noted_at = now()
  WHERE known.from_time > excluded.from_time OR known.to_time < excluded.to_time`;
const READ = 'SELECT from_time, to_time, noted_at::text AS noted_at FROM doubted_sums';
const TRUST = 'DELETE FROM doubted_sums WHERE noted_at = $1::timestamptz';

/** Holds all buckets whose sums were found to be something else than their visits. */
export interface DoubtedSums extends InstantRange {
  notedAt: string;
}

/** From its COMMIT on no answer made of sums of the range is exact. */
export async function noteDoubted(queryable: Queryable, { from, to }: InstantRange): Promise<void> {
  await queryable.query(NOTE, [toIso(from), toIso(to)]);
}

export async function readDoubted(queryable: Queryable): Promise<DoubtedSums | undefined> {
  const [row] = await queryable.query<{ from_time: Date; to_time: Date; noted_at: string }>(READ);
  if (row === undefined) return undefined;
  return { from: row.from_time.getTime(), to: row.to_time.getTime(), notedAt: row.noted_at };
}

/** After all sums were found equal. @param doubted as it was before they were looked at: what was noted since stays */
export async function trustSums(queryable: Queryable, doubted: DoubtedSums | undefined): Promise<void> {
  if (doubted !== undefined) await queryable.query(TRUST, [doubted.notedAt]);
}
