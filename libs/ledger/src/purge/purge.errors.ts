/** Codes of a purge, both also problems of the API (PROBLEMS in contracts). */
export const PURGE_ERRORS = {
  /** details: deletedVisits, reason. Marked, so nothing comes back; a job of the consumer does the rest. Retryable. */
  'purge-unfinished': 'The visits are being deleted; it takes longer than one request may. It goes on by itself.',
  'short-url-not-found': 'There is no such link.',
} as const;
