import { loadSql, type Transaction } from '@hopcount/postgres';

import { shareNames } from '../organise/names-lock.js';

const INSERT_LINK_TAGS = loadSql(import.meta.url, 'sql/insert-link-tags.sql');

/** Files links under tags that they do not have yet, creating those that are new. The caller shares the names. */
export async function addTags(
  tx: Transaction,
  links: readonly { linkId: string; tags: readonly string[] }[],
): Promise<void> {
  const rows = links.flatMap(({ linkId, tags }) =>
    [...new Set(tags)].map((name, index) => ({ linkId, name, position: index + 1 })),
  );
  const values = [rows.map(({ linkId }) => linkId), rows.map(({ name }) => name), rows.map(({ position }) => position)];
  let missing = rows.length;
  // The second time for tags that somebody else has filed meanwhile, which nobody can take away again.
  for (let turn = 1; turn <= 2 && missing > 0; turn += 1) {
    missing -= (await tx.execute(INSERT_LINK_TAGS, values)).affected;
  }
  if (missing > 0) throw new Error(`${missing} tags were filed and are not there`);
}

/** The caller holds the link's row, so that two of them cannot mix. */
export async function replaceTags(tx: Transaction, linkId: string, tags: readonly string[]): Promise<void> {
  await shareNames(tx);
  await tx.query('DELETE FROM link_tags WHERE link_id = $1', [linkId]);
  await addTags(tx, [{ linkId, tags }]);
}
