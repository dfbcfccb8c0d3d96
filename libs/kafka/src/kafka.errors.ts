/** Codes of the AppErrors this library throws. */
export const KAFKA_ERRORS = {
  'handler-missing': 'No handler is registered for the topic the strategy consumes.',
  'batch-abandoned': 'The partition is no longer ours, or the process is stopping; the batch will be read again.',
  'kafka-unavailable': 'No acknowledgement in time; the records may or may not have been written. Try again later.',
  'broker-rejected': 'The broker refuses these records for good (too large, invalid); a part of them may be taken.',
  /** The message says which, and what to do. Retryable: an operator puts it right. */
  'other-cluster': 'The brokers belong to another Kafka cluster than the one that is expected: nothing was done.',
} as const satisfies Record<string, string>;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof KAFKA_ERRORS, string> {}
}
