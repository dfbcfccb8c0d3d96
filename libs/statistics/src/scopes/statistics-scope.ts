import type { VisitsOf } from '@hopcount/archive';
import type { Transaction } from '@hopcount/postgres';

import type { VisitScope } from '../read/visit-scope.js';

/** Whose visits are asked for. Of a group: those that were committed with it, '' for those with none. */
export type StatisticsScope = VisitScope | { of: 'group'; groupId: string };

/** So many links stand in a statement as numbers; of more their table is asked. */
const LINKS_NAMED = 1_000;

/** What stands for a scope in the ledger, in buckets and in files, under one snapshot. */
export async function resolveScope(tx: Transaction, scope: StatisticsScope): Promise<VisitsOf> {
  switch (scope.of) {
    case 'all':
      return { traffic: { scope: 'all', id: '' }, links: undefined, groupId: undefined };
    case 'group':
      return { traffic: { scope: 'group', id: scope.groupId }, links: undefined, groupId: scope.groupId };
    case 'domain': {
      const id = whole(scope.domainId);
      const links = await linksOf(tx, `SELECT id FROM links WHERE domain_id = ${id}`);
      return { traffic: { scope: 'domain', id: String(id) }, links: await orAll(tx, links), groupId: undefined };
    }
    case 'tag': {
      const domain = scope.domainId === undefined ? '' : `AND links.domain_id = ${whole(scope.domainId)}`;
      const select = `SELECT links.id FROM link_tags JOIN links ON links.id = link_tags.link_id
        WHERE link_tags.tag_id = ${whole(scope.tagId)} ${domain}`;
      return { traffic: undefined, links: await linksOf(tx, select), groupId: undefined };
    }
    case 'link':
      return { traffic: undefined, links: { ids: [scope.linkId] }, groupId: undefined };
  }
}

async function linksOf(tx: Transaction, select: string): Promise<NonNullable<VisitsOf['links']>> {
  const rows = await tx.query<{ id: string }>(`${select} LIMIT ${LINKS_NAMED + 1}`);
  return rows.length > LINKS_NAMED ? { select } : { ids: rows.map(({ id }) => id) };
}

/** The only domain there is has all links: then none of them has to be looked up. */
async function orAll(tx: Transaction, links: NonNullable<VisitsOf['links']>): Promise<VisitsOf['links']> {
  const [row] = await tx.query<{ domains: number }>('SELECT count(*)::int AS domains FROM domains');
  return row?.domains === 1 ? undefined : links;
}

function whole(id: number): number {
  if (!Number.isSafeInteger(id)) throw new RangeError('an id is a whole number');
  return id;
}
