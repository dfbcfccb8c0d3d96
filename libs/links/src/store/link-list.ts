import type { Database, Transaction } from '@hopcount/postgres';

import { linkFilter, type LinkFilter, type LinkListFilter } from './link-filter.js';
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

/** Pages of links. The rows and the count of one answer come from one snapshot. */
export class LinkList {
  constructor(private readonly database: Database) {}

  async list(query: LinkListQuery): Promise<{ links: LinkRecord[]; totalItems: number }> {
    return this.database.transaction(
      async (tx) => {
        const filter = await linkFilter(tx, query);
        const ids = await pageOfIds(tx, query, filter);
        const rows = ids.length === 0 ? [] : await tx.query<LinkRow>(LINKS_BY_ID, [ids]);
        return { links: rows.map(linkFromRow), totalItems: filter.matching };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

/**
 * Walks the order's index from the nearer end, or sorts all that match where that means fewer rows: the
 * count is known by now, so the planner need not guess how far a walk would lead.
 */
async function pageOfIds(tx: Transaction, query: LinkListQuery, filter: LinkFilter): Promise<string[]> {
  const { matching, all, conditions, values } = filter;
  const size = Math.min(query.limit, matching - query.offset);
  if (size <= 0) return [];
  const fromEnd = matching - query.offset - size;
  const isReversed = fromEnd < query.offset;
  const offset = isReversed ? fromEnd : query.offset;
  const isWalked = (offset + size) * (all / matching) <= matching;

  const { field, direction } = query.orderBy;
  const isAscending = (direction === 'ASC') !== isReversed;
  const column = ORDER_COLUMNS[field];
  const isTotal = column.startsWith('totals.');
  const ofTotals = isTotal && isWalked;
  const id = ofTotals ? 'totals.link_id' : 'links.id';
  const key = isTotal && !isWalked ? `(SELECT ${column} FROM link_totals AS totals WHERE link_id = links.id)` : column;
  const joined = conditions.length > 0 ? 'JOIN links ON links.id = totals.link_id' : '';
  const source = ofTotals
    ? `link_totals AS totals ${joined} WHERE totals.listed`
    : 'links WHERE links.deleted_at IS NULL';
  // OFFSET 0 keeps the planner from walking after all.
  const found = `SELECT ${id} AS id, ${key} AS key FROM ${[source, ...conditions].join(' AND ')} ${isWalked ? '' : 'OFFSET 0'}`;
  // Links without a title come first, as if it were ''. The other columns hold no null, and their indexes say nothing of it.
  const [ascending, descending] = field === 'title' ? ['ASC NULLS FIRST', 'DESC NULLS LAST'] : ['ASC', 'DESC'];
  const order = isAscending ? `key ${ascending}, id ASC` : `key ${descending}, id DESC`;
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM (${found}) AS found ORDER BY ${order} LIMIT ${size} OFFSET ${offset}`,
    values,
  );
  const ids = rows.map((row) => row.id);
  return isReversed ? ids.reverse() : ids;
}
