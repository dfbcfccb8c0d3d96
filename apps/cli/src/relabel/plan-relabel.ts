import type { Archive } from '@hopcount/archive';
import type { LabelRules, VisitRelabeler } from '@hopcount/ledger';
import type { Database } from '@hopcount/postgres';

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

/** Says what would change. @throws AppError `relabel-too-large`, once it has said it: with --execute it would be that as well */
export async function planRelabel(
  { context, relabeler, archive, rules }: Omit<RelabelParts, 'database'>,
  { from, to, output }: OutputOptions & { from: number; to: number },
): Promise<void> {
  const { terminal } = context;
  const range = { from, to };
  const kept = await relabeler.plan(range, (soFar) =>
    terminal.progress(`${plural(soFar, 'visit')} of the ledger read`),
  );
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
