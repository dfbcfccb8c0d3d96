import type { LinkSettings, SomeSettings } from './link-settings.js';
import type { WantedCode } from '../codes/link-codes.js';
import type { RedirectRule, SplitTarget } from '../rules/redirect-rules.js';
import type { LinkRecord } from './link-record.js';

/** Settings that are absent are the default ones. */
export interface NewLink extends SomeSettings {
  longUrl: string;
  /** null: a generated code. */
  customSlug: string | null;
  /** null: the default domain. Any other is created when it is new. */
  domain: string | null;
  title: string | null;
  tags: readonly string[];
  groupId: string | null;
  note?: string | null | undefined;
  /** Of a link that was made elsewhere; absent: now. */
  createdAt?: Date | undefined;
  redirectRules?: readonly RedirectRule[] | undefined;
  split?: readonly SplitTarget[] | undefined;
  /** What the code begins with. */
  pathPrefix?: string | null | undefined;
  /** Of a generated code, whose strategy is random then; collisions make it longer. */
  shortCodeLength?: number | null | undefined;
  /** Take the oldest link to that long URL that has everything else that is given here, but for title and note. */
  findIfExists?: boolean | undefined;
  /** That visitors are asked for; null: none. */
  password?: string | null | undefined;
}

/** Whose password is a hash. */
export type HashedLink = Omit<NewLink, 'password'> & { passwordHash?: string };

/** A new link whose every field was checked, without an id. */
export interface LinkDraft {
  authority: string;
  isDefaultDomain: boolean;
  wantedCode: WantedCode;
  tags: string[];
  fields: LinkSettings &
    Pick<LinkRecord, 'longUrl' | 'title' | 'groupId' | 'note'> &
    Pick<NewLink, 'createdAt' | 'redirectRules' | 'split'>;
  urlHash: string;
  passwordHash: string | undefined;
  /** What an existing link must have instead; null: a new one is wanted. */
  existing: WantedExisting | null;
}

/** null, [] and absent: any. */
export interface WantedExisting {
  authority: string | null;
  code: string | null;
  prefix: string | null;
  tags: string[];
  /** Group and settings that were given. */
  fields: Record<string, unknown>;
}
