import type { DeadLetter } from '@hopcount/kafka';

import type { DecodedBatch } from './commit-visits.js';

/** The records behind events PostgreSQL refuses (also by the constraint of a month that is closed, see ledger-months.ts); a record delivered twice in one batch is put aside twice. */
export function unstorableLetters(work: DecodedBatch, bad: readonly { eventId: string }[], step: string): DeadLetter[] {
  const ids = new Set(bad.map(({ eventId }) => eventId));
  const { topic, partition } = work.batch;
  return work.visits
    .filter(({ visit }) => ids.has(visit.eventId))
    .map(({ record }) => ({
      topic,
      partition,
      record,
      reason: 'unstorable' as const,
      step,
      detail: 'PostgreSQL cannot hold a value of this visit, or the month of its time is closed',
      attempts: 1,
    }));
}
