import { AppError } from '@hopcount/runtime';

import { isLoopbackHost, isPrivateHost } from './private-hosts.js';

/** Of the URL as given and as serialised. */
export const MAX_TARGET_LENGTH = 2_048;

export type UnsafeTargetReason = 'scheme' | 'userinfo' | 'too-long' | 'private-host' | 'loop';

export interface TargetRules {
  /** Authorities (`host` or `host:port`) visitors reach our own links at. */
  ownAuthorities: readonly string[];
  allowPrivateTargets: boolean;
}

/**
 * The long URL to store. What the client wrote stays as written when it is plain ASCII and explicit
 * about its host; otherwise the WHATWG serialisation is taken (punycode, percent escapes), so that
 * what is stored always fits a Location header and means to every browser what was judged here.
 * @param field its name in the request, for errors
 * @throws AppError `invalid-data` (not a URL) or `unsafe-target` with the reason
 */
export function parseTarget(longUrl: string, rules: TargetRules, field = 'longUrl'): string {
  const unsafe = (reason: UnsafeTargetReason) => unsafeTarget(reason, field);
  const given = longUrl.trim();
  if (given.startsWith('//') || given.startsWith('\\\\')) throw unsafe('scheme');
  // Judged before parsing: a huge text costs time only to be refused.
  if (given.length > MAX_TARGET_LENGTH) throw unsafe('too-long');
  if (!URL.canParse(given)) {
    throw new AppError('invalid-data', 'The target is not an absolute URL.', {
      details: { invalidElements: [field] },
    });
  }
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw unsafe('scheme');
  if (url.username !== '' || url.password !== '') throw unsafe('userinfo');
  if (url.href.length > MAX_TARGET_LENGTH) throw unsafe('too-long');
  if (rules.ownAuthorities.some((authority) => isOwnAuthority(url, authority))) throw unsafe('loop');
  if (!rules.allowPrivateTargets && isPrivateHost(url.hostname)) throw unsafe('private-host');
  return /^https?:\/\/(?!\/)[!-~]+$/i.test(given) && !given.includes('\\') ? given : url.href;
}

function isOwnAuthority(url: URL, authority: string): boolean {
  if (!URL.canParse(`${url.protocol}//${authority}`)) return false;
  const own = new URL(`${url.protocol}//${authority}`);
  if (isOnePort(own, authority) && own.port !== url.port) return false;
  const [ownHost, host] = [own.hostname, url.hostname].map((name) => name.replace(/\.+$/, ''));
  return ownHost === host || (isLoopbackHost(own.hostname) && isLoopbackHost(url.hostname) && own.port === url.port);
}

/** An authority without a port stands for the whole host; with one, other ports are other servers. */
function isOnePort(own: URL, authority: string): boolean {
  return own.port !== '' || /:\d+$/.test(authority);
}

const WORDS: Record<UnsafeTargetReason, string> = {
  scheme: 'Only http and https addresses can be targets.',
  userinfo: 'The target may not carry a user name or password.',
  'too-long': `The target may have at most ${MAX_TARGET_LENGTH} characters.`,
  'private-host': 'The target is not on the public internet.',
  loop: 'The target is a short link of this service.',
};

function unsafeTarget(reason: UnsafeTargetReason, field: string): AppError {
  const named = field === 'longUrl' ? {} : { invalidElements: [field] };
  return new AppError('unsafe-target', WORDS[reason], { details: { reason, ...named } });
}
