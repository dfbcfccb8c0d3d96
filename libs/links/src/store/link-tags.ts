import { loadSql, TagEntity, type Transaction } from '@hopcount/postgres';

import { shareNames } from '../organise/names-lock.js';

const INSERT_LINK_TAGS = loadSql(import.meta.url, 'sql/insert-link-tags.sql');
/** A statement has at most 65,535 parameters. */
const TAGS_PER_STATEMENT = 10_000;

/** Files links under tags that they do not have yet, creating those that are new. The caller shares the names. */
export async function addTags(
  tx: Transaction,
  links: readonly { linkId: string; tags: readonly string[] }[],
): Promise<void> {
  // In name order, so that two creations cannot wait for each other.
  const names = [...new Set(links.flatMap(({ tags }) => tags))].sort().map((name) => ({ name }));
  if (names.length === 0) return;
  for (let from = 0; from < names.length; from += TAGS_PER_STATEMENT) {
    const some = names.slice(from, from + TAGS_PER_STATEMENT);
    await tx.manager.createQueryBuilder().insert().orIgnore().into(TagEntity).values(some).execute();
  }
  const rows = links.flatMap(({ linkId, tags }) => tags.map((name, index) => ({ linkId, name, position: index + 1 })));
  await tx.query(INSERT_LINK_TAGS, [
    rows.map(({ linkId }) => linkId),
    rows.map(({ name }) => name),
    rows.map(({ position }) => position),
  ]);
}

/** The caller holds the link's row, so that two of them cannot mix. */
export async function replaceTags(tx: Transaction, linkId: string, tags: readonly string[]): Promise<void> {
  await shareNames(tx);
  await tx.query('DELETE FROM link_tags WHERE link_id = $1', [linkId]);
  await addTags(tx, [{ linkId, tags }]);
}
