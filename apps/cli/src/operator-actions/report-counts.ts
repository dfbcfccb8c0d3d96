import { type CliContext, VERIFICATION_FAILED } from '../context.js';
import type { Column, OutputFormat } from '../output/output.js';
import type { ActionCounts } from './operator-action.js';

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

/** Says whether the count changed as expected; sets exit code 3 when it did not. */
export function checkCountChange(
  context: CliContext,
  change: { expected: number; actual: number },
  counts: ActionCounts,
): { outcome: 'done' | 'mismatch'; counts: ActionCounts } {
  const asExpected = change.expected === change.actual;
  if (!asExpected) context.exitWith(VERIFICATION_FAILED);
  context.terminal.message(
    asExpected
      ? `The count changed by ${change.actual}, as expected.`
      : `The count changed by ${change.actual}, but ${change.expected} were expected: look at the dead letters.`,
  );
  return {
    outcome: asExpected ? 'done' : 'mismatch',
    counts: { ...counts, expectedCountChange: change.expected, actualCountChange: change.actual },
  };
}
