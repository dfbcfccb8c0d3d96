import type { NewLink } from '@hopcount/links';

import { Fields } from './fields.js';
import { decoded, isSharedDomain, readShortUrl } from './short-urls.js';
import { keyOf, keyOfKeyword } from './source-key.js';
import { type ReadLinks, RowSkipped, type SourceLink } from './source-link.js';

const NOTHING = { title: null, tags: [], groupId: null } satisfies Partial<NewLink>;

/** Links of Kutt's API v2 (`GET /api/v2/links`). Visits are totals: they cannot be counted as visits. */
export const readKutt: ReadLinks = (record) => {
  const fields = new Fields(record);
  const address = fields.required('address');
  const longUrl = fields.required('target');
  if (fields.flag('password') === true)
    throw new RowSkipped('password', `"${address}" asks for a password.`, 'password');
  const domain = fields.text('domain');
  const link: NewLink = {
    ...{ ...NOTHING, longUrl, customSlug: address, domain, note: fields.text('description') },
    createdAt: fields.past('created_at') ?? undefined,
    validUntil: fields.date('expire_in'),
    disabled: fields.flag('banned'),
  };
  fields.ignore(...['id', 'uuid', 'link', 'shortUrl', 'updated_at', 'user_id', 'domain_id', 'reuse', 'banned_by_id']);
  const visits = fields.count('visit_count');
  return [{ ...keyOf(domain, address), link, visits, withoutFields: fields.unread() }];
};

/** Links of YOURLS: its API (`action=stats`), or its table `yourls_url` as CSV. Clicks are totals, as above. */
export const readYourls: ReadLinks = (record) => {
  const fields = new Fields(record);
  const keyword = fields.only('keyword') ?? lastSegment(fields.required('shorturl'));
  const link: NewLink = {
    ...{ ...NOTHING, longUrl: fields.required('url', 'longurl'), customSlug: keyword, domain: null },
    title: fields.text('title'),
    createdAt: fields.past('timestamp') ?? undefined,
  };
  fields.ignore('shorturl', 'ip');
  const visits = fields.count('clicks');
  return [{ ...keyOfKeyword(keyword), link, visits, withoutFields: fields.unread() }];
};

/** Bitlinks of Bitly's API v4, or its CSV export. Each custom back-half is a link of its own. Clicks are not in it. */
export const readBitly: ReadLinks = (record) => {
  const fields = new Fields(record);
  const longUrl = fields.required('long_url', 'url', 'destination', 'destination_url', 'original_url', 'long_link');
  const main = fields.text('id') ?? fields.text(...BITLINKS);
  if (main === null) throw new RowSkipped('missing-field', 'There is no link.', 'link');
  const shared = {
    ...{ ...NOTHING, longUrl, title: fields.text('title') },
    tags: fields.tags(),
    createdAt: fields.past('created_at', 'created', 'date_created') ?? undefined,
  };
  const custom = fields.get('custom_bitlinks');
  const addresses = [
    main,
    ...(typeof custom === 'string' && !custom.startsWith('[')
      ? custom.split(/[,|\s]+/)
      : fields.texts('custom_bitlinks')),
  ];
  fields.ignore(...BITLINKS, ...['archived', 'references', 'created_by', 'client_id', 'is_deleted', 'campaign_ids']);
  const visits = fields.count('clicks');
  fields.ignore(...['engagements', 'group_guid', 'expiration_at']);
  const withoutFields = fields.unread();
  const places = new Map(addresses.filter((address) => address !== '').map((address) => [address, placeOf(address)]));
  const byKey = new Map([...places.values()].map((place) => [keyOfPlace(place), place]));
  return [...byKey].map(([key, { domain, code: customSlug }]): SourceLink => {
    return { key, link: { ...shared, domain, customSlug }, visits, withoutFields };
  });
};

const BITLINKS = ['link', 'bitlink', 'short_url', 'short_link', 'custom_bitlink'];

/** Of Bitly's own domains there is one space of codes; a domain of a customer has its own. */
function placeOf(address: string): { domain: string | null; code: string } {
  const { domain, code } = readShortUrl(address);
  return { domain: isSharedDomain(domain) ? null : domain, code };
}

const keyOfPlace = ({ domain, code }: { domain: string | null; code: string }) =>
  domain === null ? code : `${domain}/${code}`;

/** YOURLS may be in a folder, and its keywords have no slashes. */
function lastSegment(address: string): string {
  const path = address.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  return decoded(path.slice(path.lastIndexOf('/') + 1));
}
