/** Codes of the AppErrors this library throws. */
export const RUNTIME_ERRORS = {
  'beyond-role': 'Who asks reaches some links only, and this is about all of them.',
  'invalid-config': 'Settings that are missing, wrong or contradict each other; the message names each.',
  failpoint: 'A failpoint that a test armed was reached.',
} as const;
