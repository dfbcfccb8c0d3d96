import { EXTRA_PATH_MODES, REDIRECT_STATUSES } from '@hopcount/links';

import { Fields, invalid } from './fields.js';
import { NAMES, OF_NO_USE } from './names.js';
import { readRoutes } from './route-fields.js';
import { decoded, isSharedDomain, readShortUrl } from './short-urls.js';
import { keyOf } from './source-key.js';
import { type ReadLinks, RowSkipped, type SourceRecord } from './source-link.js';

/**
 * Short URLs as Shlink's REST API and its web client's CSV have them, and our own exports, which have more. What they say of
 * visits is their number: each visit is a record of its own (read-visits.ts).
 */
export const readShlink: ReadLinks = (record) => {
  const fields = new Fields(record, metaOf(record));
  const { code, domain, withoutDomain } = addressOf(fields);
  const longUrl = fields.required(...NAMES.target);
  if (asksForPassword(fields))
    throw new RowSkipped('password', `"${code ?? longUrl}" asks for a password.`, 'password');
  const rulesElsewhere = fields.flag('hasRedirectRules') === true && fields.get('redirectRules') === undefined;
  const link = {
    ...{ longUrl, domain, customSlug: code, title: fields.text(...NAMES.title), tags: fields.tags() },
    ...{ groupId: fields.text('groupId', 'group'), note: fields.text(...NAMES.note) },
    createdAt: fields.past(...NAMES.created) ?? undefined,
    validSince: fields.date('validSince'),
    validUntil: fields.date(...NAMES.validUntil),
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
  fields.ignore(...OF_NO_USE, ...NAMES.shortUrl);
  const withoutFields = [...fields.unread(), ...withoutDomain, ...(rulesElsewhere ? ['redirectRules'] : [])];
  // Without a code it is the target that says which link it is; the same target twice is one link.
  const key = code === null ? { key: `url:${longUrl}` } : keyOf(domain, code);
  return [{ ...key, link, visits, withoutFields }];
};

/** Ours say whether; other files may have the password itself, or the same under its name. */
function asksForPassword(fields: Fields): boolean {
  const password = fields.get('password');
  return fields.flag('hasPassword') === true || ![undefined, false, 'false', 0, '0'].includes(password as string);
}

const MAX_LIMIT = 2 ** 31 - 1;

/** As the API takes it. */
function limitOf(fields: Fields): number | null {
  const limit = fields.whole(...NAMES.maxVisits);
  if (limit === null || (limit >= 1 && limit <= MAX_LIMIT)) return limit;
  throw invalid('maxVisits', `is not 1 to ${MAX_LIMIT}`);
}

/** All-time, also from before its first visit that is kept there. */
function visitsOf(fields: Fields): number | null {
  const summary = fields.get('visitsSummary');
  if (typeof summary !== 'object' || summary === null) return fields.count(...NAMES.visits);
  return new Fields(summary as SourceRecord).count('total');
}

const metaOf = ({ meta }: SourceRecord) => (typeof meta === 'object' && meta !== null ? (meta as SourceRecord) : {});

/** A code of its own, or that of the short URL; on the domain that is named, or that of the short URL where no field is for it. */
function addressOf(fields: Fields) {
  const slug = fields.only(...NAMES.slug);
  const namesDomain = fields.names(...NAMES.domain);
  const address = slug === null || !namesDomain ? shortUrlOf(fields) : null;
  if (slug !== null && address !== null && address.code !== slug && decoded(slug) !== address.code)
    throw invalid('shortCode', `is "${slug}", but the short URL is that of "${address.code}"`);
  const domain = namesDomain ? domainOf(fields.only(...NAMES.domain)) : (address?.domain ?? null);
  const isShared = domain !== null && isSharedDomain(domain);
  return {
    code: slug ?? address?.code ?? null,
    domain: isShared ? null : domain,
    withoutDomain: isShared ? [`domain ${domain}`] : [],
  };
}

function shortUrlOf(fields: Fields) {
  const text = fields.only(...NAMES.shortUrl);
  return text === null ? null : readShortUrl(text);
}

function domainOf(domain: string | null): string | null {
  return domain === null || domain.toUpperCase() === 'DEFAULT' ? null : domain;
}

function oneOf<Value extends string | number>(fields: Fields, name: string, values: readonly Value[]): Value | null {
  const given = fields.text(name);
  if (given === null) return null;
  const found = values.find((value) => String(value) === given.trim());
  if (found !== undefined) return found;
  throw invalid(name, `is none of ${values.join(', ')}`);
}
