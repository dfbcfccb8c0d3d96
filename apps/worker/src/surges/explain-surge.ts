import type { SurgeExplanation } from '@hopcount/contracts';
import { asciiOf, WINDOW_MS } from '@hopcount/hosts';
import { BOT_CLASSES } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import type { WatchedHost } from './watched-hosts.js';

const EXPLAIN_SURGE = loadSql(import.meta.url, 'sql/explain-surge.sql');
/** Of all hosts, the newest of the window: what a statement may cost. */
const VISITS_LOOKED_AT = 100_000;
const TOP = 5;

/** What a host's visits were in the five minutes that ended at `at`, from the ledger. */
export async function explainSurge(
  database: Pick<Database, 'query'>,
  { kind, name }: WatchedHost,
  at: number,
): Promise<SurgeExplanation> {
  const [from, to] = [new Date(at - WINDOW_MS), new Date(at)];
  const values = [from, to, kind, asciiOf(name), VISITS_LOOKED_AT, BOT_CLASSES, TOP];
  const [explanation] = await database.query<SurgeExplanation>(EXPLAIN_SURGE, values);
  if (explanation === undefined) throw new Error('a statement without FROM answers one row');
  return explanation;
}
