/** Codes of the AppErrors this library throws; all but `client-gone` are also problems of the API. */
export const STATISTICS_ERRORS = {
  'invalid-data': 'The interval is none of those offered; details: invalidElements.',
  'invalid-range': 'The range is no range, or too long for its interval; details: invalidElements.',
  'too-many-questions': 'So many questions are under way or waiting that another one would wait too long. Retryable.',
  'client-gone': 'Whoever asked has left before the answer: nobody is told.',
  'answer-takes-too-long': 'PostgreSQL would have to work on it for longer than one question may take. Retryable.',
  'question-too-expensive': 'Too many visits would have to be looked at; details: estimate, limit.',
  'invalid-time-zone': 'Not the name of an IANA time zone; details: invalidElements.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof STATISTICS_ERRORS, string> {}
}
