import type { Queryable } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

const HAS_LINK = `SELECT FROM links
  WHERE group_id = $1 AND within_reach(author_key_id, domain_id, group_id, $2, $3, $4) LIMIT 1`;

/** A group is reached by its name, or by way of its links, deleted ones too; who reaches all links reaches those without any, too. */
export async function reachesGroup(database: Queryable, reach: Reach, id: string): Promise<boolean> {
  if (reach.groups !== null) return reach.holdsGroup(id);
  return reach.isWhole || (await database.query(HAS_LINK, [id, ...reach.values])).length > 0;
}
