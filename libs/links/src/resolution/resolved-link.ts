/** What a redirect needs of a link. */
export interface ResolvedLink {
  /** Snowflake as decimal text. */
  id: string;
  domain: string;
  code: string;
  longUrl: string;
  groupId: string | null;
  /** Raised by every change; decimal text. */
  version: string;
}

export type Resolution = { outcome: 'found'; link: ResolvedLink } | { outcome: 'unknown' };

export const UNKNOWN: Resolution = Object.freeze({ outcome: 'unknown' });
