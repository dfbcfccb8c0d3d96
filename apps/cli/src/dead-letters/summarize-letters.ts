import type { DeadLetterState, Letter } from '@hopcount/ledger';

/** The letters of one reason and step. */
export interface LetterSummary extends Record<DeadLetterState, number> {
  reason: string;
  step: string;
  letters: number;
  /** RFC 3339, UTC; null when none waits. */
  oldestWaiting: string | null;
  newest: string;
}

export function summarize(summaries: Map<string, LetterSummary>, letters: readonly Letter[]): void {
  for (const { about, state } of letters) {
    const key = `${about.reason} ${about.step}`;
    let summary = summaries.get(key);
    if (summary === undefined) {
      const { reason, step, time: newest } = about;
      summary = { reason, step, letters: 0, waiting: 0, redriven: 0, discarded: 0, oldestWaiting: null, newest };
      summaries.set(key, summary);
    }
    summary.letters += 1;
    summary[state] += 1;
    if (about.time > summary.newest) summary.newest = about.time;
    const oldest = summary.oldestWaiting;
    if (state === 'waiting' && (oldest === null || about.time < oldest)) summary.oldestWaiting = about.time;
  }
}
