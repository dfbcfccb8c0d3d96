import { EXAMPLE_ANSWERED, EXAMPLE_READ, EXAMPLE_WEEK } from '../example-week.js';

/** Of the links and visits that openapi/examples.spec-helpers.ts makes. */
export const TOTALS_EXAMPLES = {
  newsletter: {
    summary: 'How many came through the links of a tag in a week, and the week before?',
    parameters: { ...EXAMPLE_WEEK, tag: 'mail', compare: 'previous' },
    answer: {
      ...EXAMPLE_ANSWERED,
      totals: {
        visits: 4,
        visitors: 3,
        ips: 3,
        byClass: { human: 3, bot: 1, preview: 0, prefetch: 0, 'opted-out': 0 },
      },
      compared: {
        startDate: '2026-04-27T00:00:00+02:00',
        endDate: '2026-05-04T00:00:00+02:00',
        ...EXAMPLE_READ,
        totals: {
          visits: 1,
          visitors: 1,
          ips: 1,
          byClass: { human: 1, bot: 0, preview: 0, prefetch: 0, 'opted-out': 0 },
        },
      },
    },
  },
  people: {
    summary: 'How many people in Germany, without bots?',
    parameters: { ...EXAMPLE_WEEK, 'filter[]': ['class=human', 'country=DE'], uniques: 'visitors' },
    answer: {
      ...EXAMPLE_ANSWERED,
      totals: { visits: 3, visitors: 1, byClass: { human: 3, bot: 0, preview: 0, prefetch: 0, 'opted-out': 0 } },
    },
  },
};

export const SERIES_EXAMPLES = {
  days: {
    summary: 'Visits and visitors of each day, in the zone of the one who asks',
    parameters: { ...EXAMPLE_WEEK, endDate: '2026-05-06', interval: 'day', uniques: 'visitors' },
    answer: {
      ...EXAMPLE_ANSWERED,
      endDate: '2026-05-07T00:00:00+02:00',
      interval: 'day' as const,
      series: [
        { start: '2026-05-04T00:00:00+02:00', visits: 2, visitors: 1 },
        { start: '2026-05-05T00:00:00+02:00', visits: 1, visitors: 1 },
        { start: '2026-05-06T00:00:00+02:00', visits: 1, visitors: 1 },
      ],
    },
  },
};

export const DIMENSION_EXAMPLES = {
  countries: {
    summary: 'From which countries did most of them come?',
    parameters: { name: 'country', ...EXAMPLE_WEEK, itemsPerPage: '2' },
    answer: {
      ...EXAMPLE_ANSWERED,
      dimension: 'country' as const,
      visits: 6,
      values: {
        data: [
          { value: 'DE', visits: 3 },
          { value: 'US', visits: 2 },
        ],
        pagination: { currentPage: 1, pagesCount: 2, itemsPerPage: 2, itemsInCurrentPage: 2, totalItems: 3 },
      },
      other: { values: 1, visits: 1 },
    },
  },
};

export const LINKS_EXAMPLES = {
  mostVisited: {
    summary: 'Which links were visited most, and by how many?',
    parameters: { ...EXAMPLE_WEEK, uniques: 'visitors' },
    answer: {
      ...EXAMPLE_ANSWERED,
      visits: 6,
      links: {
        data: [
          {
            shortCode: 'spring-sale',
            domain: 'go.example',
            shortUrl: 'http://go.example/spring-sale',
            visits: 4,
            visitors: 3,
          },
          { shortCode: 'manual', domain: 'go.example', shortUrl: 'http://go.example/manual', visits: 2, visitors: 2 },
        ],
        pagination: { currentPage: 1, pagesCount: 1, itemsPerPage: 100, itemsInCurrentPage: 2, totalItems: 2 },
      },
      other: { values: 0, visits: 0 },
    },
  },
};
