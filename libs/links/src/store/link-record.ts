import { loadSql } from '@hopcount/postgres';

import { type LinkSettings, type LinkSettingsRow, settingsFromRow } from './link-settings.js';

/** Rows for {@link linkFromRow}; a condition or a join follows. */
export const SELECT_LINKS = loadSql(import.meta.url, 'sql/select-links.sql');

/** A link as the managing side sees it. */
export interface LinkRecord extends LinkSettings {
  /** Snowflake as decimal text. */
  id: string;
  code: string;
  /** Authority visitors reach it at. */
  domain: string;
  isDefaultDomain: boolean;
  longUrl: string;
  title: string | null;
  /** For those who manage links; no visitor sees it. */
  note: string | null;
  groupId: string | null;
  /** The key that created it; null: none. */
  authorKeyId: number | null;
  /** In the order they were given. */
  tags: string[];
  createdAt: Date;
  /** Raised by every change; decimal text. */
  version: string;
  hasRedirectRules: boolean;
  hasPassword: boolean;
}

export interface LinkRow extends LinkSettingsRow {
  id: string;
  code: string;
  authority: string;
  is_default: boolean;
  long_url: string;
  title: string | null;
  note: string | null;
  group_id: string | null;
  author_key_id: number | null;
  tags: string[];
  created_at: Date;
  version: string;
  has_redirect_rules: boolean;
  has_password: boolean;
}

export function linkFromRow(row: LinkRow): LinkRecord {
  return {
    id: row.id,
    code: row.code,
    domain: row.authority,
    isDefaultDomain: row.is_default,
    longUrl: row.long_url,
    title: row.title,
    note: row.note,
    groupId: row.group_id,
    authorKeyId: row.author_key_id,
    tags: row.tags,
    createdAt: row.created_at,
    version: row.version,
    hasRedirectRules: row.has_redirect_rules,
    hasPassword: row.has_password,
    ...settingsFromRow(row),
  };
}
