import { ledgerConditions, trafficOf, type VisitFilter, type VisitsOf, type VisitsSum } from '@hopcount/archive';
import { VISIT_CLASSES } from '@hopcount/contracts';
import { BUCKET_MS, bucketOf, type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { ledgerRelation } from './ledger-relation.js';

export interface PointVisits {
  point: number;
  class: number;
  visits: number;
}

/** What the buckets of a scope say of each point (0-based; `starts` ascend) and class, but for the buckets named. */
export async function readPoints(
  tx: Transaction,
  of: VisitsOf,
  {
    from,
    to,
    starts,
    classes,
    except,
  }: InstantRange & { starts: readonly number[]; classes: readonly number[]; except: readonly number[] },
): Promise<PointVisits[]> {
  const [row] = await tx.query<{ points: PointVisits[] }>(
    `SELECT coalesce(json_agg(json_build_object('point', point, 'class', class, 'visits', visits)), '[]') AS points
     FROM (
       SELECT width_bucket(bucket, $3::timestamptz[]) - 1 AS point, class, sum(visits) AS visits
       FROM ${trafficOf(of)} AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
         AND class = ANY ($4::smallint[]) AND bucket <> ALL ($5::timestamptz[])
       GROUP BY 1, 2
     ) AS sums`,
    [toIso(from), toIso(to), starts.map(toIso), classes, except.map(toIso)],
  );
  return row?.points ?? [];
}

/** Visits of whole buckets that hold the ranges: what it costs to look at each of them. */
export async function countBuckets(tx: Transaction, of: VisitsOf, ranges: readonly InstantRange[]): Promise<number> {
  if (ranges.length === 0) return 0;
  const [row] = await tx.query<{ visits: number }>(
    `SELECT coalesce(sum(part.visits), 0)::float8 AS visits
     FROM unnest($1::timestamptz[], $2::timestamptz[]) AS span (from_time, to_time)
     CROSS JOIN LATERAL (
       SELECT sum(visits) AS visits FROM ${trafficOf(of)} AND bucket >= span.from_time AND bucket < span.to_time
     ) AS part`,
    [ranges.map(({ from }) => toIso(bucketOf(from))), ranges.map(({ to }) => toIso(to))],
  );
  return row?.visits ?? 0;
}

/**
 * All visits behind sums are looked at, up to so many. Workers compare sums of more (see SumsSweep and decision
 * 0069).
 */
const FEW_VISITS = 10_000;

/**
 * Whether the ledger has few visits of a range of whole buckets, and whether sums are known to say so. Visits are
 * counted as well: a sum that is too large must not be the reason why it is not compared.
 */
export async function readFew(
  tx: Transaction,
  of: VisitsOf,
  { from, to }: InstantRange,
): Promise<{ visits: boolean; sums: boolean }> {
  const chosen = ['occurred_at >= $1::timestamptz', 'occurred_at < $2::timestamptz', ...ledgerConditions(of)];
  const [row] = await tx.query<{ visits: boolean; sums: boolean }>(
    `SELECT (SELECT count(*) <= $3 FROM (SELECT FROM visits WHERE ${chosen.join(' AND ')} LIMIT $3 + 1) AS few) AS visits,
       (SELECT count(*) <= $3 AND coalesce(sum(visits), 0) <= $3
        FROM (SELECT visits FROM ${trafficOf(of)} AND bucket >= $1::timestamptz AND bucket < $2::timestamptz LIMIT $3 + 1) AS few) AS sums`,
    [toIso(from), toIso(to), FEW_VISITS],
  );
  return row ?? { visits: false, sums: false };
}

/**
 * Compares sums of whole buckets with the visits that the ledger has of them, bucket by bucket and class by class,
 * where these are few.
 * @param among visits that include those of the scope, of which it is quickly known whether they are few
 * @returns [] or what holds all wrong sums
 */
export async function findWrongSums(
  tx: Transaction,
  of: VisitsOf,
  range: InstantRange,
  among = of,
): Promise<InstantRange[]> {
  if (range.from >= range.to) return [];
  const few = await readFew(tx, among, range);
  if (!few.visits) return few.sums ? [range] : [];
  const [row] = await tx.query<{ first: Date | null; last: Date | null }>(
    `SELECT min(bucket) AS first, max(bucket) AS last
     FROM (
       SELECT bucket
       FROM (
         SELECT bucket, class, visits, checksum FROM ${trafficOf(of)} AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
         UNION ALL
         SELECT date_bin('15 minutes', occurred_at, '2000-01-01 00:00:00+00'), class, -1, event_checksum(event_id)
         FROM ${ledgerRelation(of, [range], ['occurred_at', 'class', 'event_id'], [])}
       ) AS counted
       GROUP BY bucket, class
       HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0
     ) AS wrong`,
    [toIso(range.from), toIso(range.to)],
  );
  const { first = null, last = null } = row ?? {};
  return first === null || last === null ? [] : [{ from: first.getTime(), to: last.getTime() + BUCKET_MS }];
}

/** What commits added up in a range of whole buckets. */
export async function sumBuckets(tx: Transaction, of: VisitsOf, { from, to }: InstantRange): Promise<VisitsSum> {
  const [sum] = await tx.query<VisitsSum>(
    `SELECT coalesce(sum(visits), 0)::float8 AS visits, coalesce(bit_xor(checksum), 0)::text AS checksum
     FROM ${trafficOf(of)} AND bucket >= $1::timestamptz AND bucket < $2::timestamptz`,
    [toIso(from), toIso(to)],
  );
  return sum ?? { visits: 0, checksum: '0' };
}

/**
 * Where the newest so many visits of a range begin, by the buckets of the scope, or where it begins itself. A bucket
 * that is wrong (see VisitsOf.groupId) makes the answer a worse guess, and nothing else.
 */
export async function startOfNewest(
  tx: Transaction,
  of: VisitsOf,
  { from, to }: InstantRange,
  visits: number,
): Promise<number> {
  const [row] = await tx.query<{ start: Date | null }>(
    `SELECT max(bucket) AS start
     FROM (
       SELECT bucket, sum(sum(visits)) OVER (ORDER BY bucket DESC) AS newer
       FROM ${trafficOf(of)} AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
       GROUP BY bucket
     ) AS counted
     WHERE newer >= $3`,
    [toIso(bucketOf(from)), toIso(to), visits],
  );
  return Math.max(row?.start?.getTime() ?? from, from);
}

/** The classes that are let through where filters name nothing else, as buckets know classes; undefined: they do. */
export function classesThrough(filters: readonly VisitFilter[]): number[] | undefined {
  if (filters.some(({ dimension }) => dimension !== 'class')) return undefined;
  const isThrough = (name: string) => filters.every(({ values, isExcluded }) => values.includes(name) !== isExcluded);
  return VISIT_CLASSES.flatMap((name, number) => (isThrough(name) ? [number] : []));
}
