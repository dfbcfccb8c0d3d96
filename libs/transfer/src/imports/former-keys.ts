import type { Queryable } from '@hopcount/postgres';

import type { SourceKey } from '../sources/source-key.js';
import type { ImportRow } from './import-store.js';

const FIND_FORMER = 'SELECT source_key AS key FROM import_links WHERE name = $1 AND source_key = ANY ($2::text[])';

/**
 * Which key each link has: that of an earlier version where a link was imported under it. Otherwise a link that was deleted
 * since would be created again, and a visit that was counted then would get another id and be counted twice.
 * @returns the key of a given one
 */
export async function findKeys(
  database: Queryable,
  { name }: ImportRow,
  given: readonly SourceKey[],
): Promise<<Keyed extends SourceKey>(one: Keyed) => Keyed> {
  const former = [...new Set(given.flatMap(({ formerKey }) => formerKey ?? []))];
  const rows = former.length === 0 ? [] : await database.query<{ key: string }>(FIND_FORMER, [name, former]);
  const known = new Set(rows.map(({ key }) => key));
  return (one) => (one.formerKey !== undefined && known.has(one.formerKey) ? { ...one, key: one.formerKey } : one);
}
