/** Codes of the AppErrors this process throws itself; see also those of libs/kafka and libs/ledger. */
export const CONSUMER_ERRORS = {
  'partition-not-owned': 'A batch arrived for a partition whose start is not decided; it will be read again.',
  'preparation-incomplete':
    'A batch was prepared with more or fewer records than it has: a defect; it will be read again.',
  'unsplittable-batch': 'PostgreSQL refuses the batch although it takes each visit: a defect, not bad input.',
} as const satisfies Record<string, string>;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof CONSUMER_ERRORS, string> {}
}
