import { loadSql, type Transaction } from '@hopcount/postgres';
import { AppError, isAppError, Reach } from '@hopcount/runtime';

import { cancelTitleRequest } from '../titles/title-requests.js';
import { normalizeNote, normalizeTags, normalizeTitle } from './link-fields.js';
import { linkFromRow, type LinkRecord, type LinkRow, SELECT_LINKS } from './link-record.js';
import { toColumns } from './link-settings.js';
import { replaceTags } from './link-tags.js';
import type { NewLink } from './new-link.js';

const EDIT_LINK = loadSql(import.meta.url, 'sql/edit-link.sql');

/** Title, note and tags: what is said of a link, and has no part in where it leads. null and []: nothing is said. */
export type LinkTexts = Pick<NewLink, 'title' | 'note' | 'tags'>;

/**
 * Which texts of links differ from what is said of them, or why they cannot be that; with `change` they become that, in the
 * caller's transaction.
 */
export async function compareTexts(
  tx: Transaction,
  said: readonly { linkId: string; texts: LinkTexts }[],
  { change }: { change: boolean },
): Promise<(string[] | AppError)[]> {
  if (said.length === 0) return [];
  const ids = said.map(({ linkId }) => linkId);
  const rows = await tx.query<LinkRow>(`${SELECT_LINKS} WHERE links.id = ANY ($1::bigint[])`, [ids]);
  const links = new Map(rows.map((row) => [row.id, linkFromRow(row)]));
  const differing: (string[] | AppError)[] = [];
  for (const { linkId, texts } of said) {
    const wanted = normalized(texts);
    const link = links.get(linkId);
    if (wanted instanceof AppError) differing.push(wanted);
    else {
      const fields = link === undefined ? [] : fieldsThatDiffer(link, wanted);
      differing.push(fields);
      if (link === undefined || !change || fields.length === 0) continue;
      links.set(linkId, { ...link, ...(await changeTexts(tx, linkId, wanted, fields)) });
    }
  }
  return differing;
}

type Wanted = Pick<LinkRecord, 'title' | 'note' | 'tags'>;

function normalized({ title, note = null, tags }: LinkTexts): Wanted | AppError {
  try {
    return { title: normalizeTitle(title), note: normalizeNote(note), tags: normalizeTags(tags) };
  } catch (error) {
    if (isAppError(error, 'invalid-data')) return error;
    throw error;
  }
}

function fieldsThatDiffer(link: LinkRecord, wanted: Wanted): (keyof Wanted)[] {
  const texts = (['title', 'note'] as const).filter((name) => wanted[name] !== null && wanted[name] !== link[name]);
  const hasOtherTags = wanted.tags.length > 0 && wanted.tags.join('\n') !== link.tags.join('\n');
  return hasOtherTags ? [...texts, 'tags'] : texts;
}

async function changeTexts(
  tx: Transaction,
  linkId: string,
  { tags, ...texts }: Wanted,
  fields: readonly (keyof Wanted)[],
): Promise<Partial<Wanted>> {
  const columns = Object.fromEntries(Object.entries(texts).filter(([name]) => fields.includes(name as keyof Wanted)));
  await tx.query(EDIT_LINK, [linkId, null, toColumns(columns), ...Reach.everything.values]);
  if (fields.includes('title')) await cancelTitleRequest(tx, linkId);
  if (!fields.includes('tags')) return columns;
  await replaceTags(tx, linkId, tags);
  return { ...columns, tags };
}
