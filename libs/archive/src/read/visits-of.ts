import { type InstantRange, toIso } from '@hopcount/ledger';
import type { Transaction } from '@hopcount/postgres';

import { POSTGRES } from '../questions/dialect.js';
import type { PeriodSum } from './judge-sums.js';

/** Whose visits a question is about. */
export interface VisitsOf {
  /** Their buckets in scope_traffic; undefined: those of the links in link_traffic. */
  traffic: { scope: 'all' | 'domain' | 'group'; id: string } | undefined;
  /** Links by their ids, or by a SELECT of `id` in PostgreSQL's words, made of digits and names; undefined: all. */
  links: { ids: readonly string[] } | { select: string } | undefined;
  /** The group that visits were committed with, '' for none; undefined: any. */
  groupId: string | undefined;
}

export const EVERYBODY: VisitsOf = { traffic: { scope: 'all', id: '' }, links: undefined, groupId: undefined };

/** A question about them in a range. */
export interface VisitsQuestion extends InstantRange {
  of: VisitsOf;
  /** Aborted, files are read no more. */
  signal?: AbortSignal | undefined;
}

/** PostgreSQL: which rows of the ledger are meant; [] for all. */
export function ledgerConditions({ links, groupId }: VisitsOf): string[] {
  const group = groupId === undefined ? [] : [`coalesce(group_id, '') = ${POSTGRES.text(groupId)}`];
  return [...(links === undefined ? [] : [`link_id ${isOneOf(links)}`]), ...group];
}

/** PostgreSQL: the buckets of a scope as a relation with its WHERE; more conditions may follow. */
export function trafficOf({ traffic, links }: VisitsOf): string {
  if (traffic !== undefined) {
    return `scope_traffic WHERE scope = '${traffic.scope}' AND scope_id = ${POSTGRES.text(traffic.id)}`;
  }
  return `link_traffic WHERE ${links === undefined ? 'true' : `link_id ${isOneOf(links)}`}`;
}

export function isOneOf(links: NonNullable<VisitsOf['links']>): string {
  if ('select' in links) return `IN (${links.select})`;
  if (!links.ids.every((id) => /^\d+$/.test(id))) throw new RangeError('the id of a link is a number');
  const [only] = links.ids;
  if (only === undefined) return 'IN (NULL)';
  return links.ids.length === 1 ? `= ${only}` : `IN (${links.ids.join(', ')})`;
}

/** What the buckets say of each hour (UTC) in a range of whole hours, ascending. */
export async function readHours(tx: Transaction, of: VisitsOf, { from, to }: InstantRange): Promise<PeriodSum[]> {
  const [row] = await tx.query<{ sums: PeriodSum[] }>(
    `SELECT coalesce(json_agg(json_build_object('start', (extract(epoch FROM hour) * 1000)::bigint, 'visits', visits,
       'checksum', checksum::text) ORDER BY hour), '[]') AS sums
     FROM (
       SELECT date_bin('1 hour', bucket, '2000-01-01 00:00:00+00') AS hour, sum(visits) AS visits, bit_xor(checksum) AS checksum
       FROM ${trafficOf(of)} AND bucket >= $1::timestamptz AND bucket < $2::timestamptz
       GROUP BY 1
       HAVING sum(visits) <> 0 OR bit_xor(checksum) <> 0
     ) AS hours`,
    [toIso(from), toIso(to)],
  );
  return row?.sums ?? [];
}
