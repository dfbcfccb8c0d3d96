/** Codes of the AppErrors this library throws. */
export const ARCHIVE_ERRORS = {
  /** details: path. It is set aside: `hopcount doctor` says what to do. */
  'archive-file-damaged': 'A file of the archive is missing or is not what was sealed.',
  /** Retryable; details: path. */
  'archive-file-changed': 'A file of the archive was written to while it was read: nothing of it was used.',
  /**
   * details: folder, and the ids its file `archive-id` should have and has. Mount the volume, or set ARCHIVE_URL; files
   * moved by hand take `archive-id` with them.
   */
  'archive-folder-missing':
    'ARCHIVE_URL is not the place that holds the files of this archive (not mounted, or another one): nothing was done.',
  /** details: folder. Nothing was written, nothing removed. */
  'archive-folder-foreign':
    'ARCHIVE_URL is a place with files of another ledger: nothing was done. Name a place of its own; where that ledger is no more, remove the file `archive-id` from it.',
  /** details: reason, the first line of what DuckDB says; the rest quotes rows. */
  'archive-engine-failed': 'DuckDB could not do it.',
  'archive-memory-exceeded': 'DuckDB needs more memory than ARCHIVE_MEMORY, and could not spill the rest.',
  /** Retryable: with less going on it may fit. */
  'archive-question-too-large':
    'The question takes longer than 30 s or more memory than there is: ask for a shorter range.',
  'archive-export-too-large':
    'A Parquet file has at most 10,000,000 rows and 4 GB, and is made in 15 minutes: ask for a shorter range, or for the rows behind the last one that came.',
  /**
   * Retryable; details: store, reason. Not reachable, or it refuses (credentials, region, bucket): files count as
   * before, nothing is set aside.
   */
  'archive-store-away':
    'The bucket of the archive does not answer or refuses (ARCHIVE_URL and AWS_* say where and as whom): sealing waits, and only files in ARCHIVE_CACHE can be read.',
  /** Retryable, once other questions are done; details: folder, maxBytes, neededBytes. */
  'archive-cache-full':
    'The files in use at once are larger than ARCHIVE_CACHE_SIZE: ask for a shorter range, or raise it.',
  /** Retryable, once there is space. */
  'archive-no-space':
    'Less than 10 % and less than 5 GB are free in the folder the archive writes to: nothing is written.',
  /** Nothing was added; the next run starts from what is there now. Retryable. */
  'archive-moved-on': 'Other files were sealed or merged meanwhile, or the database was restored.',
  /** Retryable: files may be whole, but cannot be read now, and the ledger has not what they hold. */
  'archive-unreadable': 'Part of the range is only in the archive, which cannot be read right now. Try again later.',
  /** details: hour */
  'archive-seal-first':
    'Files of the month still hold visits that were purged: run `hopcount archive seal --execute` first.',
  'archive-read-back-differs': 'What was written does not hold the visits the buckets say: nothing was added.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof ARCHIVE_ERRORS, string> {}
}
