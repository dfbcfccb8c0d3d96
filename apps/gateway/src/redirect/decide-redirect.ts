import { type LinkPolicy, readLinkPolicy, type Resolution, type ResolvedLink } from '@hopcount/links';

import type { RequestTarget } from './request-target.js';
import { RedirectTarget } from './redirect-target.js';

export interface Redirect {
  outcome: 'redirect';
  link: ResolvedLink;
  location: string;
  status: number;
  cacheControl: string;
}

export type RedirectDecision = Redirect | { outcome: 'not-found' };

/** What is decided for one request. */
export type DecideRedirect = (asked: Pick<RequestTarget, 'extraPath' | 'query'>, nowMs: number) => RedirectDecision;

const NOT_FOUND: RedirectDecision = { outcome: 'not-found' };
const NOWHERE: DecideRedirect = () => NOT_FOUND;

const NOT_CACHED = 'private, no-store';
/** Of 301 and 308: browsers would keep them for ever. In this time a repeated visit is not seen. */
const CACHED_FOR_A_WHILE = 'private, max-age=30';

/** A resolved link → how its requests are answered; made once for each copy of a link in memory. */
export function compileRedirect(resolution: Resolution): DecideRedirect {
  if (resolution.outcome === 'unknown') return NOWHERE;
  const { link } = resolution;
  const target = RedirectTarget.of(link.longUrl);
  const policy = readLinkPolicy(link.policy);
  if (target === undefined || policy === undefined || policy.disabled === true) return NOWHERE;

  const { validSince = -Infinity, validUntil = Infinity, extraPath: pathMode } = policy;
  const isForwarding = policy.forwardQuery !== false;
  const ended = whenEnded(link, policy);
  const usual: Redirect = {
    ...{ outcome: 'redirect', link, location: target.text },
    ...{ status: policy.status ?? 302, cacheControl: cacheControlOf(policy) },
  };
  return ({ extraPath, query }, nowMs) => {
    if ((extraPath !== '' && pathMode === undefined) || nowMs < validSince) return NOT_FOUND;
    if (nowMs > validUntil) return ended;
    const path = pathMode === 'append' ? extraPath : '';
    const forwarded = isForwarding ? query : '';
    if (path === '' && forwarded === '') return usual;
    return { ...usual, location: target.with(path, forwarded) };
  };
}

function whenEnded(link: ResolvedLink, { expiredUrl }: LinkPolicy): RedirectDecision {
  const target = expiredUrl === undefined ? undefined : RedirectTarget.of(expiredUrl);
  if (target === undefined) return NOT_FOUND;
  return { outcome: 'redirect', link, location: target.text, status: 302, cacheControl: NOT_CACHED };
}

/** Where the next visit may be decided otherwise, no browser may answer it by itself. */
function cacheControlOf({ status, validUntil, maxVisits }: LinkPolicy): string {
  const isPermanent = status === 301 || status === 308;
  return isPermanent && validUntil === undefined && maxVisits === undefined ? CACHED_FOR_A_WHILE : NOT_CACHED;
}
