import type { Uniques } from '@hopcount/archive';
import { toIso } from '@hopcount/ledger';
import { loadPreparedSql, type Transaction } from '@hopcount/postgres';

import { foldsOf, type LinkPlan, planColumns, rangeColumns } from './link-folds.js';
import { ledgerRanges } from './plan-range.js';

const COUNT_UNIQUES = loadPreparedSql(import.meta.url, 'sql/count-uniques.sql');
const COUNT_POINT_UNIQUES = loadPreparedSql(import.meta.url, 'sql/count-point-uniques.sql');

/** Distinct visitors and IPs of all pieces together. */
export async function countUniques(tx: Transaction, linkId: string, plan: LinkPlan): Promise<Uniques> {
  const [only] = plan;
  if (only === undefined) return { visitors: 0, ips: 0 };
  if (plan.length === 1 && only.from === 'fold' && only.fold.sizes !== null) return only.fold.sizes;
  const [row] = await tx.query<Uniques>(COUNT_UNIQUES, [linkId, ...planColumns(plan)]);
  return row ?? { visitors: 0, ips: 0 };
}

/** Of each point (0-based). One that is one fold needs no set if its sizes came with the fold. */
export async function countPointUniques(
  tx: Transaction,
  linkId: string,
  plan: LinkPlan,
  starts: readonly number[],
): Promise<Map<number, Uniques>> {
  const result = new Map<number, Uniques>();
  const mixed: { point: number; piece: LinkPlan[number] }[] = [];
  for (const [point, pieces] of piecesByPoint(plan, starts)) {
    const [first] = pieces;
    if (pieces.length === 1 && first?.from === 'fold' && first.fold.sizes !== null) result.set(point, first.fold.sizes);
    else mixed.push(...pieces.map((piece) => ({ point, piece })));
  }
  if (mixed.length === 0) return result;
  const pieces = mixed.map(({ piece }) => piece);
  const rows = await tx.query<{ point: number } & Uniques>(COUNT_POINT_UNIQUES, [
    linkId,
    foldsOf(pieces).map(({ from }) => toIso(from)),
    mixed.flatMap(({ point, piece }) => (piece.from === 'fold' ? [point] : [])),
    ...rangeColumns(ledgerRanges(pieces)),
    starts.map(toIso),
  ]);
  for (const { point, visitors, ips } of rows) result.set(point, { visitors, ips });
  return result;
}

/**
 * A SELECT of point, visitor and ip of each visit, or set of visits, of a plan cut at the points. COPY takes no
 * parameters: all that stands in it are digits and instants.
 * @returns undefined where there is nothing to select
 */
export function selectUniques(linkId: string, plan: LinkPlan, starts: readonly number[]): string | undefined {
  if (!/^\d+$/.test(linkId)) throw new RangeError('the id of a link is a number');
  const [folds, ranges]: [string[], string[]] = [[], []];
  for (const [point, pieces] of piecesByPoint(plan, starts)) {
    for (const { from, range } of pieces) {
      if (from === 'fold') folds.push(`(${point}, '${toIso(range.from)}'::timestamptz)`);
      else ranges.push(`(${point}, '${toIso(range.from)}'::timestamptz, '${toIso(range.to)}'::timestamptz)`);
    }
  }
  const ids = (table: string) => ['visitors', 'ips'].map((column) => selectIds(table, column, linkId, folds));
  return (
    [
      ...(ranges.length === 0 ? [] : [selectVisits(linkId, ranges)]),
      ...(folds.length === 0 ? [] : [...ids('link_folds'), ...ids('link_fold_deltas')]),
    ].join(' UNION ALL ') || undefined
  );
}

function selectVisits(linkId: string, ranges: readonly string[]): string {
  // OFFSET 0: one index scan per range, see ledger_dimensions()
  return `SELECT span.point, ledger.visitor, ledger.ip
    FROM (VALUES ${ranges.join(', ')}) AS span (point, from_time, to_time)
    CROSS JOIN LATERAL (
      SELECT visitor, ip FROM visits
      WHERE link_id = ${linkId} AND occurred_at >= span.from_time AND occurred_at < span.to_time
      OFFSET 0
    ) AS ledger`;
}

function selectIds(table: string, column: string, linkId: string, folds: readonly string[]): string {
  const [visitor, ip] = column === 'visitors' ? ['member.hash', 'NULL::bigint'] : ['NULL::bigint', 'member.hash'];
  return `SELECT fold.point, ${visitor}, ${ip} FROM (VALUES ${folds.join(', ')}) AS fold (point, hour)
    JOIN ${table} AS kept ON kept.link_id = ${linkId} AND kept.hour = fold.hour
    CROSS JOIN LATERAL unnest(kept.${column}) AS member (hash)`;
}

/** Both ascending, and no piece straddles a start. */
function piecesByPoint(plan: LinkPlan, starts: readonly number[]): Map<number, LinkPlan[number][]> {
  const pieces = new Map<number, LinkPlan[number][]>();
  let point = 0;
  for (const piece of plan) {
    while ((starts[point + 1] ?? Infinity) <= piece.range.from) point += 1;
    const siblings = pieces.get(point);
    if (siblings === undefined) pieces.set(point, [piece]);
    else siblings.push(piece);
  }
  return pieces;
}
