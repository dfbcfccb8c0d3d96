import type { RedirectRule, SplitTarget } from '../rules/redirect-rules.js';
import type { LinkSettings } from '../store/link-settings.js';

type Setting<Field extends keyof LinkSettings> = NonNullable<LinkSettings[Field]>;

/** What `link_policy()` says of a link; what is usual is absent. Moments are epoch milliseconds. */
export interface LinkPolicy {
  validSince?: number;
  validUntil?: number;
  maxVisits?: number;
  expiredUrl?: string;
  disabled?: true;
  forwardQuery?: false;
  extraPath?: Setting<'extraPath'>;
  status?: Setting<'redirectStatus'>;
  /** Keys and values of conditions that are null are absent. */
  rules?: readonly RedirectRule[];
  split?: readonly SplitTarget[];
  /** Of the hash of the password that visitors are asked for: another one for each password (see {@link passwordMark}). */
  password?: string;
  warn?: true;
}

const NOTHING_SPECIAL: LinkPolicy = Object.freeze({});

/** Undefined when the text is damaged: then nobody knows where visitors may be sent. */
export function readLinkPolicy(text: string | null): LinkPolicy | undefined {
  if (text === null) return NOTHING_SPECIAL;
  try {
    const policy = JSON.parse(text) as LinkPolicy | null;
    return typeof policy === 'object' && policy !== null ? policy : undefined;
  } catch {
    // Damaged: visitors get 404, until the check against PostgreSQL corrects this copy.
    return undefined;
  }
}
