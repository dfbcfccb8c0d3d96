/** Codes of the errors this library throws (as AppError). */
export const TRANSFER_ERRORS = {
  'import-not-found': 'There is no import with that id; details: import.',
  'import-waits': 'It cannot go on right now; a worker tries again.',
  'import-fenced': 'Somebody else went on with this import, or it has ended; what was read is not written.',
  'import-too-large': 'The file is larger than an import may be.',
  'too-many-imports': 'As many imports as may be wait or are under way; details: imports (own ones).',
  'source-refused': 'The API to import from answered something else than links.',
  'source-unreachable': 'The API to import from cannot be asked.',
  'unreadable-file': 'The file is not in the format that was named.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof TRANSFER_ERRORS, string> {}
}
