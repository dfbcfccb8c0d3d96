import type { DeadLetter, RecordBatch } from '@hopcount/kafka';

import type { PreparedRecords } from '../preparation/prepared-records.js';

/** The records of a batch that are no visits, or too old or too new for the ledger. */
export function refusedLetters({ topic, partition, records }: RecordBatch, { refused }: PreparedRecords): DeadLetter[] {
  return refused.flatMap(({ index, reason, detail }) => {
    const record = records[index];
    return record === undefined ? [] : [{ topic, partition, record, reason, step: 'decodeVisit', detail, attempts: 1 }];
  });
}

/** The records behind events PostgreSQL refuses (also by the constraint of a month that is closed, see ledger-months.ts); a record delivered twice in one batch is put aside twice. */
export function unstorableLetters(
  { topic, partition, records }: RecordBatch,
  { eventIds, indexes }: PreparedRecords,
  bad: readonly { eventId: string }[],
): DeadLetter[] {
  const ids = new Set(bad.map(({ eventId }) => eventId));
  return eventIds.flatMap((eventId, place) => {
    const record = ids.has(eventId) ? records[indexes[place] as number] : undefined;
    if (record === undefined) return [];
    const detail = 'PostgreSQL cannot hold a value of this visit, or the month of its time is closed';
    return [{ topic, partition, record, reason: 'unstorable' as const, step: 'commitVisits', detail, attempts: 1 }];
  });
}
