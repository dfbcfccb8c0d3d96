import { normalizeCode, spellDomain } from '@hopcount/links';

/** What a link is found again by. */
export interface SourceKey {
  /** In one spelling, so that the links and visits of files that spell a domain or code differently meet. */
  key: string;
  /** As earlier versions stored it, where that differs: links imported then are known by it, and the ids of their visits are made of it. */
  formerKey?: string;
  /** Where the link is by its own file, as the key has it; absent: it has no code, or is known by its key only. */
  place?: SourcePlace;
}

interface SourcePlace {
  /** null: the import's. */
  domain: string | null;
  code: string;
}

/** A `/` or a space of the code stays: the code with `-` would be that of another link. */
export function keyOf(domain: string | null, code: string): SourceKey {
  const written = `${domain ?? ''}/${code}`;
  const authority = domain === null || domain === '' ? '' : (spellDomain(domain.trim()) ?? '');
  const place = { domain: authority === '' ? null : authority, code: normalizeCode(code).trim() };
  const key = `${authority}/${place.code}`;
  return key === written ? { key, place } : { key, place, formerKey: written };
}

/** Of YOURLS, which has one domain: the keyword is the key. */
export function keyOfKeyword(keyword: string): SourceKey {
  return { key: keyword, place: { domain: null, code: normalizeCode(keyword).trim() } };
}
