import { describeError } from '../cli.errors.js';
import type { Services } from '../connections.js';
import type { OutputFormat } from '../output/output.js';
import { reportCounts } from './report-counts.js';

const START_ACTION = `INSERT INTO operator_actions (command, arguments, operator, cluster_id)
  VALUES ($1, $2::jsonb, $3, $4) RETURNING id`;
const NOTE_PROGRESS = 'UPDATE operator_actions SET counts = $2::jsonb WHERE id = $1';
const END_ACTION = `UPDATE operator_actions
  SET ended_at = now(), outcome = $2, counts = $3::jsonb, error = $4 WHERE id = $1`;

export type ActionCounts = Record<string, number | string>;

export interface ActionResult {
  /** `mismatch`: done, but the numbers afterwards are not the expected ones. */
  outcome: 'done' | 'mismatch';
  counts: ActionCounts;
}

export interface ActionDescription {
  command: string;
  arguments: Record<string, unknown>;
  /** How its counts are printed; left out: it prints what it found itself. */
  output?: OutputFormat;
}

export interface RunningAction {
  id: string;
  /** Kept in the row, so that a killed command leaves word of how far it came. */
  noteProgress(counts: ActionCounts): Promise<void>;
}

/** Runs an operation between the two halves of its audit row, which exists before anything changes, and prints its counts. */
export async function asAction(
  { context, database, admin }: Pick<Services, 'context' | 'database'> & Partial<Pick<Services, 'admin'>>,
  { command, arguments: given, output }: ActionDescription,
  work: (action: RunningAction) => Promise<ActionResult>,
): Promise<ActionResult> {
  const kept = JSON.stringify(given, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  const { hopcountOperator } = context.config();
  const clusterId = (await admin?.clusterId()) ?? null;
  const [row] = await database.query<{ id: string }>(START_ACTION, [command, kept, hopcountOperator, clusterId]);
  if (row === undefined) throw new Error('INSERT … RETURNING answers one row');
  let latest: ActionCounts = {};
  const noteProgress = async (counts: ActionCounts) => {
    latest = counts;
    await database.query(NOTE_PROGRESS, [row.id, JSON.stringify(counts)]);
  };
  try {
    const result = await work({ id: row.id, noteProgress });
    await database.query(END_ACTION, [row.id, result.outcome, JSON.stringify(result.counts), null]);
    if (output !== undefined) reportCounts(context, output, result.counts);
    return result;
  } catch (error) {
    const end = [row.id, 'failed', JSON.stringify(latest), describeError(error).slice(0, 2_000)];
    // PostgreSQL being away must not hide what went wrong; the row then stays open.
    await database.query(END_ACTION, end).catch(() => undefined);
    throw error;
  }
}
