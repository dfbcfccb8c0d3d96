import type { InstantRange } from '@hopcount/ledger';

/** Ranges end with hours, the question may not. */
export function clip(ranges: readonly InstantRange[], within: InstantRange): InstantRange[] {
  return ranges
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => from < to);
}
