import type { DimensionSum, FiledVisits } from '@hopcount/archive';
import { DIMENSIONS, type LinkStatistics } from '@hopcount/contracts';
import { loadSql, prepared, type Transaction } from '@hopcount/postgres';

import { foldsOf, type LinkPlan, planColumns } from './link-folds.js';

const COUNT_DIMENSIONS = loadSql(import.meta.url, 'sql/count-dimensions.sql');
/** The best plan depends on how many hours of folds there are, of which most links have none. */
const COUNT_WITHOUT_FOLDS = prepared('count-dimensions', `${COUNT_DIMENSIONS}-- without folds`);

type Dimensions = LinkStatistics['dimensions'];

/** Visits by value, the most visited first: what the plan's pieces hold (readKeptDimensions()) and what files do, which is other visits. */
export async function countDimensions(
  kept: readonly DimensionSum[],
  files: FiledVisits | undefined,
): Promise<Dimensions> {
  const parts = [...kept, ...((await files?.dimensions()) ?? [])];
  return Object.fromEntries(
    DIMENSIONS.map((name) => [name, sumValues(parts.filter(({ dimension }) => dimension === name))]),
  ) as Dimensions;
}

export function noDimensions(): Dimensions {
  return Object.fromEntries(DIMENSIONS.map((name) => [name, []])) as unknown as Dimensions;
}

export async function readKeptDimensions(tx: Transaction, linkId: string, plan: LinkPlan): Promise<DimensionSum[]> {
  if (plan.length === 0) return [];
  const statement = foldsOf(plan).length === 0 ? COUNT_WITHOUT_FOLDS : COUNT_DIMENSIONS;
  return tx.query<DimensionSum>(statement, [linkId, ...planColumns(plan)]);
}

function sumValues(parts: readonly DimensionSum[]) {
  const sums = new Map<string, number>();
  for (const { values, visits } of parts) {
    for (const [n, value] of values.entries()) sums.set(value, (sums.get(value) ?? 0) + (visits[n] ?? 0));
  }
  // Ties in the order of their bytes, as PostgreSQL's "C" has them.
  return [...sums]
    .map(([value, visits]) => ({ value, visits, bytes: Buffer.from(value) }))
    .sort((a, b) => b.visits - a.visits || Buffer.compare(a.bytes, b.bytes))
    .map(({ value, visits }) => ({ value, visits }));
}
