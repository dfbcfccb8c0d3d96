/** Codes of the AppErrors the api throws itself, all problems (PROBLEMS in contracts says what clients see). */
export const API_ERRORS = {
  'invalid-data': 'A body, query or header is not what the operation takes; details: invalidElements, reasons.',
  'missing-authentication': 'No API key was sent, and nobody is signed in; details: expectedHeaders.',
  'invalid-api-key': 'The API key is unknown, disabled, expired or revoked.',
  'signed-out': 'The session has ended, or never was one.',
  'cross-site-request': 'A page of another address asked, or nobody can tell whose page did.',
  'missing-scope': 'The API key may not do this; details: scope.',
  'method-not-allowed': 'The address answers other methods, which the Allow header names.',
  'not-found': 'Nothing is served at the address.',
  'too-many-requests': 'A limit of the API key, the user or the client is used up; Retry-After says for how long.',
  'dead-letter-not-found': 'The topic has no such letter: retention may have removed it.',
  'kafka-away': 'Kafka did not answer in time; what was to be sent may have been sent.',
  overloaded: 'More requests come than this process can answer in time, or than MAX_REQUESTS_PER_SECOND; 503.',
  'too-many-exports': 'As many exports as this process serves are under way; try again when one has ended.',
  'too-many-pages': 'As many large pages as this process makes are asked for; try again, or ask for fewer rows.',
  'too-many-readers': 'As many as this process serves follow visits; try again, or another process.',
  'read-only-field':
    'A field that the operation does not change was sent with another value; details: invalidElements, reasons.',
  'malformed-request-body': 'The body is not valid JSON, or its bytes do not match its charset.',
  'unsupported-media-type': 'The body is of a type that the operation does not take.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof API_ERRORS, string> {}
}
