import type { Database, Queryable } from '@hopcount/postgres';

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
export function startAction(database: Database, action: OperatorAction): Promise<string> {
  return database.transaction((tx) => insertAction(tx, action));
}

export async function insertAction(tx: Queryable, action: OperatorAction): Promise<string> {
  const { command, arguments: given, operator, clusterId } = action;
  const kept = JSON.stringify(given, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  const [row] = await tx.query<{ id: string }>(START_ACTION, [command, kept, operator, clusterId]);
  if (row === undefined) throw new Error('INSERT … RETURNING answers one row');
  return row.id;
}

export interface ActionEnd {
  outcome: 'done' | 'mismatch' | 'failed';
  counts: ActionCounts;
  error: string | null;
}

export async function endAction(tx: Queryable, id: string, { outcome, counts, error }: ActionEnd): Promise<void> {
  await tx.query(END_ACTION, [id, outcome, JSON.stringify(counts), error?.slice(0, 2_000) ?? null]);
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
  const end = (ending: ActionEnd) => database.transaction((tx) => endAction(tx, id, ending));
  try {
    const result = await work({ id, noteProgress });
    await end({ ...result, error: null });
    return result;
  } catch (error) {
    // PostgreSQL being away must not hide what went wrong; the row then stays open.
    await end({ outcome: 'failed', counts: latest, error: describeError(error) }).catch(() => undefined);
    throw error;
  }
}
