import type { Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { storedGroup } from '../organise/stored-groups.js';
import { spellDomain, spellTags } from './names.js';

type TagsMode = 'any' | 'all';

const HAS_VISITS_LEFT = `(links.max_visits IS NULL OR NOT EXISTS (
  SELECT FROM link_limits WHERE link_id = links.id AND used >= max_uses
))`;
const HAS_NOT_ENDED = '(links.valid_until IS NULL OR links.valid_until >= now())';
const HAS_BEGUN = '(links.valid_since IS NULL OR links.valid_since <= now())';

/** Whether visitors get on, and the first reason why not: each link is in one of them. */
export const LINK_STATES = ['active', 'disabled', 'not-yet-valid', 'expired', 'limit-reached'] as const;
type LinkState = (typeof LINK_STATES)[number];
const IN_STATE: Record<LinkState, string> = {
  disabled: 'links.disabled',
  'not-yet-valid': `NOT links.disabled AND NOT ${HAS_BEGUN}`,
  expired: `NOT links.disabled AND ${HAS_BEGUN} AND NOT ${HAS_NOT_ENDED}`,
  'limit-reached': `NOT links.disabled AND ${HAS_BEGUN} AND ${HAS_NOT_ENDED} AND NOT ${HAS_VISITS_LEFT}`,
  active: `NOT links.disabled AND ${HAS_BEGUN} AND ${HAS_NOT_ENDED} AND ${HAS_VISITS_LEFT}`,
};

export interface LinkListFilter {
  reach: Reach;
  /** null: any; `DEFAULT` or an authority. */
  domain: string | null;
  /** Part of the long URL, code, title, domain or a tag, in any letter case. */
  searchTerm: string | null;
  tags: readonly string[];
  tagsMode: TagsMode;
  /** Without links that have one of these tags, or all of them. */
  excludeTags?: readonly string[];
  excludeTagsMode?: TagsMode;
  /** Of the key that created them; null: any. A name that no key has finds none. */
  apiKeyName?: string | null;
  /** null: any. One that is not there has none. */
  groupId?: string | null;
  state?: LinkState | undefined;
  excludeMaxVisitsReached?: boolean;
  excludePastValidUntil?: boolean;
  /** Creation in [from, to). */
  from: Date | null;
  to: Date | null;
}

export interface LinkFilter {
  /** On `links`, joined by AND; none when every link matches. */
  conditions: string[];
  /** Of the conditions' parameters. */
  values: unknown[];
  /** Has to hold as well: `each` asks it of one link, `indexed` finds all. Its parameters are among `values`. */
  search: { each: string; indexed: string } | null;
  /** How many links match, exactly, in the transaction's snapshot; null with a search. */
  matching: number | null;
  /** How many links there are. */
  all: number;
}

const FIND_TAGS = 'SELECT id FROM tags WHERE name = ANY ($1)';

/** Shorter terms have no trigram: all rows are read for them. */
export const MIN_INDEXED_LENGTH = 3;

/** A list's filter as conditions, and how many links it leaves. What a client sent is a parameter, never text. */
export async function linkFilter(tx: Transaction, query: LinkListFilter): Promise<LinkFilter> {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const all = await numberOf(tx, 'SELECT sum(links) AS number FROM link_counts');

  let onDomain = all;
  if (query.domain !== null) {
    const id = await domainId(tx, query.domain);
    onDomain = await numberOf(tx, 'SELECT sum(links) AS number FROM link_counts WHERE domain_id = $1', [id]);
    if (onDomain < all) conditions.push(`links.domain_id = ${parameter(id)}`);
  }
  const ofDomain = conditions.length;
  if (!query.reach.isWhole) {
    const ids = query.reach.values.map((id) => parameter(id)).join();
    conditions.push(`within_reach(links.author_key_id, links.domain_id, links.group_id, ${ids})`);
  }

  const excluded = await exclusions(tx, query, parameter);
  const tags = spellTags(query.tags);
  if (query.tags.length > 0) {
    const tagIds = await idsOf(tx, FIND_TAGS, [tags]);
    if (query.tagsMode === 'all') {
      if (tagIds.length < tags.length) conditions.push('false');
      conditions.push(...tagIds.map((id) => isTagged(parameter(id))));
    } else {
      conditions.push(isTagged(`ANY (${parameter(tagIds)})`));
      const isOnly = conditions.length === 1 && query.searchTerm === null && query.from === null && query.to === null;
      if (isOnly && excluded.length === 0)
        return { conditions, values, search: null, matching: await countTagged(tx, tagIds), all };
    }
  }
  conditions.push(...excluded);
  if (query.from !== null) conditions.push(`links.created_at >= ${parameter(query.from)}`);
  if (query.to !== null) conditions.push(`links.created_at < ${parameter(query.to)}`);
  if (query.searchTerm !== null) {
    const search = await searchConditions(tx, query.searchTerm, parameter);
    return { conditions, values, search, matching: null, all };
  }
  if (conditions.length === ofDomain) return { conditions, values, search: null, matching: onDomain, all };
  const where = ['links.deleted_at IS NULL', ...conditions].join(' AND ');
  const matching = await numberOf(tx, `SELECT count(*) AS number FROM links WHERE ${where}`, values);
  return { conditions, values, search: null, matching, all };
}

const isTagged = (tags: string) => `EXISTS (SELECT FROM link_tags WHERE link_id = links.id AND tag_id = ${tags})`;

async function exclusions(tx: Transaction, query: LinkListFilter, parameter: (value: unknown) => string) {
  const { excludeTagsMode = 'any' } = query;
  const excludeTags = spellTags(query.excludeTags ?? []);
  const conditions: string[] = [];
  if (query.apiKeyName != null) {
    const [author] = await idsOf(tx, 'SELECT id FROM api_keys WHERE name = $1', [query.apiKeyName.normalize('NFC')]);
    conditions.push(author === undefined ? 'false' : `links.author_key_id = ${parameter(author)}`);
  }
  if (query.groupId != null) conditions.push(`links.group_id = ${parameter(await storedGroup(tx, query.groupId))}`);
  if (query.state !== undefined) conditions.push(IN_STATE[query.state]);
  if (query.excludeMaxVisitsReached === true) conditions.push(HAS_VISITS_LEFT);
  if (query.excludePastValidUntil === true) conditions.push(HAS_NOT_ENDED);
  if (excludeTags.length === 0) return conditions;
  const tagIds = await idsOf(tx, FIND_TAGS, [excludeTags]);
  if (excludeTagsMode === 'any') conditions.push(`NOT ${isTagged(`ANY (${parameter(tagIds)})`)}`);
  // No link has all of them when there is no such tag.
  else if (tagIds.length === excludeTags.length) {
    conditions.push(`NOT (${tagIds.map((id) => isTagged(parameter(id))).join(' AND ')})`);
  }
  return conditions;
}

/** Without reading the links: deleted ones keep their tags, and are the fewer ones to look up. */
async function countTagged(tx: Transaction, tagIds: number[]): Promise<number> {
  // A link has a tag once.
  const each = tagIds.length === 1 ? 'link_id' : 'DISTINCT link_id';
  return numberOf(
    tx,
    `SELECT (SELECT count(${each}) FROM link_tags WHERE tag_id = ANY ($1)) - (SELECT count(*) FROM links
       WHERE deleted_at IS NOT NULL AND EXISTS (SELECT FROM link_tags WHERE link_id = links.id AND tag_id = ANY ($1))) AS number`,
    [tagIds],
  );
}

async function searchConditions(tx: Transaction, term: string, parameter: (value: unknown) => string) {
  const pattern = `%${term.normalize('NFC').replace(/[\\%_]/g, '\\$&')}%`;
  const domainIds = await idsOf(tx, 'SELECT id FROM domains WHERE authority ILIKE $1', [pattern]);
  const tagIds = await idsOf(tx, 'SELECT id FROM tags WHERE name ILIKE $1', [pattern]);
  const found = [`links.search_text LIKE lower(${parameter(pattern)})`];
  if (domainIds.length > 0) found.push(`links.domain_id = ANY (${parameter(domainIds)})`);
  const parts = found.map((condition) => `SELECT id FROM links WHERE deleted_at IS NULL AND ${condition}`);
  if (tagIds.length > 0) {
    const tags = parameter(tagIds);
    found.push(`ARRAY(SELECT tag_id FROM link_tags WHERE link_id = links.id) && ${tags}`);
    parts.push(`SELECT link_id FROM link_tags WHERE tag_id = ANY (${tags})`);
  }
  const each = `(${found.join(' OR ')})`;
  // Each part by its own index; with OR the planner would read every row.
  const isIndexed = term.length >= MIN_INDEXED_LENGTH && parts.length > 1;
  return { each, indexed: isIndexed ? `links.id IN (${parts.join(' UNION ')})` : each };
}

async function domainId(tx: Transaction, domain: string): Promise<number | null> {
  const named = 'authority = $1 OR ($1::text IS NULL AND is_default)';
  return (await idsOf(tx, `SELECT id FROM domains WHERE ${named}`, [spellDomain(domain)]))[0] ?? null;
}

async function idsOf(tx: Transaction, sql: string, values: unknown[]): Promise<number[]> {
  return (await tx.query<{ id: number }>(sql, values)).map((row) => row.id);
}

async function numberOf(tx: Transaction, sql: string, values: unknown[] = []): Promise<number> {
  const [row] = await tx.query<{ number: string | null }>(sql, values);
  return Number(row?.number ?? 0);
}
