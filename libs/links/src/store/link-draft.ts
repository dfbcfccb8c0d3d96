import { AppError } from '@hopcount/runtime';

import { parseCodeLength } from '../codes/link-codes.js';
import { parseCustomSlug, parsePathPrefix } from '../codes/custom-slug.js';
import { urlHash } from '../targets/normal-url.js';
import { parseAuthority } from './authority.js';
import { normalizeGroupId, normalizeNote, normalizeTags, normalizeTitle } from './link-fields.js';
import { spellDomain } from './names.js';
import { DEFAULT_SETTINGS, refuseKeptLimit, settingsOf } from './link-settings.js';
import type { HashedLink, LinkDraft, WantedExisting } from './new-link.js';

export interface DraftRules {
  defaultDomain: string;
  parseTarget: (longUrl: string, field?: string) => string;
  /** Its slugs are published. */
  isImport: boolean;
}

/** @throws AppError `invalid-data`, `unsafe-target`, `reserved-slug` */
export function toDraft(given: HashedLink, { defaultDomain, parseTarget, isImport }: DraftRules): LinkDraft {
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
      groupId: normalizeGroupId(given.groupId),
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
