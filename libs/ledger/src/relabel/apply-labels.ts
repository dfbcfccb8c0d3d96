import { loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { type InstantRange, toIso } from '../buckets.js';
import { CORRECTIONS_SLOT } from '../commit/sum-scopes.js';
import { ENRICHMENT_VERSION } from '../commit/enriched-visit.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';

const CREATE_MOVES = loadSql(import.meta.url, 'sql/create-moves.sql');
const LABEL_VISITS = loadSql(import.meta.url, 'sql/label-visits.sql');
const MOVE_FILED = loadSql(import.meta.url, 'sql/move-filed.sql');
const LOCK_LINKS = loadSql(import.meta.url, 'sql/lock-links.sql');
const LEAVE_PURGED = loadSql(import.meta.url, 'sql/leave-purged.sql');
const MOVE_TRAFFIC = loadSql(import.meta.url, 'sql/move-traffic.sql');
const MOVE_SCOPES = loadSql(import.meta.url, 'sql/move-scopes.sql');
const MOVE_SLOTS = loadSql(import.meta.url, 'sql/move-slots.sql');
const MOVE_HOSTS = loadSql(import.meta.url, 'sql/move-hosts.sql');
const ASK_FOR_TOTALS = loadSql(import.meta.url, 'sql/ask-for-totals.sql');
const NEXT_GENERATION = 'UPDATE ledger_labels SET generation = generation + 1, changed_at = now()';
const DROPS = ['sql/drop-deltas.sql', 'sql/drop-folds.sql', 'sql/drop-days.sql'].map((file) =>
  loadSql(import.meta.url, file),
);
const KNOW_MOVES = ['CREATE INDEX ON moves (bucket)', 'ANALYZE moves'];
const SUM_MOVES = 'SELECT coalesce(sum(visits), 0)::float8 AS visits FROM moves';

/**
 * What was staged becomes what every reader sees, in one transaction, table by table as commits go through them. No visit
 * comes or goes, so sums over all classes stay as they are. Last the generation: a fold or a day that is being made of
 * what was read before is waited for, and goes with the others, or finds that it must not be kept.
 * @returns how many visits have another class now
 */
export async function applyLabels(tx: Transaction, { from, to }: InstantRange, hasSlots: boolean): Promise<number> {
  await tx.query(CREATE_MOVES);
  await tx.query(LABEL_VISITS, [ENRICHMENT_VERSION, toIso(from), toIso(to)]);
  failpoint('relabel.mid-switch');
  await tx.query(MOVE_FILED);
  await tx.query(LOCK_LINKS);
  await tx.query(LEAVE_PURGED);
  // Plans take a new table for a small one.
  for (const statement of KNOW_MOVES) await tx.query(statement);
  await tx.query(MOVE_TRAFFIC);
  await tx.query(MOVE_SCOPES, [CORRECTIONS_SLOT]);
  if (hasSlots) await tx.query(MOVE_SLOTS, [BOT_CLASSES]);
  await tx.query(ASK_FOR_TOTALS);
  await tx.query(MOVE_HOSTS);
  await tx.query(NEXT_GENERATION);
  for (const statement of DROPS) await tx.query(statement);
  const [row] = await tx.query<{ visits: number }>(SUM_MOVES);
  return row?.visits ?? 0;
}
