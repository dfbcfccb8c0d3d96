import { EXAMPLE_FRESHNESS, EXAMPLE_READ } from '../example-week.js';

/** Of the links and visits that openapi/examples.spec-helpers.ts makes. */
export const LIVE_EXAMPLES = {
  now: {
    summary: 'Who comes through the links of a tag just now?',
    parameters: { tag: 'mail' },
    answer: {
      timeZone: 'UTC',
      startDate: '2026-05-11T07:30:00.370+00:00',
      endDate: '2026-05-11T08:00:00.370+00:00',
      ...EXAMPLE_READ,
      ...EXAMPLE_FRESHNESS,
      minutes5: { visits: 2, visitors: 1, ips: 1 },
      minutes30: { visits: 3, visitors: 1, ips: 1 },
    },
  },
};
