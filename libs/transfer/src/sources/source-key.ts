import { spellDomain } from '@hopcount/links';

/** What a link is found again by. */
export interface SourceKey {
  /** In one spelling, so that the links and visits of files that spell a domain or code differently meet. */
  key: string;
  /** As earlier versions stored it, where that differs: links imported then are known by it, and the ids of their visits are made of it. */
  formerKey?: string;
}

/** A `/` or a space of the code stays: the code with `-` would be that of another link. */
export function keyOf(domain: string | null, code: string): SourceKey {
  const written = `${domain ?? ''}/${code}`;
  const authority = domain === null || domain === '' ? '' : (spellDomain(domain.trim()) ?? '');
  const key = `${authority}/${code.normalize('NFC').trim()}`;
  return key === written ? { key } : { key, formerKey: written };
}
