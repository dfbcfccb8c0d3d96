import { loadSql, type Queryable } from '@hopcount/postgres';

import { type InstantRange, toIso } from '../buckets.js';

const FIND_DELETIONS = loadSql(import.meta.url, 'sql/find-deletions.sql');

/**
 * Both mark what they delete and commit that before the first visit goes, so under locks that keep them from visits none is missed.
 * @returns which deletion is under way in a month, as a clause
 */
export async function deletionUnderWay(queryable: Queryable, { from, to }: InstantRange): Promise<string | undefined> {
  const [found] = await queryable.query<{ deletion: string }>(FIND_DELETIONS, [toIso(from), toIso(to)]);
  return found?.deletion;
}
