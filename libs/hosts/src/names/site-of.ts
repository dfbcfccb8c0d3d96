import { getDomain, parse } from 'tldts';

import { ADDRESS_ROOT, asciiOf, reverseLabels } from './labels.js';

/**
 * Which public suffix list sites are by: the package brings it, and says no other version. A new list moves hosts to other
 * sites; that is why sites are found when somebody reads, and stand in no key.
 */
export const SITE_LIST_VERSION = 'tldts 7.5.4';

const OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false };

/**
 * The site a host belongs to: its public suffix and one label (`com.example` of `com.example.www`, `io.github.ann` of what is
 * below that). What has none is its own: suffixes, single labels, addresses, `~unknown`.
 * @param reversed a name as it is kept, which only normaliseHost makes: the list is of ASCII names
 */
export function siteOf(reversed: string): string {
  if (reversed.startsWith('~')) return reversed;
  const site = getDomain(asciiOf(reversed), OPTIONS);
  return site === null ? reversed : reverseLabels(site);
}

/** Whether what is one label longer is a site. */
export function isSuffix(reversed: string): boolean {
  if (reversed.startsWith('~')) return reversed === ADDRESS_ROOT;
  return getDomain(asciiOf(reversed), OPTIONS) === null;
}

/** The same by a rule of the list: the list takes a last label it does not have for one, too, and anybody can make up such labels. */
export function isListedSuffix(reversed: string): boolean {
  if (reversed.startsWith('~')) return reversed === ADDRESS_ROOT;
  const { publicSuffix, isIcann, isPrivate } = parse(asciiOf(reversed), OPTIONS);
  return (isIcann === true || isPrivate === true) && publicSuffix === asciiOf(reversed);
}
