import { loadSql, type Transaction } from '@hopcount/postgres';

const ENSURE_TAGS = loadSql(import.meta.url, 'sql/ensure-tags.sql');
const INSERT_LINK_TAGS = loadSql(import.meta.url, 'sql/insert-link-tags.sql');
const DELETE_LINK_TAGS = loadSql(import.meta.url, 'sql/delete-link-tags.sql');

/** Files a new link under its tags, creating those that are new. */
export async function addTags(tx: Transaction, linkId: string, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  await tx.query(ENSURE_TAGS, [tags]);
  await tx.query(INSERT_LINK_TAGS, [linkId, tags]);
}

/** The caller holds the link's row, so that two of them cannot mix. */
export async function replaceTags(tx: Transaction, linkId: string, tags: readonly string[]): Promise<void> {
  await tx.query(DELETE_LINK_TAGS, [linkId]);
  await addTags(tx, linkId, tags);
}
