import type { DeadLetterState, Letter } from '@hopcount/ledger';
import { describe, expect, it } from '@jest/globals';

import { type LetterSummary, summarize } from './summarize-letters.js';

const letter = (reason: string, state: DeadLetterState, time: string) =>
  ({ about: { reason, step: 'decodeVisit', time }, state }) as Letter;

describe('summarize', () => {
  it('counts by reason and state over several calls', () => {
    const summaries = new Map<string, LetterSummary>();
    summarize(summaries, [letter('not-json', 'waiting', '2026-01-03'), letter('not-json', 'waiting', '2026-01-02')]);
    summarize(summaries, [
      letter('not-json', 'discarded', '2026-01-01'),
      letter('not-json', 'redriven', '2026-01-09'),
      letter('unstorable', 'redriven', '2026-01-05'),
    ]);
    expect([...summaries.values()]).toEqual([
      {
        reason: 'not-json',
        step: 'decodeVisit',
        letters: 4,
        waiting: 2,
        redriven: 1,
        discarded: 1,
        oldestWaiting: '2026-01-02',
        newest: '2026-01-09',
      },
      expect.objectContaining({ reason: 'unstorable', letters: 1, waiting: 0, oldestWaiting: null }),
    ]);
  });
});
