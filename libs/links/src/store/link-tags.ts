import { loadSql, TagEntity, type Transaction } from '@hopcount/postgres';

const INSERT_LINK_TAGS = loadSql(import.meta.url, 'sql/insert-link-tags.sql');

/** Files a new link under its tags, creating those that are new. */
export async function addTags(tx: Transaction, linkId: string, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  // In name order, so that two creations cannot wait for each other.
  const rows = [...tags].sort().map((name) => ({ name }));
  await tx.manager.createQueryBuilder().insert().orIgnore().into(TagEntity).values(rows).execute();
  await tx.query(INSERT_LINK_TAGS, [linkId, tags]);
}

/** The caller holds the link's row, so that two of them cannot mix. */
export async function replaceTags(tx: Transaction, linkId: string, tags: readonly string[]): Promise<void> {
  await tx.query('DELETE FROM link_tags WHERE link_id = $1', [linkId]);
  await addTags(tx, linkId, tags);
}
