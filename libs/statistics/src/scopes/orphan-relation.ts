import { filterVisits, POSTGRES, type VisitFilter } from '@hopcount/archive';
import { ORPHAN_TYPES_WITH_LINK, orphanVisitTypeNumber } from '@hopcount/contracts';
import { type InstantRange, toIso } from '@hopcount/ledger';
import type { Reach } from '@hopcount/runtime';

/** Orphan visits that are reached: of an authority, or of all (null). */
export interface OrphansOf {
  orphans: { reach: Reach; domain: string | null };
}

/** They have no visitor. */
const COLUMNS: Record<string, string> = { visitor: 'NULL::bigint AS visitor' };

/**
 * Orphan visits as a relation with columns of the ledger, as far as they have them. Those of links that are there (blocked,
 * held back) are in it where a filter names their type, as in lists.
 */
export function orphanRelation(
  { orphans: { reach, domain } }: OrphansOf,
  ranges: readonly InstantRange[],
  columns: readonly string[],
  filters: readonly VisitFilter[],
): string {
  const filter = filterVisits(filters, POSTGRES);
  const only = domain ?? reach.domain?.authority;
  const isReached = reach.hasOrphans && (only === undefined || reach.holdsOrphan(only));
  const named = filters.flatMap((one) => (one.dimension === 'type' && !one.isExcluded ? one.values : []));
  const leftOut = ORPHAN_TYPES_WITH_LINK.filter((type) => !named.includes(type));
  const at = (instant: number) => `'${toIso(instant)}'::timestamptz`;
  const times = ranges.map(({ from, to }) => `occurred_at >= ${at(from)} AND occurred_at < ${at(to)}`);
  const conditions = [
    `(${times.join(' OR ')})`,
    ...(isReached ? [] : ['false']),
    ...(only === undefined ? [] : [`domain = ${POSTGRES.text(only)}`]),
    ...leftOut.map((type) => `type <> ${orphanVisitTypeNumber(type)}`),
    ...(filter === undefined ? [] : [filter]),
  ];
  const selected = columns.map((name) => COLUMNS[name] ?? name);
  return `(SELECT ${selected.join(', ')} FROM orphan_visits WHERE ${conditions.join(' AND ')}) AS visit`;
}
