/**
 * What the fields of links are called: in our exports first, then in those of Shlink, YOURLS, Kutt, Bitly, Dub, TinyURL,
 * Rebrandly and Short.io, and in the tables people make. Letter case, spaces and `_ - .` make no difference.
 */
export const NAMES = {
  target: [
    ...['longUrl', 'url', 'target', 'destination', 'destinationUrl', 'targetUrl', 'originalUrl', 'longLink'],
    ...['originalLink', 'destinationLink', 'redirectTo'],
  ],
  slug: [
    ...['shortCode', 'code', 'slug', 'customSlug', 'keyword', 'alias', 'backHalf', 'customBackHalf', 'slashtag'],
    ...['path', 'key', 'address'],
  ],
  shortUrl: ['shortUrl', 'shortLink', 'link', 'bitlink', 'tinyUrl', 'brandedLink', 'customBitlink'],
  domain: ['domain', 'domainFullName', 'domainName', 'shortDomain', 'customDomain'],
  title: ['title', 'linkTitle', 'pageTitle'],
  note: ['note', 'notes', 'comments', 'comment', 'description'],
  tags: ['tags', 'tag', 'labels'],
  created: [
    ...['dateCreated', 'createdAt', 'created', 'createdDate', 'creationDate', 'createdOn', 'createDate', 'addDate'],
    'timestamp',
  ],
  validUntil: [
    ...['validUntil', 'expires', 'expiresAt', 'expiresOn', 'expiration', 'expirationDate', 'expiryDate', 'expireIn'],
  ],
  maxVisits: ['maxVisits', 'clicksLimit', 'clickLimit', 'maxClicks', 'visitLimit'],
  visits: ['visitsCount', 'visits', 'visitCount', 'clicks', 'totalClicks', 'hits'],
  date: ['date', 'visitedAt', 'timestamp'],
} as const;

/** Made anew here, or counts of visits: what says nothing of where a link leads. */
export const OF_NO_USE = [
  ...['id', 'idString', 'uuid', 'visits', 'nonBotVisits', 'botVisits', 'visitsSummary', 'visitsCount', 'visitCount'],
  ...['meta', 'hasRedirectRules', 'clicks', 'totalClicks', 'uniqueClicks', 'hits', 'engagements', 'leads', 'sales'],
  ...['updatedAt', 'dateUpdated', 'lastClickAt', 'lastClicked', 'lastClick', 'secureShortUrl', 'qrCode', 'userId'],
  ...['domainId', 'ownerId', 'workspaceId', 'dateLastVisit', 'visitsExact'],
];

const OTHERS = [
  ...['validSince', 'expiredUrl', 'disabled', 'crawlable', 'warn', 'forwardQuery', 'extraPath', 'redirectStatus'],
  ...['redirectRules', 'split', 'groupId', 'group', 'hasPassword', 'password', 'deviceLongUrls'],
  ...['eventId', 'referer', 'referrer', 'userAgent', 'class', 'potentialBot', 'country', 'countryCode', 'ip'],
  ...['clickId', 'clickTime', 'ipAddress', 'banned', 'createdBy', 'archived'],
];

/** One spelling of a name. */
export const plain = (name: string) => name.toLowerCase().replace(/[\s_.-]/g, '');

const KNOWN: ReadonlySet<string> = new Set([...Object.values(NAMES).flat(), ...OF_NO_USE, ...OTHERS].map(plain));

/** Whether some source has a field of that name. */
export const isKnownName = (name: string) => KNOWN.has(plain(name));

/** The columns of the tables of YOURLS in their order, as they are dumped without a header. */
export const YOURLS_TABLES = [
  {
    names: ['keyword', 'url', 'title', 'timestamp', 'ip', 'clicks'],
    looks: /^[^\n]+\n[a-z]+:[^\n]*\n[^\n]*\n\d{4}-\d\d-\d\d [\d:]+\n[\d.:a-f]*\n\d+$/i,
  },
  {
    names: ['click_id', 'click_time', 'shorturl', 'referrer', 'user_agent', 'ip_address', 'country_code'],
    looks: /^\d+\n\d{4}-\d\d-\d\d [\d:]+\n[^\n]+\n[^\n]*\n[^\n]*\n[\d.:a-f]*\n[A-Z]{0,2}$/i,
  },
] as const;

/** What a file of links, or visits, has to be: told where nothing of a file could be taken. */
export const EXPECTED =
  'Expected is a CSV file whose first line names the columns: longUrl (or url, target, destination, original URL …), and as ' +
  'you have them shortCode (or slug, keyword, alias, short URL …), domain, title, tags, dateCreated; of visits date and ' +
  'shortCode. Or JSON Lines, or JSON as the API of the source answers it. In UTF-8.';
