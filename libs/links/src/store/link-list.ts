import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { canonicalAuthority } from './authority.js';
import { linkFromRow, type LinkRecord, type LinkRow } from './link-record.js';

const COLUMNS = loadSql(import.meta.url, 'sql/list-columns.sql');
const FILTER = loadSql(import.meta.url, 'sql/list-filter.sql');
const LIST = loadSql(import.meta.url, 'sql/list-links.sql');
const LIST_BY_TOTAL = loadSql(import.meta.url, 'sql/list-links-by-total.sql');
const LIST_WITHOUT_TOTAL = loadSql(import.meta.url, 'sql/list-links-without-total.sql');
const COUNT = loadSql(import.meta.url, 'sql/count-links.sql');

export const LINK_ORDER_FIELDS = ['dateCreated', 'shortCode', 'longUrl', 'title', 'visits', 'nonBotVisits'] as const;
export type LinkOrderField = (typeof LINK_ORDER_FIELDS)[number];
export type OrderDirection = 'ASC' | 'DESC';

/** The id makes every order total, so that pages neither repeat nor skip a link. */
const ORDER_COLUMNS: Record<LinkOrderField, string> = {
  dateCreated: 'links.created_at',
  shortCode: 'links.code',
  longUrl: 'links.long_url',
  title: "coalesce(links.title, '')",
  visits: 'totals.visits',
  nonBotVisits: 'totals.non_bot_visits',
};

export interface LinkListQuery {
  /** null: any; `DEFAULT` or an authority. */
  domain: string | null;
  /** Part of the long URL, code, title, domain or a tag, in any letter case. */
  searchTerm: string | null;
  tags: readonly string[];
  tagsMode: 'any' | 'all';
  /** Creation in [from, to). */
  from: Date | null;
  to: Date | null;
  orderBy: { field: LinkOrderField; direction: OrderDirection };
  offset: number;
  limit: number;
}

/** Pages of links. The rows and the count of one answer come from one snapshot. */
export class LinkList {
  constructor(private readonly database: Database) {}

  async list(query: LinkListQuery): Promise<{ links: LinkRecord[]; totalItems: number }> {
    const filter = filterValues(query);
    return this.database.transaction(
      async (tx) => {
        const [counts] = await tx.query<{ links: string; with_total: string }>(statement(COUNT), filter);
        const byTotal = query.orderBy.field === 'visits' || query.orderBy.field === 'nonBotVisits';
        const rows = byTotal
          ? await pageByTotal(tx, query, filter, Number(counts?.with_total ?? 0), Number(counts?.links ?? 0))
          : await tx.query<LinkRow>(statement(LIST, query), [...filter, query.limit, query.offset]);
        return { links: rows.map(linkFromRow), totalItems: Number(counts?.links ?? 0) };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

/**
 * Two lists one after the other: links with a total along its index, and links without one (zero
 * visits), which come last in descending order and first in ascending order.
 */
async function pageByTotal(
  tx: Transaction,
  query: LinkListQuery,
  filter: unknown[],
  withTotal: number,
  all: number,
): Promise<LinkRow[]> {
  const descending = query.orderBy.direction === 'DESC';
  const zeroOrder = { ...query, orderBy: { field: null, direction: query.orderBy.direction } };
  const totals = { text: statement(LIST_BY_TOTAL, query), size: withTotal };
  const zeros = { text: statement(LIST_WITHOUT_TOTAL, zeroOrder), size: all - withTotal };
  const rows: LinkRow[] = [];
  let offset = query.offset;
  for (const part of descending ? [totals, zeros] : [zeros, totals]) {
    const limit = query.limit - rows.length;
    if (limit > 0 && offset < part.size) rows.push(...(await tx.query<LinkRow>(part.text, [...filter, limit, offset])));
    offset = Math.max(0, offset - part.size);
  }
  return rows;
}

interface Ordered {
  /** null: by id alone. */
  orderBy: { field: LinkOrderField | null; direction: OrderDirection };
}

/** Only texts of this file and of the .sql files beside it meet here; what a client sent is a parameter. */
function statement(template: string, ordered?: Ordered): string {
  let order = '';
  if (ordered !== undefined) {
    const { field, direction } = ordered.orderBy;
    const id = field === 'visits' || field === 'nonBotVisits' ? 'totals.link_id' : 'links.id';
    order = [...(field === null ? [] : [ORDER_COLUMNS[field]]), id]
      .map((column) => `${column} ${direction}`)
      .join(', ');
  }
  // Functions: a replacement text would read `$1` as a group.
  return template
    .replace('/*COLUMNS*/', () => withoutComments(COLUMNS))
    .replace('/*FILTER*/', () => withoutComments(FILTER))
    .replace('/*ORDER*/', () => order);
}

function withoutComments(sql: string): string {
  return sql.replace(/^--.*\n/gm, '').trimEnd();
}

function filterValues(query: LinkListQuery): unknown[] {
  const domain = query.domain === null || query.domain === 'DEFAULT' ? query.domain : canonicalAuthority(query.domain);
  const pattern = query.searchTerm === null ? null : `%${query.searchTerm.replace(/[\\%_]/g, '\\$&')}%`;
  const tags = query.tags.length === 0 ? null : query.tags;
  return [domain === undefined ? '' : domain, pattern, tags, query.tagsMode === 'all', query.from, query.to];
}
