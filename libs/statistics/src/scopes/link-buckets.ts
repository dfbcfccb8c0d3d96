import { type LedgerSelect, trafficOf, type VisitFilter, type VisitsOf } from '@hopcount/archive';
import { bucketOf, type InstantRange, nextBucketAt, toIso } from '@hopcount/ledger';

import { ledgerRelation } from './ledger-relation.js';
import { classesThrough } from './scope-traffic.js';

/**
 * Visits by link that the ledger has in some ranges, as a SELECT of `key` and `visits`: sums of the links' buckets, without the visits of
 * these buckets that lie outside the ranges. A bucket stands for all visits of a link, so this reads a part of what a look at each
 * visit does, and up to now nothing lies outside. undefined: buckets do not know, since something else than a class is asked for, or a
 * group, which they do not have.
 */
export function linksInBuckets(of: VisitsOf, filters: readonly VisitFilter[]): LedgerSelect | undefined {
  const classes = classesThrough(filters);
  if (classes === undefined || classes.length === 0 || of.groupId !== undefined) return undefined;
  return (ranges) => selectLinks(of, { ranges, classes, filters });
}

function selectLinks(
  of: VisitsOf,
  {
    ranges,
    classes,
    filters,
  }: { ranges: readonly InstantRange[]; classes: readonly number[]; filters: readonly VisitFilter[] },
): string {
  const whole = ranges.map(({ from, to }) => ({ from: bucketOf(from), to: nextBucketAt(to) }));
  const within = whole.map(({ from, to }) => `(bucket >= '${toIso(from)}' AND bucket < '${toIso(to)}')`).join(' OR ');
  const traffic = trafficOf({ ...of, traffic: undefined });
  const buckets = `SELECT link_id, visits FROM ${traffic} AND class IN (${classes.join(', ')}) AND (${within})`;
  const outside = ranges.flatMap(({ from, to }) => [
    ...(bucketOf(from) < from ? [{ from: bucketOf(from), to: from }] : []),
    ...(to < nextBucketAt(to) ? [{ from: to, to: nextBucketAt(to) }] : []),
  ]);
  const without =
    outside.length === 0
      ? ''
      : `UNION ALL SELECT link_id, -1 FROM ${ledgerRelation(of, outside, ['link_id'], filters)}`;
  return `SELECT CAST(link_id AS VARCHAR) COLLATE "C" AS key, visits
    FROM (SELECT link_id, CAST(sum(visits) AS bigint) AS visits FROM (${buckets} ${without}) AS part GROUP BY link_id) AS summed
    WHERE visits <> 0`;
}
