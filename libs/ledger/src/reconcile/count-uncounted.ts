import { loadPreparedSql, type Queryable } from '@hopcount/postgres';

import { type InstantRange, toIso } from '../buckets.js';

const COUNT_UNCOUNTED = loadPreparedSql(import.meta.url, 'sql/count-uncounted.sql');

export async function countUncounted(tx: Queryable, { from, to }: InstantRange): Promise<number> {
  const [row] = await tx.query<{ uncounted: number }>(COUNT_UNCOUNTED, [toIso(from), toIso(to)]);
  return row?.uncounted ?? 0;
}
