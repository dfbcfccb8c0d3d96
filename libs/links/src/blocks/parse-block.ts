import { isIP } from 'node:net';

import type { BlockKind } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';

import { MAX_CODE_LENGTH } from '../codes/custom-slug.js';
import { canonicalAuthority } from '../store/authority.js';
import { spellCode } from '../store/names.js';
import { plainText } from './plain-text.js';

/** What a block is of. */
export interface BlockValue {
  kind: BlockKind;
  /** As it is stored: a host in lower case and punycode; a pattern in lower case; a link as `authority/code`. */
  value: string;
}

/** A pattern is looked for in every target; so few characters would be found in most of them. */
const MIN_PATTERN_LENGTH = 4;
const MAX_PATTERN_LENGTH = 500;
const MAX_STARS = 10;
const MAX_REASON_LENGTH = 500;

/**
 * @param domainOf whose links answer at a host; undefined: of links that are named by their code alone
 * @throws AppError `invalid-data`
 */
export function parseBlock(
  kind: BlockKind,
  given: string,
  domainOf: (authority: string | undefined) => string | undefined,
): BlockValue {
  const text = given.trim();
  switch (kind) {
    case 'host':
      return { kind, value: parseBlockedHost(text) ?? refuse('a host name with a dot, or an address') };
    case 'pattern':
      return { kind, value: parsePattern(text) };
    case 'link':
      return { kind, value: parseLink(text, domainOf) };
  }
}

/** Undefined: no host, or one that everything is below (`com`). */
export function parseBlockedHost(text: string): string | undefined {
  const authority = canonicalAuthority(text.replace(/^\*?\./, '').replace(/\.$/, ''));
  if (authority === undefined || /:\d+$/.test(authority)) return undefined;
  const isAddress = authority.startsWith('[') || isIP(authority) !== 0;
  return isAddress || authority.includes('.') ? authority : undefined;
}

export function parseReason(given: string): string {
  const reason = given.trim();
  if (reason.length <= MAX_REASON_LENGTH && !reason.includes('\u0000')) return reason;
  return refuse(`text of at most ${MAX_REASON_LENGTH} characters`, 'reason');
}

function parsePattern(text: string): string {
  const pattern = plainText(text)
    .replace(/\*+/g, '*')
    .replace(/^\*|\*$/g, '');
  const isUsable = /^[!-~]+$/.test(pattern) && pattern.length <= MAX_PATTERN_LENGTH;
  const parts = pattern.split('*');
  if (isUsable && parts.length <= MAX_STARS && parts.join('').length >= MIN_PATTERN_LENGTH) return pattern;
  return refuse(
    `${MIN_PATTERN_LENGTH} to ${MAX_PATTERN_LENGTH} printable ASCII characters (as they stand in a target: punycode, percent escapes) with at most ${MAX_STARS - 1} *`,
  );
}

function parseLink(text: string, domainOf: (authority: string | undefined) => string | undefined): string {
  const [first = '', second, ...more] = text.replace(/^https?:\/\//i, '').split('/');
  const named = second === undefined ? undefined : canonicalAuthority(first);
  const authority = named === undefined && second !== undefined ? undefined : domainOf(named);
  const code = readCode(second ?? first);
  if (authority !== undefined && code !== undefined && more.length === 0) return `${authority}/${code}`;
  return refuse('a short URL, or a code of the default domain');
}

/** As it is stored: addresses that were copied have it percent-encoded. */
function readCode(text: string): string | undefined {
  try {
    const code = spellCode(decodeURIComponent(text));
    return code === '' || code.length > MAX_CODE_LENGTH || code.includes('\u0000') ? undefined : code;
  } catch {
    // The percent-encoding is damaged: the caller refuses the text.
    return undefined;
  }
}

function refuse(what: string, field = 'value'): never {
  throw new AppError('invalid-data', `The ${field} must be ${what}.`, { details: { invalidElements: [field] } });
}
