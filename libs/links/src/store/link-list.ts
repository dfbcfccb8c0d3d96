import type { Database, Transaction } from '@hopcount/postgres';

import { linkFilter, type LinkFilter, type LinkListFilter, MIN_INDEXED_LENGTH } from './link-filter.js';
import { linkFromRow, type LinkRecord, type LinkRow, SELECT_LINKS } from './link-record.js';

export const LINK_ORDER_FIELDS = ['dateCreated', 'shortCode', 'longUrl', 'title', 'visits', 'nonBotVisits'] as const;
export type LinkOrderField = (typeof LINK_ORDER_FIELDS)[number];
export type OrderDirection = 'ASC' | 'DESC';

/** Each has an index (with the id, which makes the order total: pages neither repeat nor skip a link). */
const ORDER_COLUMNS: Record<LinkOrderField, string> = {
  dateCreated: 'links.created_at',
  shortCode: 'links.code',
  longUrl: 'links.long_url',
  title: 'links.title',
  visits: 'totals.visits',
  nonBotVisits: 'totals.non_bot_visits',
};

const LINKS_BY_ID = `${SELECT_LINKS}
  JOIN unnest($1::bigint[]) WITH ORDINALITY AS page (id, place) ON page.id = links.id
  ORDER BY page.place`;

export interface LinkListQuery extends LinkListFilter {
  orderBy: { field: LinkOrderField; direction: OrderDirection };
  offset: number;
  limit: number;
}

/** What a list reads is hot, and little: helpers take longer to start than it takes, random reads are cheap. */
const PLAN_FOR_MEMORY = `SELECT set_config('random_page_cost', '1.1', true), set_config('max_parallel_workers_per_gather', '0', true)`;

type Page = { ids: string[]; matching: number };

/** Pages of links. The rows and the count of one answer come from one snapshot. */
export class LinkList {
  /** A search that may match twice as many links as `scanned` is answered from so many, the first of the order. */
  constructor(
    private readonly database: Database,
    private readonly scanned = 5_000,
  ) {}

  /** `isLowerBound`: more links than `totalItems` may match. */
  async list(query: LinkListQuery): Promise<{ links: LinkRecord[]; totalItems: number; isLowerBound: boolean }> {
    return this.database.transaction(
      async (tx) => {
        await tx.query(PLAN_FOR_MEMORY);
        const filter = await linkFilter(tx, query);
        const first = await this.amongFirst(tx, query, filter);
        const { ids, matching } = first ?? (await exactly(tx, query, filter));
        const rows = ids.length === 0 ? [] : await tx.query<LinkRow>(LINKS_BY_ID, [ids]);
        return { links: rows.map(linkFromRow), totalItems: matching, isLowerBound: first !== null };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** A broad search's page, where walking the order to it takes less than finding all matches; null: find them all. */
  private async amongFirst(tx: Transaction, query: LinkListQuery, filter: LinkFilter): Promise<Page | null> {
    const { search, all } = filter;
    const isShort = (query.searchTerm?.length ?? 0) < MIN_INDEXED_LENGTH;
    const exact = 2 * this.scanned;
    if (search === null || all <= exact) return null;
    const { rows, isFound } = await sampleInOrder(tx, query, filter, search.each);
    const [left, found] = [isFound.length, isFound.filter(Boolean).length];
    // Without a trigram all that the other filters leave has to be read.
    if ((isShort ? left : found) * all <= exact * rows) return null;

    const enough = query.offset + query.limit + 1;
    if (isShort) {
      // Half as many again as would hold the page if matches were spread evenly. Not worth reading on: with a third
      // character the term has a trigram.
      const forPage = (1.5 * (enough - 1) * left) / Math.max(found, left / 100);
      return walk(tx, query, filter, Math.min(all, this.scanned + forPage));
    }
    // Matches may stand together anywhere in the order, so where the sample has enough of them says how far the page is.
    const matching = (found * all) / rows;
    const nth = Math.ceil((enough * rows) / all);
    let seen = 0;
    const place = isFound.findIndex((isMatch) => isMatch && (seen += 1) === nth);
    const distance = place < 0 ? Infinity : ((place + 1) * all) / rows;

    // As many passed links with other filters as without, and as many matches as they hold for the total.
    const first = (this.scanned * left) / rows;
    if (distance <= first) {
      const page = await walk(tx, query, filter, first);
      if (page.matching >= enough) return page;
    }
    // A link passed costs about as much as a match found: to walk further than there are matches does not pay.
    if (distance > matching) return null;
    const page = await walk(tx, query, filter, matching, enough);
    return page.matching >= enough ? page : null;
  }
}

/** Some 2,000 links, and whether the search finds them, for those that the other filters leave, in the list's order. */
async function sampleInOrder(
  tx: Transaction,
  query: LinkListQuery,
  { all, conditions, values }: LinkFilter,
  each: string,
) {
  const [sample] = await tx.query<{ rows: number; is_found: boolean[] | null }>(
    `SELECT count(*)::integer AS rows,
       array_agg(${each} ORDER BY ${orderOf(query.orderBy, { key: keyOfLink(query) })}) FILTER (WHERE ${allOf(...conditions)}) AS is_found
     FROM links TABLESAMPLE SYSTEM (${Math.min(100, 200_000 / all)}) REPEATABLE (1) WHERE deleted_at IS NULL`,
    values,
  );
  return { rows: sample?.rows ?? 0, isFound: sample?.is_found ?? [] };
}

/**
 * The page among the first `links` of the order that the other filters leave; stops after `enough` matches. Nothing
 * around the inner LIMIT sorts, so that the planner knows how few rows will be asked for, and walks the index.
 */
function walk(
  tx: Transaction,
  query: LinkListQuery,
  filter: LinkFilter,
  links: number,
  enough?: number,
): Promise<Page> {
  const { id, key, from } = inOrder(query);
  const first = `SELECT links.*, ${key} AS key FROM ${allOf(from, ...filter.conditions)}
    ORDER BY ${orderOf(query.orderBy, { id })} LIMIT ${Math.ceil(links)}`;
  const found = `(${first}) AS links WHERE ${filter.search?.each ?? true} LIMIT ${enough ?? 'ALL'}`;
  return collect(tx, query, found, filter.values);
}

/** Walks the order's index from the nearer end, or sorts all that match where that means fewer rows. */
async function exactly(tx: Transaction, query: LinkListQuery, filter: LinkFilter): Promise<Page> {
  const { matching, all, search, conditions, values } = filter;
  if (matching !== null) {
    const size = Math.min(query.limit, matching - query.offset);
    if (size <= 0) return { ids: [], matching };
    const fromEnd = matching - query.offset - size;
    const isReversed = fromEnd < query.offset;
    const offset = isReversed ? fromEnd : query.offset;
    // The count is known by now, so the planner need not guess how far a walk would lead.
    if ((offset + size) * all <= matching * matching) {
      const { id, key, from } = inOrder(query);
      // In the index's own order of columns: what is skipped need not be rearranged, which takes a tenth less.
      const rows = await tx.query<{ id: string }>(
        `SELECT ${key} AS key, ${id} AS id FROM ${allOf(from, ...conditions)}
         ORDER BY ${orderOf(query.orderBy, { isReversed })} LIMIT ${size} OFFSET ${offset}`,
        values,
      );
      const ids = rows.map((row) => row.id);
      return { ids: isReversed ? ids.reverse() : ids, matching };
    }
  }
  const key = keyOfLink(query);
  const where = allOf('deleted_at IS NULL', ...conditions, ...(search === null ? [] : [search.indexed]));
  return collect(tx, query, `(SELECT links.id, ${key} AS key FROM links WHERE ${where}) AS links`, values);
}

/** Counts the rows (id, key) and puts the page's in order. */
async function collect(tx: Transaction, query: LinkListQuery, rows: string, values: unknown[]): Promise<Page> {
  const [found] = await tx.query<{ ids: string[]; matching: string }>(
    `WITH found AS MATERIALIZED (SELECT id, key FROM ${rows})
     SELECT (SELECT count(*) FROM found) AS matching,
       ARRAY(SELECT id FROM found ORDER BY ${orderOf(query.orderBy)} LIMIT ${query.limit} OFFSET ${query.offset}) AS ids`,
    values,
  );
  return { ids: found?.ids ?? [], matching: Number(found?.matching) };
}

/** Links that are not deleted, by the index of the order. The planner leaves a join out that nothing asks for. */
function inOrder({ orderBy }: LinkListQuery) {
  const key = ORDER_COLUMNS[orderBy.field];
  if (!isTotal(key)) return { id: 'links.id', key, from: 'links WHERE links.deleted_at IS NULL' };
  const from = 'link_totals AS totals LEFT JOIN links ON links.id = totals.link_id WHERE totals.listed';
  return { id: 'totals.link_id', key, from };
}

/** Looked up for each of `links`. */
function keyOfLink({ orderBy }: LinkListQuery): string {
  const column = ORDER_COLUMNS[orderBy.field];
  return isTotal(column) ? `(SELECT ${column} FROM link_totals AS totals WHERE link_id = links.id)` : column;
}

const isTotal = (column: string) => column.startsWith('totals.');

/** Of rows (id, key), or by the same two under other names. */
function orderOf(
  { field, direction }: LinkListQuery['orderBy'],
  { id = 'id', key = 'key', isReversed = false }: { id?: string; key?: string; isReversed?: boolean } = {},
): string {
  // Links without a title come first, as if it were ''. The other columns hold no null, and their indexes say nothing of it.
  const [ascending, descending] = field === 'title' ? ['ASC NULLS FIRST', 'DESC NULLS LAST'] : ['ASC', 'DESC'];
  const isAscending = (direction === 'ASC') !== isReversed;
  return isAscending ? `${key} ${ascending}, ${id} ASC` : `${key} ${descending}, ${id} DESC`;
}

const allOf = (...conditions: string[]) => conditions.join(' AND ') || 'true';
