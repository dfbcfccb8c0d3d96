import type { ExpectedCount } from '@hopcount/ledger';

import type { Services } from '../connections.js';
import { type CliContext, VERIFICATION_FAILED } from '../context.js';
import { waitUntilReached } from '../lag/wait-until-counted.js';
import type { Column, OutputFormat } from '../output/output.js';
import type { ActionCounts, ActionResult } from './operator-action.js';

interface Line {
  what: string;
  count: number | string | null;
}

const COLUMNS: Column<Line>[] = [
  { name: 'what', heading: 'what', value: (line) => line.what },
  { name: 'count', heading: 'count', value: (line) => line.count, align: 'right' },
];

/** Prints named counts: one line each, as JSON one object. */
export function reportCounts(
  context: CliContext,
  format: OutputFormat,
  counts: Record<string, number | string | null>,
): void {
  const lines = Object.entries(counts).map(([what, count]) => ({ what, count }));
  context.terminal.rows(format, COLUMNS, lines, () => counts);
}

/**
 * Waits until all that was sent is counted and says whether the count changed as expected; sets exit code 3 when
 * it did not. `waitMs` null: does neither.
 */
export async function checkCountChange(
  services: Services,
  { expected, counts, waitMs }: { expected: ExpectedCount; counts: ActionCounts; waitMs: number | null },
): Promise<ActionResult> {
  const { context, terminal, database } = services;
  const expectedCountChange = expected.size;
  if (waitMs === null) return { outcome: 'done', counts: { ...counts, expectedCountChange } };
  await waitUntilReached(services, waitMs);
  const actualCountChange = await expected.counted(database);
  const asExpected = expectedCountChange === actualCountChange;
  if (!asExpected) context.exitWith(VERIFICATION_FAILED);
  terminal.message(
    asExpected
      ? `The count changed by ${actualCountChange}, as expected.`
      : `The count changed by ${actualCountChange}, but ${expectedCountChange} were expected: look at the dead letters.`,
  );
  const outcome = asExpected ? 'done' : 'mismatch';
  return { outcome, counts: { ...counts, expectedCountChange, actualCountChange } };
}
