import type { VisitsSummary } from '@hopcount/contracts';
import { loadSql, type Queryable } from '@hopcount/postgres';

import { BOT_CLASSES } from './bot-classes.js';

const SUM_SLOTS = loadSql(import.meta.url, 'sql/sum-slots.sql');
const SUM_TRAFFIC = loadSql(import.meta.url, 'sql/sum-traffic.sql');
const SUM_ALL_SLOTS = loadSql(import.meta.url, 'sql/sum-all-slots.sql');
const SUM_ALL_TRAFFIC = loadSql(import.meta.url, 'sql/sum-all-traffic.sql');

/** Where all-time totals come from: the slotted counters, or (SLOTS=off) the 15-minute buckets. */
export type TotalsSource = 'slots' | 'traffic';

/** All-time totals of the links, zeros for a link without visits. */
export async function visitTotals(
  queryable: Queryable,
  linkIds: readonly string[],
  source: TotalsSource = 'slots',
): Promise<Map<string, VisitsSummary>> {
  const totals = new Map<string, VisitsSummary>(linkIds.map((id) => [id, { total: 0, nonBots: 0, bots: 0 }]));
  if (linkIds.length === 0) return totals;
  const rows = await queryable.query<{ link_id: string; non_bots: number; bots: number }>(
    source === 'slots' ? SUM_SLOTS : SUM_TRAFFIC,
    source === 'slots' ? [linkIds] : [linkIds, BOT_CLASSES],
  );
  for (const { link_id, non_bots: nonBots, bots } of rows) {
    totals.set(link_id, { total: nonBots + bots, nonBots, bots });
  }
  return totals;
}

/** All-time totals of all links together, deleted ones too: their visits stay counted. */
export async function allVisitsTotal(queryable: Queryable, source: TotalsSource = 'slots'): Promise<VisitsSummary> {
  const [row] = await queryable.query<{ people: number; bots: number }>(
    source === 'slots' ? SUM_ALL_SLOTS : SUM_ALL_TRAFFIC,
    source === 'slots' ? [] : [BOT_CLASSES],
  );
  const { people = 0, bots = 0 } = row ?? {};
  return { total: people + bots, nonBots: people, bots };
}
