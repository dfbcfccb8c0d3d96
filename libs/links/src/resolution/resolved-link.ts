export interface LinkKey {
  /** Authority visitors reach it at. */
  domain: string;
  code: string;
}

/** What a redirect needs of a link. */
export interface ResolvedLink extends LinkKey {
  /** Snowflake as decimal text. */
  id: string;
  longUrl: string;
  groupId: string | null;
  /** What `link_policy()` says of it, unread: only the gateway looks inside. null: nothing special about the link. */
  policy: string | null;
  /** Raised by every change; decimal text. */
  version: string;
}

/** A link's row; one without a URL is deleted. */
export type LinkState = Omit<ResolvedLink, 'longUrl'> & { longUrl: string | null };

export interface LinkStateRow {
  id: string;
  domain: string;
  code: string;
  long_url: string | null;
  group_id: string | null;
  policy: string | null;
  version: string;
}

export type Resolution = { outcome: 'found'; link: ResolvedLink } | { outcome: 'unknown' };

export const UNKNOWN: Resolution = Object.freeze({ outcome: 'unknown' });

export function resolutionOf(state: LinkState | undefined): Resolution {
  if (state === undefined || state.longUrl === null) return UNKNOWN;
  return { outcome: 'found', link: { ...state, longUrl: state.longUrl } };
}

export function stateFromRow(row: LinkStateRow): LinkState {
  const { id, domain, code, long_url: longUrl, group_id: groupId, policy, version } = row;
  return { id, domain, code, longUrl, groupId, policy, version };
}
