import { EXAMPLE_FRESHNESS, EXAMPLE_WEEK } from '../example-week.js';

/** Of the links and visits that openapi/examples.spec-helpers.ts makes. */
export const LINK_STATISTICS_EXAMPLES = {
  twoDays: {
    summary: 'Everything about two days of a link',
    parameters: { code: 'spring-sale', ...EXAMPLE_WEEK, endDate: '2026-05-05' },
    answer: {
      timeZone: 'Europe/Berlin',
      startDate: '2026-05-04T00:00:00+02:00',
      endDate: '2026-05-06T00:00:00+02:00',
      ...EXAMPLE_FRESHNESS,
      shortCode: 'spring-sale',
      domain: null,
      interval: 'day' as const,
      exact: true,
      inexact: [],
      keyRotations: [],
      totals: {
        visits: 3,
        visitors: 2,
        ips: 2,
        byClass: { human: 3, bot: 0, preview: 0, prefetch: 0, 'opted-out': 0 },
      },
      series: [
        { start: '2026-05-04T00:00:00+02:00', visits: 2, visitors: 1, ips: 1 },
        { start: '2026-05-05T00:00:00+02:00', visits: 1, visitors: 1, ips: 1 },
      ],
      dimensions: {
        country: [
          { value: 'DE', visits: 2 },
          { value: 'FR', visits: 1 },
        ],
        region: [
          { value: 'Berlin, DE', visits: 2 },
          { value: 'Île-de-France, FR', visits: 1 },
        ],
        city: [
          { value: 'Berlin, DE', visits: 2 },
          { value: 'Paris, FR', visits: 1 },
        ],
        os: [
          { value: 'Linux', visits: 2 },
          { value: 'iOS', visits: 1 },
        ],
        browser: [
          { value: 'Firefox', visits: 2 },
          { value: 'Mobile Safari', visits: 1 },
        ],
        device: [
          { value: 'desktop', visits: 2 },
          { value: 'mobile', visits: 1 },
        ],
        network: [{ value: 'unknown', visits: 3 }],
        referrer: [{ value: 'example.org', visits: 3 }],
        language: [
          { value: 'de', visits: 2 },
          { value: 'fr', visits: 1 },
        ],
      },
      readFrom: { archivedVisits: 0, hourFolds: 0, ledgerVisits: 3 },
    },
  },
};
