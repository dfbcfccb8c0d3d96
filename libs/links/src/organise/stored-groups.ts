import type { Queryable } from '@hopcount/postgres';

import { normalizeGroupId } from '../store/link-fields.js';
import { spellGroup } from '../store/names.js';

const FIND_GROUPS = 'SELECT id FROM groups WHERE id = ANY ($1::text[])';

/**
 * The ids of groups that are named. Earlier versions kept an id as it came, its accents composed or not: a group is found as it
 * is written here, else in another form. One that is not there has the id that a new one gets.
 */
export async function storedGroups(database: Queryable, given: readonly string[]): Promise<string[]> {
  const named = given.map((id) => ({ id, forms: formsOf(id) }));
  const unclear = named.flatMap(({ forms }) => (forms.length > 1 ? forms : []));
  const rows = unclear.length === 0 ? [] : await database.query<{ id: string }>(FIND_GROUPS, [unclear]);
  const stored = new Set(rows.map(({ id }) => id));
  return named.map(({ id, forms }) => forms.find((form) => stored.has(form)) ?? spellGroup(id));
}

export async function storedGroup(database: Queryable, given: string): Promise<string> {
  return (await storedGroups(database, [given]))[0] ?? spellGroup(given);
}

/**
 * The group of a link that is written, as `normalizeGroupId` and {@link storedGroups} have it.
 * @param given all that it will be asked for, as they came or as it has answered
 */
export async function groupNames(
  database: Queryable,
  given: readonly (string | null)[],
): Promise<(id: string | null) => string | null> {
  const named = given.filter((id) => id !== null);
  const stored = await storedGroups(database, named);
  const known = new Map([
    ...stored.map((id) => [id, id] as const),
    ...named.map((id, nth) => [id, stored[nth]] as const),
  ]);
  return (id) => {
    const normal = normalizeGroupId(id);
    return id === null || normal === null ? null : (known.get(id) ?? normal);
  };
}

/** As it is written first. None of a text with U+0000, which PostgreSQL would refuse. */
export function formsOf(id: string): string[] {
  if (id.includes('\u0000')) return [];
  const trimmed = id.trim();
  return [...new Set([trimmed, trimmed.normalize('NFC'), trimmed.normalize('NFD')])];
}
