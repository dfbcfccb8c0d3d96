import { setTimeout as sleep } from 'node:timers/promises';

import type { Queryable } from './queryable.js';

/** A transaction id handed out after what the caller committed: whoever has a later one sees it. */
const TAKE_HORIZON = 'SELECT pg_current_xact_id()::text AS horizon';
const HORIZON_PASSED = 'SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS passed';
const LONGEST_PAUSE_MS = 50;

/**
 * Waits until every transaction has ended that had written something before the call: what is read after it shows all
 * they wrote, and each writer that goes on sees what the caller had committed.
 * @returns false when one of them is still open after `waitMs`, or when the signal came
 */
export async function earlierWritersEnded(
  database: Queryable,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const [row] = await database.query<{ horizon: string }>(TAKE_HORIZON);
  const deadlineMs = performance.now() + waitMs;
  for (let pauseMs = 2; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const [answer] = await database.query<{ passed: boolean }>(HORIZON_PASSED, [row?.horizon]);
    if (answer?.passed === true) return true;
    if (signal?.aborted === true || performance.now() > deadlineMs) return false;
    await sleep(pauseMs);
  }
}
