import type { Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { urlEntry } from '../filter/filter-entries.js';
import type { LinkFilter } from '../filter/link-filter.js';
import { normalUrl } from '../targets/normal-url.js';
import { linkFromRow, type LinkRecord, type LinkRow, SELECT_LINKS } from './link-record.js';
import { toColumns } from './link-settings.js';
import type { LinkDraft, WantedExisting } from './new-link.js';

/** Of advisory locks; fewer than a transaction may hold. */
const LOCKS = 256;
/** Named apart from other advisory locks; in the order given. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtext('hopcount-find-if-exists'), lock) FROM unnest($1::integer[]) AS lock`;

const TAGS = `ARRAY(SELECT tags.name::text FROM link_tags JOIN tags ON tags.id = link_tags.tag_id
  WHERE link_tags.link_id = links.id)`;
/** As it is answered, 302 is also what a row without a status of its own has. */
const FIELDS = `CASE WHEN links.redirect_status IS NULL AND wanted.fields ->> 'redirect_status' = '302'
  THEN wanted.fields - 'redirect_status' ELSE wanted.fields END`;
/** Fields are a row's own when they change nothing in it. */
const CONDITIONS = `links.deleted_at IS NULL AND links.password_hash IS NULL
  AND within_reach(links.author_key_id, links.domain_id, links.group_id, $2, $3, $4)
  AND (wanted.authority IS NULL OR links.domain_id = (SELECT id FROM domains WHERE authority = wanted.authority))
  AND (wanted.code IS NULL OR links.code = wanted.code)
  AND (wanted.prefix IS NULL OR starts_with(links.code, wanted.prefix))
  AND jsonb_populate_record(links, ${FIELDS}) IS NOT DISTINCT FROM links
  AND (wanted.tags = '{}' OR (wanted.tags <@ ${TAGS} AND wanted.tags @> ${TAGS}))`;
const oldest = (same: string) =>
  `(SELECT links.id FROM links WHERE ${same} AND ${CONDITIONS} ORDER BY links.id LIMIT 1)`;

/** By the text as well: until all links have a hash, and of those that a process of an older version edited. */
const FIND = `SELECT wanted.place, links.*
  FROM jsonb_to_recordset($1::jsonb) AS wanted (
    place integer, url_hash bytea, long_url text, authority text, code text, prefix text, fields jsonb, tags text[]
  )
  JOIN (${SELECT_LINKS}) AS links
    ON links.id = coalesce(${oldest('links.url_hash = wanted.url_hash')}, ${oldest('links.long_url = wanted.long_url')})`;

/** Two who look for the same URL would both find nothing: the second waits here for the first's COMMIT. */
export async function lockSearches(tx: Transaction, drafts: readonly LinkDraft[]): Promise<void> {
  const hashes = drafts.filter(({ existing }) => existing !== null).map(({ urlHash }) => urlHash);
  const locks = new Set(hashes.map((hash) => Number.parseInt(hash.slice(-8), 16) % LOCKS));
  if (locks.size > 0) await tx.query(LOCK, [[...locks].sort((a, b) => a - b)]);
}

/** The links that those among the drafts may be, which look for one, by their place. */
export async function findExisting(
  tx: Transaction,
  drafts: ReadonlyMap<number, LinkDraft>,
  { reach, filter }: { reach: Reach; filter: Pick<LinkFilter, 'lacks'> },
): Promise<Map<number, LinkRecord>> {
  const wanted = (await perhapsThere(tx, drafts, filter)).flatMap(([place, { existing, urlHash, fields }]) => {
    if (existing === null) return [];
    const asked = JSON.parse(toColumns(existing.fields)) as object;
    return [{ ...existing, place, url_hash: urlHash, long_url: fields.longUrl, fields: asked }];
  });
  if (wanted.length === 0) return new Map();
  const rows = await tx.query<LinkRow & { place: number }>(FIND, [JSON.stringify(wanted), ...reach.values]);
  const found = rows.map((row): [number, LinkRecord] => [row.place, linkFromRow(row)]);
  // A hash may be of what an older process has edited since.
  return new Map(found.filter(([place, link]) => isSameUrl(link, drafts.get(place))));
}

/** Without those that are looking for a long URL which the filter says no link has. */
async function perhapsThere(
  tx: Transaction,
  drafts: ReadonlyMap<number, LinkDraft>,
  filter: Pick<LinkFilter, 'lacks'>,
): Promise<[number, LinkDraft][]> {
  const looking = [...drafts].filter(([, { existing }]) => existing !== null);
  if (looking.length === 0) return [];
  const entries = looking.map(([, { urlHash }]) => urlEntry(urlHash));
  const lacks = await filter.lacks(tx, entries);
  return looking.filter((_, index) => lacks[index] !== true);
}

/** As the query judges, of a link that is yet to be inserted and leads to the same URL. */
export function isWanted(draft: LinkDraft, wanted: WantedExisting | null): boolean {
  const { authority, wantedCode, tags, fields } = draft;
  if (wanted === null || draft.passwordHash !== undefined || (wanted.authority ?? authority) !== authority)
    return false;
  if (wanted.code !== null && wanted.code !== wantedCode.custom) return false;
  if (wanted.prefix !== null && !(wantedCode.custom ?? wantedCode.prefix).startsWith(wanted.prefix)) return false;
  const hasTags = tags.length === wanted.tags.length && wanted.tags.every((tag) => tags.includes(tag));
  if (wanted.tags.length > 0 && !hasTags) return false;
  const has = { ...fields, redirectStatus: fields.redirectStatus ?? 302 };
  return toColumns({ ...has, ...wanted.fields }) === toColumns(has);
}

function isSameUrl({ longUrl }: LinkRecord, draft: LinkDraft | undefined): boolean {
  return draft !== undefined && normalUrl(longUrl) === normalUrl(draft.fields.longUrl);
}
