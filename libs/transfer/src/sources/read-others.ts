import type { NewLink } from '@hopcount/links';

import { Fields } from './fields.js';
import { type ReadLinks, RowSkipped, type SourceLink } from './source-link.js';

const NOTHING = { title: null, tags: [], groupId: null } satisfies Partial<NewLink>;

/** Links of Kutt's API v2 (`GET /api/v2/links`). Visits are totals: they cannot be counted as visits. */
export const readKutt: ReadLinks = (record) => {
  const fields = new Fields(record);
  const address = fields.required('address');
  const longUrl = fields.required('target');
  if (fields.flag('password') === true) throw new RowSkipped('password', `"${address}" asks for a password.`);
  const domain = fields.text('domain');
  const link: NewLink = {
    ...{ ...NOTHING, longUrl, customSlug: address, domain, note: fields.text('description') },
    createdAt: fields.date('created_at') ?? undefined,
    validUntil: fields.date('expire_in'),
    disabled: fields.flag('banned'),
  };
  fields.get(...['id', 'uuid', 'link', 'shortUrl', 'updated_at', 'user_id', 'domain_id', 'reuse', 'banned_by_id']);
  const visits = fields.count('visit_count');
  return [{ key: `${domain ?? ''}/${address}`, link, visits, withoutFields: fields.unread() }];
};

/** Links of YOURLS: its API (`action=stats`), or its table `yourls_url` as CSV. Clicks are totals, as above. */
export const readYourls: ReadLinks = (record) => {
  const fields = new Fields(record);
  const keyword = fields.text('keyword') ?? lastSegment(fields.required('shorturl'));
  const link: NewLink = {
    ...{ ...NOTHING, longUrl: fields.required('url', 'longurl'), customSlug: keyword, domain: null },
    title: fields.text('title'),
    createdAt: fields.date('timestamp') ?? undefined,
  };
  fields.get('shorturl', 'ip');
  const visits = fields.count('clicks');
  return [{ key: keyword, link, visits, withoutFields: fields.unread() }];
};

/** Bitlinks of Bitly's API v4, or its CSV export. Each custom back-half is a link of its own. Clicks are not in it. */
export const readBitly: ReadLinks = (record) => {
  const fields = new Fields(record);
  const longUrl = fields.required('long_url', 'url', 'destination');
  const main = fields.required('id', 'link', 'bitlink', 'short_url');
  const shared = {
    ...{ ...NOTHING, longUrl, domain: null, title: fields.text('title') },
    tags: fields.tags(),
    createdAt: fields.date('created_at', 'created', 'date_created') ?? undefined,
  };
  const addresses = [main, ...fields.texts('custom_bitlinks')];
  fields.get(...['link', 'bitlink', 'archived', 'references', 'created_by', 'client_id', 'is_deleted', 'campaign_ids']);
  const visits = fields.count('clicks');
  fields.get(...['engagements', 'group_guid', 'expiration_at']);
  const apps = fields.list('deeplinks').length > 0 ? ['deeplinks'] : [];
  const withoutFields = [...fields.unread(), ...apps];
  const codes = [...new Set(addresses.map(lastSegment))];
  return codes.map((customSlug): SourceLink => {
    return { key: customSlug, link: { ...shared, customSlug }, visits, withoutFields };
  });
};

function lastSegment(address: string): string {
  const path = address.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  const segment = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    // No percent-encoding: taken as it stands.
    return segment;
  }
}
