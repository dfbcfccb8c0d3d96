import { type Database, loadSql } from '@hopcount/postgres';
import type { PartProgress, ShowsProgress } from '@hopcount/runtime';

import type { RebuildScope } from './rebuild-scope.js';

const COUNT_LINKS = loadSql(import.meta.url, 'sql/count-links.sql');

/** How far a walk over links is. Their number is that of the ordered totals, which may lack some: then no share is shown. */
export async function startLinkProgress(
  database: Database,
  shown: ShowsProgress,
  what: string,
  scope: Pick<RebuildScope, 'linkId' | 'after' | 'upTo'>,
): Promise<PartProgress> {
  return shown.startProgress(what, await countLinks(database, scope));
}

export async function countLinks(
  database: Database,
  { linkId, after, upTo }: Pick<RebuildScope, 'linkId' | 'after' | 'upTo'>,
): Promise<number> {
  if (linkId !== undefined) return 1;
  const [row] = await database.query<{ links: number }>(COUNT_LINKS, [after, upTo]);
  return row?.links ?? 0;
}
