import type { FiledVisits, ValueCount } from '@hopcount/archive';
import { type Dimension, DIMENSIONS, type LinkStatistics } from '@hopcount/contracts';
import { loadSql, type Transaction } from '@hopcount/postgres';

import { type LinkPlan, planColumns } from './link-folds.js';

const COUNT_DIMENSIONS = loadSql(import.meta.url, 'sql/count-dimensions.sql');

type Dimensions = LinkStatistics['dimensions'];

/** Visits by value, the most visited first: what the plan's pieces hold and what files do, which is other visits. */
export async function countDimensions(
  tx: Transaction,
  linkId: string,
  plan: LinkPlan,
  files: FiledVisits | undefined,
): Promise<Dimensions> {
  const kept = plan.length === 0 ? [] : await readKept(tx, linkId, plan);
  const parts = [...kept, ...((await files?.dimensions()) ?? [])];
  return byDimension((dimension) =>
    sumValues(parts.filter(([name]) => name === dimension).map(([, values]) => values)),
  );
}

export function noDimensions(): Dimensions {
  return byDimension(() => []);
}

async function readKept(tx: Transaction, linkId: string, plan: LinkPlan): Promise<[Dimension, ValueCount[]][]> {
  const rows = await tx.query<{ dimension: Dimension; values: string[]; visits: number[] }>(COUNT_DIMENSIONS, [
    linkId,
    ...planColumns(plan),
  ]);
  return rows.map(({ dimension, values, visits }) => [
    dimension,
    values.map((value, n) => ({ value, visits: visits[n] ?? 0 })),
  ]);
}

function sumValues(parts: readonly ValueCount[][]): ValueCount[] {
  const sums = new Map<string, number>();
  for (const { value, visits } of parts.flat()) sums.set(value, (sums.get(value) ?? 0) + visits);
  // Ties in the order of their bytes, as PostgreSQL's "C" has them.
  return [...sums]
    .map(([value, visits]) => ({ value, visits, bytes: Buffer.from(value) }))
    .sort((a, b) => b.visits - a.visits || Buffer.compare(a.bytes, b.bytes))
    .map(({ value, visits }) => ({ value, visits }));
}

function byDimension(valuesOf: (dimension: Dimension) => ValueCount[]): Dimensions {
  return Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, valuesOf(dimension)])) as Dimensions;
}
