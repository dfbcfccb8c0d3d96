const SPRING_SALE = {
  shortUrl: 'http://go.example/spring-sale',
  shortCode: 'spring-sale',
  longUrl: 'https://shop.example/spring-sale',
  dateCreated: '2026-04-28T09:00:00+00:00',
  tags: ['mail'],
  meta: { validSince: null, validUntil: null, maxVisits: null },
  domain: null,
  title: 'Spring sale',
  crawlable: false,
  forwardQuery: true,
  visitsSummary: { total: 8, nonBots: 7, bots: 1 },
  hasRedirectRules: false,
  id: '250445669530411008',
  groupId: 'spring',
  disabled: false,
  expiredUrl: null,
  extraPath: null,
  redirectStatus: 302 as const,
  note: null,
  hasPassword: false,
  warn: false,
};

/** Of the links and visits that openapi/examples.spec-helpers.ts makes. */
export const GET_LINK_EXAMPLES = {
  byCode: { summary: 'A link and how often it was visited', parameters: { code: 'spring-sale' }, answer: SPRING_SALE },
};

export const LIST_LINKS_EXAMPLES = {
  ofTag: {
    summary: 'The links of a tag',
    parameters: { 'tags[]': ['mail'], itemsPerPage: '10' },
    answer: {
      shortUrls: {
        data: [SPRING_SALE],
        pagination: { currentPage: 1, pagesCount: 1, itemsPerPage: 10, itemsInCurrentPage: 1, totalItems: 1 },
      },
    },
  },
};

export const CREATE_LINK_EXAMPLES = {
  named: {
    summary: 'A link with a code of its own',
    body: { longUrl: 'https://shop.example/summer', customSlug: 'summer-sale', title: 'Summer sale', tags: ['summer'] },
    answer: {
      ...SPRING_SALE,
      shortUrl: 'http://go.example/summer-sale',
      shortCode: 'summer-sale',
      longUrl: 'https://shop.example/summer',
      tags: ['summer'],
      title: 'Summer sale',
      visitsSummary: { total: 0, nonBots: 0, bots: 0 },
      id: '250445673078792192',
      groupId: null,
    },
  },
};
