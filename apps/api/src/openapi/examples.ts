import { GEO_ATTRIBUTION, type LinkStatistics, type OrphanVisit, type ShortUrl, type Visit } from '@hopcount/contracts';

import type { SchemaName } from './schemas.js';

const shortUrl: ShortUrl = {
  shortUrl: 'http://localhost:8080/7xKqPzR',
  shortCode: '7xKqPzR',
  longUrl: 'https://example.com/a?b=c',
  dateCreated: '2026-11-21T10:00:00+00:00',
  tags: ['docs', 'spring-sale'],
  meta: { validSince: null, validUntil: null, maxVisits: null },
  domain: null,
  title: 'Example',
  crawlable: false,
  forwardQuery: true,
  visitsSummary: { total: 12, nonBots: 10, bots: 2 },
  hasRedirectRules: false,
  id: '249856225617469440',
  groupId: 'marketing',
};

const visit: Visit = {
  referer: 'https://news.example/',
  date: '2026-11-21T10:02:03+00:00',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  visitLocation: {
    countryCode: 'DE',
    countryName: 'Germany',
    regionName: 'Bavaria',
    cityName: 'Munich',
    latitude: 48.14,
    longitude: 11.58,
    timezone: '',
    isEmpty: false,
  },
  potentialBot: false,
  visitedUrl: 'http://localhost:8080/7xKqPzR',
  redirectUrl: 'https://example.com/a?b=c',
  eventId: '01939d2c-7a10-7abc-bfed-cba987654321',
};

const orphan: OrphanVisit = {
  ...visit,
  visitedUrl: 'http://localhost:8080/7xKqPzR!',
  redirectUrl: null,
  type: 'invalid_short_url',
};

const pagination = { currentPage: 1, pagesCount: 1, itemsPerPage: 10, itemsInCurrentPage: 1, totalItems: 1 };

const statistics: LinkStatistics = {
  shortCode: '7xKqPzR',
  domain: null,
  timeZone: 'Europe/Berlin',
  startDate: '2026-11-21T00:00:00+01:00',
  endDate: '2026-11-22T00:00:00+01:00',
  interval: 'day',
  countedUpTo: '2026-11-21T12:00:00.000Z',
  pending: 0,
  uncounted: 0,
  totals: {
    visits: 12,
    visitors: 7,
    ips: 6,
    byClass: { human: 10, bot: 2, preview: 0, prefetch: 0, 'opted-out': 0 },
  },
  series: [{ start: '2026-11-21T00:00:00+01:00', visits: 12, visitors: 7, ips: 6 }],
  dimensions: {
    country: [{ value: 'DE', visits: 12 }],
    region: [{ value: 'Bavaria, DE', visits: 12 }],
    city: [{ value: 'Munich, DE', visits: 12 }],
    os: [{ value: 'Linux', visits: 12 }],
    browser: [{ value: 'Firefox', visits: 12 }],
    device: [{ value: 'desktop', visits: 12 }],
    network: [{ value: 'unknown', visits: 12 }],
    referrer: [{ value: 'news.example', visits: 12 }],
    language: [{ value: 'de', visits: 12 }],
  },
  readFrom: { dayFolds: 0, hourFolds: 0, ledgerVisits: 12 },
  attribution: GEO_ATTRIBUTION,
};

/** One answer of each kind; a test holds them against the schemas. */
export const EXAMPLES: Record<Exclude<SchemaName, 'Problem'>, object> = {
  ShortUrl: shortUrl,
  ShortUrlList: { shortUrls: { data: [shortUrl], pagination } },
  DeletedVisits: { deletedVisits: 12 },
  VisitList: { visits: { data: [visit], pagination } },
  OrphanVisitList: { visits: { data: [orphan], pagination } },
  VisitsOverview: {
    visits: { nonOrphanVisits: { total: 12, nonBots: 10, bots: 2 }, orphanVisits: { total: 1, nonBots: 1, bots: 0 } },
  },
  LinkStatistics: statistics,
  Health: { status: 'pass', version: '5.1.0', links: { about: '/rest/docs', project: '/rest/openapi.json' } },
};
