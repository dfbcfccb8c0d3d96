import { prepared, type Queryable } from '@hopcount/postgres';

import { type InstantRange, toIso } from '../buckets.js';
import type { DifferenceCheck } from './checks.js';

/** While only sums of all time are in doubt, the range is empty. */
const NOTE = `INSERT INTO doubted_sums AS known (from_time, to_time, checks, noted_at)
  VALUES (coalesce($1::timestamptz, now()), coalesce($2::timestamptz, now()), $3, clock_timestamp())
  ON CONFLICT (singleton) DO UPDATE SET
    from_time = CASE WHEN $1::timestamptz IS NULL THEN known.from_time
      WHEN known.from_time = known.to_time THEN excluded.from_time ELSE least(known.from_time, excluded.from_time) END,
    to_time = CASE WHEN $1::timestamptz IS NULL THEN known.to_time
      WHEN known.from_time = known.to_time THEN excluded.to_time ELSE greatest(known.to_time, excluded.to_time) END,
    checks = array(SELECT DISTINCT unnest(known.checks || excluded.checks) ORDER BY 1),
    noted_at = excluded.noted_at`;
const READ = prepared(
  'doubted-sums',
  'SELECT from_time, to_time, checks, since, noted_at::text AS noted_at FROM doubted_sums',
);
/** Sums of dropped months were compared only where there is an archive. */
const TRUST = `DELETE FROM doubted_sums WHERE noted_at = $1::timestamptz
  AND ($2::boolean OR from_time >= coalesce((SELECT kept_from FROM ledger_retention), '-infinity'))`;

/** Of these no answer says whether it is exact, or they are accounts of gateways and not sums of visits. */
const NOT_DOUBTED: readonly string[] = ['sources', 'audits', 'limits'];

/** What found sums to be wrong: a check of `hopcount verify`, its look at the archive's files, or a proof of the api. */
export type Doubter = DifferenceCheck | 'archive' | 'proof';

/** What is to be noted. `range` holds all buckets whose sums are something else than their visits; undefined: they are of all time. */
export interface Doubt {
  checks: readonly Doubter[];
  range: InstantRange | undefined;
}

export interface DoubtedSums extends InstantRange {
  checks: Doubter[];
  since: Date;
  notedAt: string;
}

interface Row {
  from_time: Date;
  to_time: Date;
  checks: Doubter[];
  since: Date;
  noted_at: string;
}

/** From its COMMIT on no answer made of sums of the range is exact. */
export async function noteDoubted(queryable: Queryable, { range, checks }: Doubt): Promise<void> {
  await queryable.query(NOTE, [range && toIso(range.from), range && toIso(range.to), checks]);
}

export async function readDoubted(queryable: Queryable): Promise<DoubtedSums | undefined> {
  const [row] = await queryable.query<Row>(READ);
  if (row === undefined) return undefined;
  const { from_time: from, to_time: to, checks, since, noted_at: notedAt } = row;
  return { from: from.getTime(), to: to.getTime(), checks, since, notedAt };
}

/**
 * After all sums were found equal, those of dropped months only with `archived`.
 * @param doubted as it was before they were looked at: what was noted since stays
 */
export async function trustSums(
  queryable: Queryable,
  doubted: Pick<DoubtedSums, 'notedAt'> | undefined,
  { archived }: { archived: boolean },
): Promise<void> {
  if (doubted !== undefined) await queryable.query(TRUST, [doubted.notedAt, archived]);
}

/** Of both together; undefined: nothing is in doubt. */
export function addDoubts(...doubts: readonly (Doubt | undefined)[]): Doubt | undefined {
  const all = doubts.flatMap((doubt) => doubt ?? []).filter(({ checks }) => checks.some(isDoubted));
  if (all.length === 0) return undefined;
  const ranges = all.flatMap(({ range }) => range ?? []);
  const checks = [...new Set(all.flatMap((doubt) => doubt.checks).filter(isDoubted))].sort();
  if (ranges.length === 0) return { checks, range: undefined };
  const [from, to] = [ranges.map((range) => range.from), ranges.map((range) => range.to)];
  return { checks, range: { from: Math.min(...from), to: Math.max(...to) } };
}

function isDoubted(check: Doubter): boolean {
  return !NOT_DOUBTED.includes(check);
}
