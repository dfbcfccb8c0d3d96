import type { Transaction } from '@hopcount/postgres';

import { shareNames } from '../organise/names-lock.js';

const TAG_LINKS = 'SELECT tag_links($1::bigint[], $2::text[], $3::smallint[])';

/** The arguments of tag_links() and create_links(): one of each for every tag of every link. */
export function tagColumns(links: readonly { id: string; tags: readonly string[] }[]): [string[], string[], number[]] {
  const rows = links.flatMap(({ id, tags }) =>
    [...new Set(tags)].map((name, index) => ({ id, name, position: index + 1 })),
  );
  return [rows.map(({ id }) => id), rows.map(({ name }) => name), rows.map(({ position }) => position)];
}

/** The caller holds the link's row, so that two of them cannot mix. */
export async function replaceTags(tx: Transaction, linkId: string, tags: readonly string[]): Promise<void> {
  await shareNames(tx);
  await tx.query('DELETE FROM link_tags WHERE link_id = $1', [linkId]);
  await tx.query(TAG_LINKS, tagColumns([{ id: linkId, tags }]));
}
