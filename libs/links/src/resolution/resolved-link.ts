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
  version: string;
}

export type Resolution = { outcome: 'found'; link: ResolvedLink } | { outcome: 'unknown' };

export const UNKNOWN: Resolution = Object.freeze({ outcome: 'unknown' });

export function resolutionOf(state: LinkState | undefined): Resolution {
  if (state === undefined || state.longUrl === null) return UNKNOWN;
  return { outcome: 'found', link: { ...state, longUrl: state.longUrl } };
}

export function stateFromRow({ long_url: longUrl, group_id: groupId, ...rest }: LinkStateRow): LinkState {
  return { id: rest.id, domain: rest.domain, code: rest.code, longUrl, groupId, version: rest.version };
}
