import { EVERYBODY, type VisitsOf } from '@hopcount/archive';
import type { Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import type { VisitScope } from '../read/visit-scope.js';

/**
 * Whose visits are asked for. Of a group: those that were committed with it, '' for those with none. Of orphans: requests
 * without a short URL, of an authority or of all.
 */
export type StatisticsScope = VisitScope | { of: 'group'; groupId: string } | OrphansScope;
export interface OrphansScope {
  of: 'orphans';
  domain: string | null;
}

/** What stands for a scope in the ledger, in buckets and in files, under one snapshot. */
export async function resolveScope(
  tx: Transaction,
  asked: { reach: Reach; scope: StatisticsScope },
  linksNamed: number,
): Promise<VisitsOf> {
  const of = describeScope(asked);
  if (of.links === undefined || 'ids' in of.links) return of;
  const links = await linksOf(tx, of.links.select, linksNamed);
  return { ...of, links: of.traffic === undefined ? links : await orAll(tx, links) };
}

/** The same without a look at the database: links stand as what selects them. @throws AppError `beyond-role` */
export function describeScope({ reach, scope }: { reach: Reach; scope: StatisticsScope }): VisitsOf {
  if (scope.of === 'orphans') throw new RangeError('orphan visits are no visits of links');
  if (reach.isWhole || scope.of === 'link') return describeWhole(scope);
  // Buckets of links know no group: who reaches a part of it cannot be told how many visits that part had in it.
  if (scope.of === 'group') {
    if (!reach.holdsGroup(scope.groupId)) reach.expectWhole('ask for the visits of a group');
    return describeWhole(scope);
  }
  const { domain, isAuthored } = reach;
  const domainId = 'domainId' in scope ? scope.domainId : undefined;
  if (scope.of !== 'tag' && !isAuthored && domain !== null && (domainId ?? domain.id) === domain.id) {
    return describeWhole({ of: 'domain', domainId: domain.id });
  }
  const conditions = [
    `within_reach(links.author_key_id, links.domain_id, links.group_id, ${reach.literals})`,
    ...(domainId === undefined ? [] : [`links.domain_id = ${whole(domainId)}`]),
    ...(scope.of === 'tag' ? [`links.id IN (SELECT link_id FROM link_tags WHERE tag_id = ${whole(scope.tagId)})`] : []),
  ];
  const select = `SELECT links.id FROM links WHERE ${conditions.join(' AND ')}`;
  return { traffic: undefined, links: { select }, groupId: undefined };
}

/** The link of a scope was found by the reach of who asks. */
function describeWhole(scope: Exclude<StatisticsScope, OrphansScope>): VisitsOf {
  switch (scope.of) {
    case 'all':
      return EVERYBODY;
    case 'group':
      return { traffic: { scope: 'group', id: scope.groupId }, links: undefined, groupId: scope.groupId };
    case 'domain': {
      const id = whole(scope.domainId);
      const links = { select: `SELECT id FROM links WHERE domain_id = ${id}` };
      return { traffic: { scope: 'domain', id: String(id) }, links, groupId: undefined };
    }
    case 'tag': {
      const domain = scope.domainId === undefined ? '' : `AND links.domain_id = ${whole(scope.domainId)}`;
      const select = `SELECT links.id FROM link_tags JOIN links ON links.id = link_tags.link_id
        WHERE link_tags.tag_id = ${whole(scope.tagId)} ${domain}`;
      return { traffic: undefined, links: { select }, groupId: undefined };
    }
    case 'link':
      return { traffic: undefined, links: { ids: [scope.linkId] }, groupId: undefined };
  }
}

async function linksOf(tx: Transaction, select: string, named: number): Promise<NonNullable<VisitsOf['links']>> {
  const rows = await tx.query<{ id: string }>(`${select} LIMIT ${named + 1}`);
  return rows.length > named ? { select } : { ids: rows.map(({ id }) => id) };
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
