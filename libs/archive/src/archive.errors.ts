/** Codes of the AppErrors this library throws. */
export const ARCHIVE_ERRORS = {
  /** details: path. It is set aside; what it held is sealed again from the ledger. */
  'archive-file-damaged': 'A file of the archive is missing or is not what was sealed.',
  /** Nothing was added; the next run starts from what is there now. Retryable. */
  'archive-moved-on': 'Other files were sealed or merged meanwhile, or the database was restored.',
  'archive-read-back-differs': 'What was written does not hold the visits the buckets say: nothing was added.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof ARCHIVE_ERRORS, string> {}
}
