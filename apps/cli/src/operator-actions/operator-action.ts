import { type Database, loadSql } from '@hopcount/postgres';

import { describeError } from '../cli.errors.js';

const START_ACTION = loadSql(import.meta.url, 'sql/start-action.sql');
const NOTE_PROGRESS = loadSql(import.meta.url, 'sql/note-progress.sql');
const END_ACTION = loadSql(import.meta.url, 'sql/end-action.sql');

export type ActionCounts = Record<string, number | string>;

export interface ActionResult {
  /** `mismatch`: done, but the numbers afterwards are not the expected ones. */
  outcome: 'done' | 'mismatch';
  counts: ActionCounts;
}

export interface ActionDescription {
  command: string;
  arguments: Record<string, unknown>;
  operator: string;
  /** null where no Kafka takes part. */
  clusterId: string | null;
}

export interface RunningAction {
  id: string;
  /** Kept in the row, so that a killed command leaves word of how far it came. */
  noteProgress(counts: ActionCounts): Promise<void>;
}

/** Runs an operation between the two halves of its audit row; the row exists before anything changes. */
export async function asAction(
  database: Database,
  description: ActionDescription,
  work: (action: RunningAction) => Promise<ActionResult>,
): Promise<ActionResult> {
  const { command, operator, clusterId } = description;
  const [row] = await database.query<{ id: string }>(START_ACTION, [
    command,
    JSON.stringify(description.arguments),
    operator,
    clusterId,
  ]);
  if (row === undefined) throw new Error('start-action.sql returned no row');
  let latest: ActionCounts = {};
  const noteProgress = async (counts: ActionCounts) => {
    latest = counts;
    await database.query(NOTE_PROGRESS, [row.id, JSON.stringify(counts)]);
  };
  try {
    const result = await work({ id: row.id, noteProgress });
    await database.query(END_ACTION, [row.id, result.outcome, JSON.stringify(result.counts), null]);
    return result;
  } catch (error) {
    const end = [row.id, 'failed', JSON.stringify(latest), describeError(error).slice(0, 2_000)];
    // PostgreSQL being away must not hide what went wrong; the row then stays open.
    await database.query(END_ACTION, end).catch(() => undefined);
    throw error;
  }
}
