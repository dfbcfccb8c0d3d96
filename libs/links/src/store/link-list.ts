import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { canonicalAuthority } from './authority.js';
import { linkFromRow, type LinkRecord, type LinkRow } from './link-record.js';

const COLUMNS = loadSql(import.meta.url, 'sql/list-columns.sql');
const FILTER = loadSql(import.meta.url, 'sql/list-filter.sql');
const LIST = loadSql(import.meta.url, 'sql/list-links.sql');
const LIST_BY_TOTAL = loadSql(import.meta.url, 'sql/list-links-by-total.sql');
const LIST_WITHOUT_TOTAL = loadSql(import.meta.url, 'sql/list-links-without-total.sql');
const COUNT = loadSql(import.meta.url, 'sql/count-links.sql');
const COUNT_WITH_TOTAL = loadSql(import.meta.url, 'sql/count-links-with-total.sql');

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
        const totalItems = await count(tx, COUNT, filter);
        const { field } = query.orderBy;
        const byTotal = field === 'visits' || field === 'nonBotVisits';
        const rows = byTotal
          ? await pageByTotal(tx, query, filter, totalItems)
          : await tx.query<LinkRow>(statement(LIST, query), [...filter, query.limit, query.offset]);
        return { links: rows.map(linkFromRow), totalItems };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }
}

/**
 * Two lists one after the other: links with a total along its index, and links without one (zero
 * visits), which come last in descending order and first in ascending order. How long the first list
 * is matters only to a page that it does not fill.
 */
async function pageByTotal(tx: Transaction, query: LinkListQuery, filter: unknown[], all: number): Promise<LinkRow[]> {
  const { direction } = query.orderBy;
  const totals = statement(LIST_BY_TOTAL, query);
  const zeros = statement(LIST_WITHOUT_TOTAL, { orderBy: { field: null, direction } });
  const [first, second] = direction === 'DESC' ? [totals, zeros] : [zeros, totals];
  const rows = await tx.query<LinkRow>(first, [...filter, query.limit, query.offset]);
  if (rows.length === query.limit) return rows;
  const withTotal = await count(tx, COUNT_WITH_TOTAL, filter);
  const firstSize = direction === 'DESC' ? withTotal : all - withTotal;
  const offset = Math.max(0, query.offset - firstSize);
  return [...rows, ...(await tx.query<LinkRow>(second, [...filter, query.limit - rows.length, offset]))];
}

async function count(tx: Transaction, sql: string, filter: unknown[]): Promise<number> {
  const [row] = await tx.query<{ links: string }>(statement(sql), filter);
  return Number(row?.links ?? 0);
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
