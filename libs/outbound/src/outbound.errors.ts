/** Codes of the errors this library throws (as AppError); none of them is a client's. */
export const OUTBOUND_ERRORS = {
  'outbound-refused':
    'An address must not be asked, or its answer is of no use; details: reason. Asking again is no help.',
  'outbound-failed': 'No whole answer came; details: reason. Retryable.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof OUTBOUND_ERRORS, string> {}
}
