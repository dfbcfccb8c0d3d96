const ALL = { visits: 3, perSecond: 0.002, weight: 1 };

/** Of the links and visits that openapi/examples.spec-helpers.ts makes. */
export const HOT_EXAMPLES = {
  hottest: {
    summary: 'Which short URL and which domain are visited most just now?',
    parameters: { limit: '1' },
    answer: {
      hot: {
        since: '2026-05-11T07:30:00.000Z',
        until: '2026-05-11T07:55:00.000Z',
        visits: 3,
        hosts: [{ host: 'go.example', ...ALL }],
        links: [{ domain: 'go.example', shortCode: 'spring-sale', shortUrl: 'http://go.example/spring-sale', ...ALL }],
      },
    },
  },
};
