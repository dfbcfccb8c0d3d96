import { type Database, loadSql } from '@hopcount/postgres';
import type { LinkStore } from '@hopcount/links';

import type { SourceKey } from '../sources/source-key.js';
import type { ImportRow } from './import-store.js';

const FIND_KEYS = 'SELECT source_key AS key FROM import_links WHERE name = $1 AND source_key = ANY ($2::text[])';
const FIND_MEANT = loadSql(import.meta.url, 'sql/find-meant.sql');

interface Deps {
  database: Database;
  links: LinkStore;
}

/** A link at the place that a row names. */
interface AtPlace {
  place: number;
  linkId: string;
  code: string;
  isDeleted: boolean;
  /** Under which the link was imported; null: it was not. */
  key: string | null;
}

/**
 * Chooses the key of each link. A stored key never changes: with another one, a link that was deleted here would be created
 * again, and visits would get other ids and be counted twice. A link without a stored key gets the key of the link that the
 * store has for its domain and code, so that all spellings of one code share one key.
 * @returns the key of a given one
 */
export async function findKeys(
  deps: Deps,
  given: ImportRow,
  sources: readonly SourceKey[],
): Promise<<Keyed extends SourceKey>(one: Keyed) => Keyed> {
  const candidates = [...new Set(sources.flatMap(({ key, formerKey }) => [key, formerKey ?? []].flat()))];
  const rows =
    candidates.length === 0 ? [] : await deps.database.query<{ key: string }>(FIND_KEYS, [given.name, candidates]);
  const stored = new Set(rows.map(({ key }) => key));
  const storedOf = ({ key, formerKey }: SourceKey) =>
    [formerKey, key].find((one) => one !== undefined && stored.has(one));
  const others = sources.filter((one) => storedOf(one) === undefined);
  const byPlace = await findByPlace(deps, given, others);
  return (one) => ({ ...one, key: storedOf(one) ?? byPlace.get(one.key) ?? one.key });
}

/** By the key that each would have by itself. */
async function findByPlace(
  { database, links }: Deps,
  { name, domain }: ImportRow,
  sources: readonly SourceKey[],
): Promise<Map<string, string>> {
  const placed = [...new Map(sources.map((one) => [one.key, one])).values()].flatMap(({ key, place }) => {
    return place === undefined
      ? []
      : [{ key, code: place.code, authority: place.domain ?? domain ?? links.defaultDomain }];
  });
  if (placed.length === 0) return new Map();
  const wanted = placed.map(({ authority, code }, place) => ({ place, authority, code }));
  const rows = await database.query<AtPlace>(FIND_MEANT, [name, JSON.stringify(wanted), links.hasLooseCodes]);
  const found = groupByPlace(rows);
  const keys = new Map<string, string>();
  const firstOf = new Map<string, string>();
  placed.forEach(({ key, authority, code }, place) => {
    const link = meantLink(code, found.get(place) ?? []);
    const which = link === undefined ? `${authority}/${links.codeIdentity(code)}` : link.linkId;
    const first = link?.key ?? firstOf.get(which) ?? key;
    firstOf.set(which, first);
    keys.set(key, first);
  });
  return keys;
}

export function groupByPlace<Row extends { place: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const found = new Map<number, Row[]>();
  for (const row of rows) found.set(row.place, [...(found.get(row.place) ?? []), row]);
  return found;
}

/** The link with that code, or else the only one whose code is the same here: as visitors find it. Two of them are not chosen from. */
export function meantLink<Found extends { linkId: string; code: string; isDeleted?: boolean }>(
  code: string,
  found: readonly Found[],
): Found | undefined {
  const exact = found.find((one) => one.code === code);
  if (exact !== undefined) return exact;
  const live = found.filter(({ isDeleted }) => isDeleted !== true);
  const alike = live.length > 0 ? live : found;
  return new Set(alike.map(({ linkId }) => linkId)).size === 1 ? alike[0] : undefined;
}
