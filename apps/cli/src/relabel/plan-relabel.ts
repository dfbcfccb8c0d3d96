import type { Archive } from '@hopcount/archive';
import type { LabelRules, VisitRelabeler } from '@hopcount/ledger';
import { type Database, loadSql } from '@hopcount/postgres';

import type { CliContext, OutputOptions } from '../context.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

export interface RelabelParts {
  context: CliContext;
  database: Database;
  relabeler: VisitRelabeler;
  archive: Archive | undefined;
  rules: LabelRules;
}

const COUNT_VISITS = loadSql(import.meta.url, 'sql/count-visits.sql');

/** Of the range, as far as PostgreSQL has them; as their sums say it. */
export async function visitsIn(database: Database, { from, to }: { from: number; to: number }): Promise<number> {
  const [row] = await database.query<{ visits: number }>(COUNT_VISITS, [new Date(from), new Date(to)]);
  return row?.visits ?? 0;
}

/** Says what would change. @throws AppError `relabel-too-large`, once it has said it: with --execute it would be that as well */
export async function planRelabel(
  { context, database, relabeler, archive, rules }: RelabelParts,
  { from, to, output }: OutputOptions & { from: number; to: number },
): Promise<void> {
  const { terminal } = context;
  const range = { from, to };
  const progress = terminal.startProgress('visits of the ledger', await visitsIn(database, range));
  const kept = await relabeler.plan(range, (soFar) => progress.at(soFar));
  progress.end();
  const filed = await archive?.planLabels(range, rules);
  const moves = { ...kept.moves.toCounts() };
  for (const [name, visits] of Object.entries(filed?.moves.toCounts() ?? {})) moves[name] = (moves[name] ?? 0) + visits;
  const changing = kept.changing + (filed?.changing ?? 0);
  reportCounts(context, output, { visitsRead: kept.visits + (filed?.visits ?? 0), changing, ...moves });
  relabeler.expectFew(kept.changing + (filed?.sums ?? 0));
  terminal.message(
    `Nothing was changed (no --execute). It would label ${plural(changing, 'visit')} anew; none comes or goes.`,
  );
}
