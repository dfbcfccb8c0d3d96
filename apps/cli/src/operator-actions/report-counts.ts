import { type CliContext, VERIFICATION_FAILED } from '../context.js';
import type { Column, OutputFormat } from '../output/output.js';
import type { ActionResult } from './operator-action.js';

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

/** Says whether the count changed as expected, if that was looked at; exit code 3 when it did not. */
export function reportCountChange<Result extends ActionResult>(context: CliContext, result: Result): Result {
  const { actualCountChange: actual, expectedCountChange: expected } = result.counts;
  if (actual === undefined) return result;
  if (result.outcome === 'mismatch') context.exitWith(VERIFICATION_FAILED);
  context.terminal.message(
    result.outcome === 'done'
      ? `The count changed by ${actual}, as expected.`
      : `The count changed by ${actual}, but ${expected} were expected: look at the dead letters.`,
  );
  return result;
}
