/** Codes of the errors the gateway throws; none reaches a visitor by name. */
export const GATEWAY_ERRORS = {
  'spool-full': 'SPOOL_MAX_BYTES are on disk; visits are refused until Kafka takes some.',
  'spool-write-failed': 'The disk did not take the visits (full, read-only, failing).',
  'spool-read-failed': 'A spooled segment cannot be read now; it stays on disk and is tried again.',
  'spool-segment-gone':
    'A segment was adopted or deleted while it was written to; what it was to take is written again.',
  'spool-closed': 'The process is stopping.',
  'rejected-full': 'The folder of rejected records is full; their segments stay in the spool and are tried again.',
  'visit-not-durable':
    'Neither Kafka nor the spool has the visit; it must not be answered as counted. details: inDoubt (Kafka or a failing disk may have it).',
  'limit-undecided': 'PostgreSQL has not said whether a link with a limit may still be followed; 503.',
} as const satisfies Record<string, string>;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof GATEWAY_ERRORS, string> {}
}
