import { EXAMPLE_ANSWERED, EXAMPLE_RANGE, EXAMPLE_WEEK } from '../example-week.js';

/** Of the links and visits that openapi/examples.spec-helpers.ts makes. */
export const PROOF_EXAMPLES = {
  week: {
    summary: 'Are all visits of a link there, each once?',
    parameters: { ...EXAMPLE_WEEK, shortCode: 'spring-sale' },
    answer: {
      ...EXAMPLE_ANSWERED,
      quarterHours: EXAMPLE_RANGE,
      used: { visits: 4, checksum: '4' },
      comparedOf: 'scope' as const,
      rows: { visits: 4, checksum: '4' },
      buckets: { visits: 4, checksum: '4' },
      agree: true,
    },
  },
};

export const EXPLAIN_EXAMPLES = {
  french: {
    summary: 'Which visits are those from France?',
    parameters: { ...EXAMPLE_WEEK, shortCode: 'spring-sale', 'filter[]': ['country=FR'], itemsPerPage: '1' },
    answer: {
      ...EXAMPLE_ANSWERED,
      visits: [
        {
          eventId: '019df75d-9a80-7000-8000-000000000003',
          latitude: null,
          longitude: null,
          class: 'human' as const,
          classReason: 'person' as const,
          channel: 'other' as const,
          route: 'rule:1',
          destination: 'https://shop.example/',
          country: 'FR',
          region: 'Île-de-France',
          city: 'Paris',
          os: 'Linux',
          browser: 'Firefox',
          device: 'desktop',
          network: 'unknown',
          language: 'fr',
          source: 'gw-test',
          userAgent: 'Mozilla/5.0',
          osVersion: null,
          browserVersion: '140',
          importedFrom: null,
          enrichmentVersion: 1,
          utm: null,
          truncated: [],
          date: '2026-05-05T11:00:00.000+02:00',
          shortCode: 'spring-sale',
          domain: 'go.example',
          shortUrl: 'http://go.example/spring-sale',
          group: 'spring',
          referrerUrl: 'https://example.org/deals',
          referrer: 'example.org',
        },
      ],
      next: '019df75d-9a80-7000-8000-000000000003',
    },
  },
};
