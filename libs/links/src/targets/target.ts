import { AppError, isLoopbackHost, isPrivateHost } from '@hopcount/runtime';

import { DEFAULT_TARGET_SCHEMES } from './target-schemes.js';

/** Of the URL as given and as serialised. */
export const MAX_TARGET_LENGTH = 2_048;

const HOST_SCHEMES = new Set(['http:', 'https:', 'ws:', 'wss:', 'ftp:']);

export type UnsafeTargetReason = 'scheme' | 'userinfo' | 'too-long' | 'private-host' | 'loop' | 'blocked';

export interface TargetRules {
  /** Authorities (`host` or `host:port`) visitors reach our own links at. */
  ownAuthorities: readonly string[];
  allowPrivateTargets: boolean;
  /** Without `:`; absent: http and https. */
  schemes?: readonly string[] | undefined;
}

/**
 * The long URL to store. What the client wrote stays as written when it is plain ASCII and explicit
 * about its host; otherwise the WHATWG serialisation is taken (punycode, percent escapes), so that
 * what is stored always fits a Location header and means to every browser what was judged here.
 * @param field its name in the request, for errors
 * @throws AppError `invalid-data` (not a URL) or `unsafe-target` with the reason
 */
export function parseTarget(longUrl: string, rules: TargetRules, field = 'longUrl'): string {
  const { schemes = DEFAULT_TARGET_SCHEMES } = rules;
  const unsafe = (reason: UnsafeTargetReason) => unsafeTarget(reason, field, schemes);
  const given = longUrl.trim();
  if (given.startsWith('//') || given.startsWith('\\\\')) throw unsafe('scheme');
  // Judged before parsing: a huge text costs time only to be refused.
  if (given.length > MAX_TARGET_LENGTH) throw unsafe('too-long');
  const url = URL.parse(given);
  if (url === null) {
    throw new AppError('invalid-data', 'The target is not an absolute URL.', {
      details: { invalidElements: [field] },
    });
  }
  if (!schemes.includes(url.protocol.slice(0, -1))) throw unsafe('scheme');
  if (url.username !== '' || url.password !== '') throw unsafe('userinfo');
  if (url.href.length > MAX_TARGET_LENGTH) throw unsafe('too-long');
  // What stands behind other schemes is no host of the internet, even where it looks like one.
  if (HOST_SCHEMES.has(url.protocol)) {
    if (rules.ownAuthorities.some((authority) => isOwnAuthority(url, authority))) throw unsafe('loop');
    if (!rules.allowPrivateTargets && isPrivateHost(url.hostname)) throw unsafe('private-host');
  }
  if (/^https?:\/\/(?!\/)[!-~]+$/i.test(given) && !given.includes('\\')) return given;
  // The parser leaves spaces behind such a scheme as they are; a header must not end there.
  return url.href.replaceAll(' ', '%20');
}

function isOwnAuthority(url: URL, authority: string): boolean {
  const own = URL.parse(`${url.protocol}//${authority}`);
  if (own === null) return false;
  if (isOnePort(own, authority) && own.port !== url.port) return false;
  const [ownHost, host] = [own.hostname, url.hostname].map((name) => name.replace(/\.+$/, ''));
  return ownHost === host || (isLoopbackHost(own.hostname) && isLoopbackHost(url.hostname) && own.port === url.port);
}

/** An authority without a port stands for the whole host; with one, other ports are other servers. */
function isOnePort(own: URL, authority: string): boolean {
  return own.port !== '' || /:\d+$/.test(authority);
}

const WORDS: Record<UnsafeTargetReason, string> = {
  scheme: 'The scheme of the target must be one of these: ',
  userinfo: 'The target may not carry a user name or password.',
  'too-long': `The target may have at most ${MAX_TARGET_LENGTH} characters.`,
  'private-host': 'The target is not on the public internet: use a public address, or set ALLOW_PRIVATE_TARGETS.',
  loop: 'The target is a short link of this service.',
  blocked: 'Short links to this target are blocked here.',
};

export function unsafeTarget(
  reason: UnsafeTargetReason,
  field = 'longUrl',
  schemes: readonly string[] = DEFAULT_TARGET_SCHEMES,
): AppError {
  const named = field === 'longUrl' ? {} : { invalidElements: [field] };
  const message = reason === 'scheme' ? `${WORDS.scheme}${schemes.join(', ')}.` : WORDS[reason];
  return new AppError('unsafe-target', message, { details: { reason, ...named } });
}
