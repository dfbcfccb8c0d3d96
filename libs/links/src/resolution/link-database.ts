import { loadSql, type Queryable } from '@hopcount/postgres';

import type { ResolvedLink } from './resolved-link.js';

const RESOLVE_LINK = loadSql(import.meta.url, 'sql/resolve-link.sql');
const LIST_DOMAINS = loadSql(import.meta.url, 'sql/list-domains.sql');

interface LinkRow {
  id: string;
  domain: string;
  code: string;
  long_url: string;
  group_id: string | null;
  version: string;
}

/** Authorities with links of their own, and the one every other host falls back to. */
export interface KnownDomains {
  authorities: ReadonlySet<string>;
  defaultAuthority: string | undefined;
}

export async function findLink(database: Queryable, domain: string, code: string): Promise<ResolvedLink | undefined> {
  const [row] = await database.query<LinkRow>(RESOLVE_LINK, [domain, code]);
  if (row === undefined) return undefined;
  const { id, version, long_url: longUrl, group_id: groupId } = row;
  return { id, domain: row.domain, code: row.code, longUrl, groupId, version };
}

export async function listDomains(database: Queryable): Promise<KnownDomains> {
  const rows = await database.query<{ authority: string; is_default: boolean }>(LIST_DOMAINS);
  return {
    authorities: new Set(rows.map((row) => row.authority)),
    defaultAuthority: rows.find((row) => row.is_default)?.authority,
  };
}
