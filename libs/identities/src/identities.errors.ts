/** Codes of the errors this library throws (as AppError), beside those of links (a domain that is none: `invalid-data`). */
export const IDENTITIES_ERRORS = {
  'api-key-not-found': 'No API key has that id or name, or it is revoked.',
  'api-key-conflict': 'Another API key has that name; details: name.',
  'too-many-api-keys': 'There are as many API keys as there may be.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof IDENTITIES_ERRORS, string> {}
}
