import { loadSql, type Queryable } from '@hopcount/postgres';

import { BOT_CLASSES } from './bot-classes.js';

const MEASURE_DRIFT = loadSql(import.meta.url, 'sql/measure-drift.sql');

/**
 * How far the slots of the links visited last are from their buckets: must be 0 (`hopcount verify` holds
 * all of it against the ledger; this is cheap enough to run all the time).
 */
export async function measureSlotDrift(
  queryable: Queryable,
  sampleLinks = 500,
): Promise<{ links: number; drift: number }> {
  const [row] = await queryable.query<{ links: number; drift: number }>(MEASURE_DRIFT, [sampleLinks, BOT_CLASSES]);
  return row ?? { links: 0, drift: 0 };
}
