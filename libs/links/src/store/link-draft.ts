import { AppError, type Reach } from '@hopcount/runtime';

import { parseCodeLength } from '../codes/link-codes.js';
import { parseCustomSlug, parsePathPrefix } from '../codes/custom-slug.js';
import { urlHash } from '../targets/normal-url.js';
import { parseAuthority } from './authority.js';
import { normalizeNote, normalizeTags, normalizeTitle } from './link-fields.js';
import { spellDomain } from './names.js';
import { DEFAULT_SETTINGS, refuseKeptLimit, settingsOf } from './link-settings.js';
import type { HashedLink, LinkDraft, WantedExisting } from './new-link.js';

export interface DraftRules {
  defaultDomain: string;
  parseTarget: (longUrl: string, field?: string) => string;
  groupOf: (id: string | null) => string | null;
  /** Its slugs are published. */
  isImport: boolean;
}

/** @throws AppError `invalid-data`, `unsafe-target`, `reserved-slug` */
export function toDraft(given: HashedLink, { defaultDomain, parseTarget, groupOf, isImport }: DraftRules): LinkDraft {
  const authority = given.domain === null ? null : spellDomain(given.domain);
  const isDefaultDomain = authority === null || authority === defaultDomain;
  const longUrl = parseTarget(given.longUrl);
  const prefix = parsePathPrefix(given.pathPrefix ?? '');
  const settings = settingsOf(given);
  if (typeof settings.expiredUrl === 'string') settings.expiredUrl = parseTarget(settings.expiredUrl, 'expiredUrl');
  const draft: LinkDraft = {
    authority: isDefaultDomain ? defaultDomain : parseAuthority(given.domain ?? ''),
    isDefaultDomain,
    wantedCode: {
      custom: given.customSlug === null ? null : parseCustomSlug(prefix + given.customSlug.trimStart(), isImport),
      prefix,
      length: parseCodeLength(given.shortCodeLength ?? null),
    },
    tags: normalizeTags(given.tags),
    fields: {
      longUrl,
      title: normalizeTitle(given.title),
      note: normalizeNote(given.note ?? null),
      groupId: groupOf(given.groupId),
      ...DEFAULT_SETTINGS,
      ...settings,
      ...routesOf(given, parseTarget),
      ...(given.createdAt !== undefined && { createdAt: given.createdAt }),
    },
    urlHash: urlHash(longUrl),
    passwordHash: given.passwordHash,
    existing: null,
  };
  refuseKeptLimit(draft.fields);
  return given.findIfExists === true ? { ...draft, existing: existingLike(draft, given) } : draft;
}

/** Those that say something. */
function routesOf({ redirectRules = [], split = [] }: HashedLink, parseTarget: DraftRules['parseTarget']) {
  const parsed = <Item extends { longUrl: string }>(items: readonly Item[], field: string) =>
    items.map((item) => ({ ...item, longUrl: parseTarget(item.longUrl, field) }));
  return {
    ...(redirectRules.length > 0 && { redirectRules: parsed(redirectRules, 'redirectRules') }),
    ...(split.length > 0 && { split: parsed(split, 'split') }),
  };
}

/** Everything that was given; null is not. @throws AppError `invalid-data`: nobody can compare a password with another's hash */
function existingLike(draft: LinkDraft, given: HashedLink): WantedExisting {
  if (given.passwordHash !== undefined) {
    throw new AppError('invalid-data', 'A link with a password is always a new one: leave findIfExists out.', {
      details: { invalidElements: ['findIfExists', 'password'] },
    });
  }
  const { wantedCode, fields } = draft;
  const names = (Object.keys(settingsOf(given)) as (keyof typeof DEFAULT_SETTINGS)[]).filter(
    (name) => given[name] !== null,
  );
  return {
    authority: given.domain === null ? null : draft.authority,
    code: wantedCode.custom,
    prefix: wantedCode.prefix === '' ? null : wantedCode.prefix,
    tags: draft.tags,
    fields: {
      ...(fields.groupId === null ? {} : { groupId: fields.groupId }),
      ...Object.fromEntries(names.map((name) => [name, fields[name]])),
    },
  };
}

/** As it can be created. @throws AppError `invalid-data` */
export function within(reach: Reach, link: HashedLink, groupOf: DraftRules['groupOf']): HashedLink {
  // A role's domain counts whatever is asked for, as in Shlink.
  if (reach.domain !== null) return { ...link, domain: reach.domain.authority };
  if (reach.groups === null) return link;
  const groupId = groupOf(link.groupId) ?? (reach.groups.length === 1 ? (reach.groups[0] ?? null) : null);
  if (reach.holdsGroup(groupId)) return { ...link, groupId };
  const reason =
    groupId === null ? 'Name the group it is for: you reach some groups only.' : `There is no group "${groupId}".`;
  throw new AppError('invalid-data', reason, { details: { invalidElements: ['groupId'] } });
}
