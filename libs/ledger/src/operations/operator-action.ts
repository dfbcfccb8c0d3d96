import type { Database } from '@hopcount/postgres';

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

export interface OperatorAction {
  command: string;
  arguments: Record<string, unknown>;
  operator: string;
  clusterId: string | null;
}

export interface RunningAction {
  id: string;
  /** Kept in the row, so that a killed command leaves word of how far it came. */
  noteProgress(counts: ActionCounts): Promise<void>;
}

/** Its audit row. Statements in transactions: so the log has who asked, not the program. */
export async function startAction(database: Database, action: OperatorAction): Promise<string> {
  const { command, arguments: given, operator, clusterId } = action;
  const kept = JSON.stringify(given, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return database.transaction(async (tx) => {
    const [row] = await tx.query<{ id: string }>(START_ACTION, [command, kept, operator, clusterId]);
    if (row === undefined) throw new Error('INSERT … RETURNING answers one row');
    return row.id;
  });
}

/** What was started: work between the two halves of the audit row, which exists before anything changes. */
export async function finishAction<Result extends ActionResult>(
  database: Database,
  id: string,
  work: (action: RunningAction) => Promise<Result>,
  describeError: (error: unknown) => string,
): Promise<Result> {
  let latest: ActionCounts = {};
  const noteProgress = async (counts: ActionCounts) => {
    latest = counts;
    await database.query(NOTE_PROGRESS, [id, JSON.stringify(counts)]);
  };
  const end = (outcome: string, counts: ActionCounts, error: string | null) =>
    database.transaction((tx) => tx.query(END_ACTION, [id, outcome, JSON.stringify(counts), error]));
  try {
    const result = await work({ id, noteProgress });
    await end(result.outcome, result.counts, null);
    return result;
  } catch (error) {
    // PostgreSQL being away must not hide what went wrong; the row then stays open.
    await end('failed', latest, describeError(error).slice(0, 2_000)).catch(() => undefined);
    throw error;
  }
}
