import { type Database, loadSql } from '@hopcount/postgres';

import type { Progress } from '../output/progress.js';
import type { Terminal } from '../output/terminal.js';

const COUNT_LINKS = loadSql(import.meta.url, 'sql/count-links.sql');

/** How far a walk over links is. Their number is that of the ordered totals, which may lack some: then no share is shown. */
export async function createLinkProgress(
  database: Database,
  terminal: Terminal,
  { what, ...range }: { what: string; linkId?: string | undefined; after: string; upTo: string | null },
): Promise<Progress> {
  return terminal.startProgress(what, range.linkId === undefined ? await countLinks(database, range) : 1);
}

async function countLinks(
  database: Database,
  { after, upTo }: { after: string; upTo: string | null },
): Promise<number> {
  const [row] = await database.query<{ links: number }>(COUNT_LINKS, [after, upTo]);
  return row?.links ?? 0;
}
