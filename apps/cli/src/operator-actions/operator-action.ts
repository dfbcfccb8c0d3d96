import type { ActionResult, RunningAction } from '@hopcount/ledger';

import { describeError } from '../cli.errors.js';
import type { Services } from '../connections.js';
import type { OutputFormat } from '../output/output.js';
import { reportCounts } from './report-counts.js';

export type { ActionCounts, ActionResult, RunningAction } from '@hopcount/ledger';

export interface ActionDescription {
  command: string;
  arguments: Record<string, unknown>;
  /** How its counts are printed; left out: it prints what it found itself. */
  output?: OutputFormat;
}

/** Runs an operation between the two halves of its audit row, which exists before anything changes, and prints its counts. */
export async function asAction(
  { context, database, admin }: Pick<Services, 'context' | 'database'> & Partial<Pick<Services, 'admin'>>,
  { command, arguments: given, output }: ActionDescription,
  work: (action: RunningAction) => Promise<ActionResult>,
): Promise<ActionResult> {
  const { finishAction, startAction } = await import('@hopcount/ledger');
  const { hopcountOperator: operator } = context.config();
  const clusterId = (await admin?.clusterId()) ?? null;
  const id = await startAction(database, { command, arguments: given, operator, clusterId });
  const result = await finishAction(database, id, work, describeError);
  if (output !== undefined) reportCounts(context, output, result.counts);
  return result;
}
