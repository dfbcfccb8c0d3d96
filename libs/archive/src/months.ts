import type { InstantRange } from '@hopcount/ledger';

/** The UTC month that holds the instant: what the ledger drops, and no file goes beyond. */
export function monthAt(instant: number): InstantRange {
  const date = new Date(instant);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1) };
}
