/** Codes of the AppErrors this library throws; those of a purge are also problems of the API. */
export const LEDGER_ERRORS = {
  'checkpoint-fenced': 'Another consumer owns the partition, or its checkpoint moved: the batch must not be committed.',
  /** details: deletedVisits, reason. Marked, so nothing comes back; a job of the worker does the rest. Retryable. */
  'purge-unfinished': 'The visits are being deleted; it takes longer than one request may. It goes on by itself.',
  /** Retryable. Marked, so nothing comes back. */
  'erasure-unfinished':
    'A transaction that began before is still open and may add such a visit: run the same command again.',
  /** Retryable; the message says why. Nothing was changed: the same command goes on. */
  'relabel-unfinished': 'History is not labelled anew yet: run the same command again.',
  /** details: changes */
  'relabel-too-large':
    'More than 1,000,000 visits (of months that only files have: sums of 15 minutes) would change at once: give a shorter range, such as a month.',
  /** The message says why, and what to do first; nothing was changed. */
  'month-not-restorable': 'The month cannot be brought back into the ledger now.',
  /** details: buckets. Look at `hopcount archive verify`; nothing was changed. */
  'restored-month-differs': 'What was copied is not what the buckets of the month say: nothing was changed.',
  'too-many-new-hosts':
    'A stream of fed counts named more hosts nobody had met than it may in a day; nothing was taken.',
  'too-many-counts': 'A stream fed more lines of counts than it may in a day; nothing was taken.',
  'host-batch-not-found': 'No batch was fed with the key, or too long ago.',
  'host-batch-ended': 'The batch was counted so long ago that nobody knows its counts any more: it stays.',
  'job-not-found': 'No job has that id, or it ended more than 30 days ago.',
  'job-conflict': 'What was asked does not go with the state of the job, or another one of its kind is running.',
  'too-many-jobs': 'As many plans as there may be are not made yet.',
  'bad-range': 'The topic does not have the named range, or it is longer than allowed.',
  'wait-timeout': 'The wait ended before everything published was counted.',
  'short-url-not-found': 'There is no such link.',
  'data-centre-not-found': 'No peer of that name is known.',
  'data-centre-followed': 'Workers still follow the peer; nothing was forgotten.',
  /** The message says what belongs to another one. */
  'other-data-centre': 'Settings of different data centres are mixed: nothing was published.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof LEDGER_ERRORS, string> {}
}
