import { canonicalAuthority, DEFAULT_DOMAIN_NAME } from './authority.js';

/*
 * How names are spelled. The creation stores this spelling after its own checks (custom-slug.ts, link-fields.ts, authority.ts);
 * whatever looks for a name asks in it, so that a name finds what it created. None of these throws: a text that no name can
 * have is spelled like others and finds nothing.
 */

/** Lower case; spaces become `-`. Empty: no tag. */
export function spellTag(tag: string): string {
  return tag.normalize('NFC').trim().toLowerCase().replace(/\s+/gu, '-');
}

/** In the order given, each once. */
export function spellTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(spellTag))].filter((tag) => tag !== '');
}

/** Letter case stays; spaces and `/` become `-`. */
export function spellCode(code: string): string {
  return dashed(code.normalize('NFC').trim());
}

/** What would end or break a segment of a path. */
export function dashed(text: string): string {
  return text.replace(/[\s/]/gu, '-');
}

/** Letter case and spaces inside stay. */
export function spellGroup(id: string): string {
  return id.normalize('NFC').trim();
}

/** Lower case, punycode, no dot at the end; null: the default domain by the name that Shlink's clients give it. */
export function spellDomain(domain: string): string | null {
  return domain.trim() === DEFAULT_DOMAIN_NAME ? null : (canonicalAuthority(domain) ?? domain);
}
