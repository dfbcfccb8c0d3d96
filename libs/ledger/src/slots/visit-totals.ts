import type { VisitsSummary } from '@hopcount/contracts';
import { loadSql, type Queryable } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { BOT_CLASSES } from './bot-classes.js';

/** Where all-time totals come from: the slotted counters, or (SLOTS=off) the 15-minute buckets. */
export type TotalsSource = 'slots' | 'traffic';

/** Rows of (link_id, potential_bot, visits) that totals are the sums of. */
export const COUNTED_VISITS: Record<TotalsSource, string> = {
  slots: 'link_visit_slots',
  traffic: `(SELECT link_id, class IN (${BOT_CLASSES.join()}) AS potential_bot, visits FROM link_traffic)`,
};
const SUMS = `coalesce(sum(visits) FILTER (WHERE NOT potential_bot), 0)::float8 AS non_bots,
  coalesce(sum(visits) FILTER (WHERE potential_bot), 0)::float8 AS bots`;
const SET_TOTALS = loadSql(import.meta.url, 'sql/set-totals.sql');

/** All-time totals of the links, zeros for a link without visits. */
export async function visitTotals(
  queryable: Queryable,
  linkIds: readonly string[],
  source: TotalsSource = 'slots',
): Promise<Map<string, VisitsSummary>> {
  const totals = new Map<string, VisitsSummary>(linkIds.map((id) => [id, { total: 0, nonBots: 0, bots: 0 }]));
  if (linkIds.length === 0) return totals;
  const rows = await queryable.query<{ link_id: string; non_bots: number; bots: number }>(
    `SELECT link_id, ${SUMS} FROM ${COUNTED_VISITS[source]} AS counted WHERE link_id = ANY ($1::bigint[]) GROUP BY link_id`,
    [linkIds],
  );
  for (const { link_id, non_bots: nonBots, bots } of rows) {
    totals.set(link_id, { total: nonBots + bots, nonBots, bots });
  }
  return totals;
}

/** All-time totals of all links that are reached together, deleted ones too: their visits stay counted. */
export async function allVisitsTotal(
  reach: Reach,
  queryable: Queryable,
  source: TotalsSource = 'slots',
): Promise<VisitsSummary> {
  const within = ` JOIN links ON links.id = counted.link_id
    WHERE within_reach(links.author_key_id, links.domain_id, links.group_id, $1, $2, $3)`;
  const [row] = await queryable.query<{ non_bots: number; bots: number }>(
    `SELECT ${SUMS} FROM ${COUNTED_VISITS[source]} AS counted${reach.isWhole ? '' : within}`,
    reach.isWhole ? [] : reach.values,
  );
  const { non_bots: nonBots = 0, bots = 0 } = row ?? {};
  return { total: nonBots + bots, nonBots, bots };
}

/**
 * Makes the ordered totals of these links the sums of what is counted. The caller holds TOTALS_LOCK: the
 * slower of two could read first and write its older sum last.
 * @returns how many were something else
 */
export async function setTotals(
  queryable: Queryable,
  linkIds: readonly string[],
  source: TotalsSource,
): Promise<number> {
  return (await queryable.query(SET_TOTALS.replace(COUNTED_VISITS.slots, COUNTED_VISITS[source]), [linkIds])).length;
}

/** Name of the advisory lock of everybody who sets totals. */
export const TOTALS_LOCK = 'link-totals';
