import { EXTRA_PATH_MODES, REDIRECT_STATUSES } from '@hopcount/links';

import { Fields, invalid } from './fields.js';
import { readRoutes } from './route-fields.js';
import { type ReadLinks, RowSkipped, type SourceRecord } from './source-link.js';

/** What says nothing of where a link leads: made anew here, or counts of visits. */
const OF_NO_USE = [
  ...[
    'shortUrl',
    'id',
    'visits',
    'nonBotVisits',
    'botVisits',
    'visitsSummary',
    'visitsCount',
    'meta',
    'hasRedirectRules',
  ],
  'deviceLongUrls',
];

/**
 * Short URLs as Shlink's REST API and its web client's CSV have them, and our own exports, which have more. What they say of
 * visits is their number: each visit is a record of its own (read-visits.ts).
 */
export const readShlink: ReadLinks = (record) => {
  const fields = new Fields({ ...record, ...metaOf(record) });
  const code = fields.text('shortCode', 'code', 'slug', 'customSlug', 'keyword');
  const longUrl = fields.required('longUrl', 'url', 'target', 'destination');
  if (asksForPassword(fields)) throw new RowSkipped('password', `"${code ?? longUrl}" asks for a password.`);
  const domain = domainOf(fields.text('domain'));
  const rulesElsewhere = fields.flag('hasRedirectRules') === true && fields.get('redirectRules') === undefined;
  const link = {
    ...{ longUrl, domain, customSlug: code, title: fields.text('title'), tags: fields.tags() },
    ...{ groupId: fields.text('groupId', 'group'), note: fields.text('note') },
    createdAt: fields.date('dateCreated', 'createdAt', 'created') ?? undefined,
    validSince: fields.date('validSince'),
    validUntil: fields.date('validUntil', 'expires', 'expiresAt'),
    maxVisits: limitOf(fields),
    expiredUrl: fields.text('expiredUrl'),
    disabled: fields.flag('disabled'),
    crawlable: fields.flag('crawlable'),
    warn: fields.flag('warn'),
    forwardQuery: fields.flag('forwardQuery'),
    extraPath: oneOf(fields, 'extraPath', EXTRA_PATH_MODES),
    redirectStatus: oneOf(fields, 'redirectStatus', REDIRECT_STATUSES),
    ...readRoutes(fields),
  };
  const { validSince, validUntil } = link;
  if (validSince !== null && validUntil !== null && validUntil < validSince)
    throw invalid('validUntil', 'is before validSince');
  const visits = visitsOf(fields);
  fields.get(...OF_NO_USE);
  const withoutFields = [...fields.unread(), ...(rulesElsewhere ? ['redirectRules'] : [])];
  // Without a code it is the target that says which link it is; the same target twice is one link.
  const key = code === null ? `url:${longUrl}` : `${domain ?? ''}/${code}`;
  return [{ key, link, visits, withoutFields }];
};

/** Ours say whether; other files may have the password itself, or the same under its name. */
function asksForPassword(fields: Fields): boolean {
  const password = fields.get('password');
  return fields.flag('hasPassword') === true || ![undefined, false, 'false', 0, '0'].includes(password as string);
}

const MAX_LIMIT = 2 ** 31 - 1;

/** As the API takes it. */
function limitOf(fields: Fields): number | null {
  const limit = fields.whole('maxVisits');
  if (limit === null || (limit >= 1 && limit <= MAX_LIMIT)) return limit;
  throw invalid('maxVisits', `is not 1 to ${MAX_LIMIT}`);
}

/** All-time, also from before its first visit that is kept there. */
function visitsOf(fields: Fields): number | null {
  const summary = fields.get('visitsSummary');
  if (typeof summary !== 'object' || summary === null) return fields.count('visitsCount', 'visits');
  return new Fields(summary as SourceRecord).count('total');
}

const metaOf = ({ meta }: SourceRecord) => (typeof meta === 'object' && meta !== null ? (meta as SourceRecord) : {});

function domainOf(domain: string | null): string | null {
  return domain === null || domain.trim().toUpperCase() === 'DEFAULT' ? null : domain.trim();
}

function oneOf<Value extends string | number>(fields: Fields, name: string, values: readonly Value[]): Value | null {
  const given = fields.text(name);
  if (given === null) return null;
  const found = values.find((value) => String(value) === given.trim());
  if (found !== undefined) return found;
  throw invalid(name, `is none of ${values.join(', ')}`);
}
