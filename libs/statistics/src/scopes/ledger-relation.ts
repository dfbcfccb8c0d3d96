import {
  asksForDomains,
  DOMAIN_COLUMN,
  filterVisits,
  ledgerConditions,
  POSTGRES,
  SELECT_DOMAINS,
  type VisitFilter,
  type VisitsOf,
} from '@hopcount/archive';
import { type InstantRange, toIso } from '@hopcount/ledger';

/** More ranges than these are looked up one by one; fewer are planned each for itself, and may be read in parallel. */
const RANGES_PLANNED = 8;

/**
 * The visits of a scope that the ledger has in some ranges, as a relation in a statement. COPY takes no parameters:
 * what stands in it are instants, ids, and texts in hexadecimal digits.
 */
export function ledgerRelation(
  of: VisitsOf,
  ranges: readonly InstantRange[],
  columns: readonly string[],
  filters: readonly VisitFilter[],
): string {
  const filter = filterVisits(filters, POSTGRES);
  const hasDomains = columns.includes(DOMAIN_COLUMN) || asksForDomains([], filters);
  const visits = hasDomains ? `visits LEFT JOIN (${SELECT_DOMAINS}) AS linked ON linked_id = link_id` : 'visits';
  const conditions = [...ledgerConditions(of), ...(filter === undefined ? [] : [filter])];
  const select = (from: string, to: string) =>
    `SELECT ${columns.join(', ')} FROM ${visits}
     WHERE ${[`occurred_at >= ${from}`, `occurred_at < ${to}`, ...conditions].join(' AND ')}`;
  const at = (instant: number) => `'${toIso(instant)}'::timestamptz`;
  if (of.links === undefined && ranges.length <= RANGES_PLANNED) {
    return `(${ranges.map(({ from, to }) => select(at(from), at(to))).join(' UNION ALL ')}) AS visit`;
  }
  // OFFSET 0: one index scan per range, see ledger_dimensions()
  return `(
    SELECT found.* FROM (VALUES ${ranges.map(({ from, to }) => `(${at(from)}, ${at(to)})`).join(', ')}) AS span (from_time, to_time)
    CROSS JOIN LATERAL (${select('span.from_time', 'span.to_time')} OFFSET 0) AS found
  ) AS visit`;
}
