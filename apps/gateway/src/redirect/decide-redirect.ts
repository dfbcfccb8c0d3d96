import { type LinkPolicy, readLinkPolicy, type Resolution, type ResolvedLink } from '@hopcount/links';

import { compileRoutes } from './compile-routes.js';
import { RedirectTarget, type TargetRules } from './redirect-target.js';
import type { RequestTarget } from './request-target.js';
import type { VisitorFacts } from './visitor-facts.js';

export interface Redirect {
  outcome: 'redirect';
  link: ResolvedLink;
  location: string;
  status: number;
  cacheControl: string;
  /** Which rule or target of the split, or end, decided; undefined: the long URL. Goes into the visit. */
  route: string | undefined;
  /** Whether the page that names the host comes first. */
  warns: boolean;
}

/** A visit without going anywhere: the picture at `/code/track`. */
export interface Pixel {
  outcome: 'pixel';
  link: ResolvedLink;
  location: '';
  route: 'pixel';
  warns: false;
}

/** Counts as a visit. */
export type VisitDecision = Redirect | Pixel;

export type RedirectDecision = VisitDecision | { outcome: 'not-found' } | { outcome: 'blocked' };

type Asked = Pick<RequestTarget, 'extraPath' | 'query'>;

/** What stands between visitors and where they are sent. */
export interface Guard {
  link: ResolvedLink;
  /** The mark of the password; undefined: there is none. */
  password: string | undefined;
  /** Whether the page that names the host may come first. */
  mayWarn: boolean;
  /** Whether anybody is sent anywhere now, so that forms are looked at. */
  isOpen(nowMs: number): boolean;
}

export interface CompiledRedirect {
  /** What is decided for one request; `visitor` is only called when the link has rules or a split. */
  decide(asked: Asked, nowMs: number, visitor: () => VisitorFacts): RedirectDecision;
  /** Whether places have to be known first. */
  needsPlace: boolean;
  /** What a visit that finds the limit used up gets instead; undefined: the link has no limit. */
  usedUp?: RedirectDecision;
  /** undefined: there is no link. */
  guard?: Guard;
}

export const NOT_FOUND: RedirectDecision = { outcome: 'not-found' };
const BLOCKED: RedirectDecision = { outcome: 'blocked' };
const NOWHERE: CompiledRedirect = { decide: () => NOT_FOUND, needsPlace: false };
const NOWHERE_ANY_MORE: CompiledRedirect = { decide: () => BLOCKED, needsPlace: false };

/** Before any extra path: a link cannot lead to that page of its target. */
const PIXEL_PATH = '/track';
export const NOT_CACHED = 'private, no-store';
/** Of 301 and 308: browsers would keep them for ever. In this time a repeated visit is not seen. */
const CACHED_FOR_A_WHILE = 'private, max-age=30';

/** A resolved link → how its requests are answered; made once for each copy of a link in memory. */
export function compileRedirect(resolution: Resolution, rules: TargetRules): CompiledRedirect {
  if (resolution.outcome === 'unknown') return NOWHERE;
  const { link } = resolution;
  const onLink = rules.blocks.onLink(link.domain, link.code);
  if (onLink === 'block') return NOWHERE_ANY_MORE;
  const target = RedirectTarget.of(link.longUrl, rules);
  const policy = readLinkPolicy(link.policy);
  if (target === undefined || policy === undefined || policy.disabled === true) return NOWHERE;

  const { validSince = -Infinity, validUntil = Infinity, extraPath: pathMode, password, maxVisits } = policy;
  const isForwarding = policy.forwardQuery !== false;
  const isWarned = policy.warn === true || onLink === 'warn';
  const ended = whenEnded(link, policy, rules, isWarned);
  const routes = compileRoutes(link, policy, rules);
  const redirectTo = redirectsOf(link, policy, rules, isWarned);
  const usual = redirectTo(target, target.text, undefined);
  const pixel: Pixel = { outcome: 'pixel', link, location: '', route: 'pixel', warns: false };
  const decide: CompiledRedirect['decide'] = ({ extraPath, query }, nowMs, visitor) => {
    if (extraPath === PIXEL_PATH) return nowMs < validSince || nowMs > validUntil ? NOT_FOUND : pixel;
    const isExtra = extraPath !== '' && !(extraPath === '/' && rules.ignoresSlash === true);
    if ((isExtra && pathMode === undefined) || nowMs < validSince) return NOT_FOUND;
    if (nowMs > validUntil) return ended;
    const path = pathMode === 'append' ? extraPath : '';
    const forwarded = isForwarding ? query : '';
    const route = routes?.choose(visitor());
    const chosen = route?.target ?? target;
    if (path !== '' || forwarded !== '') return redirectTo(chosen, chosen.with(path, forwarded), route?.name);
    return route === undefined ? usual : redirectTo(chosen, chosen.text, route.name);
  };
  const mayWarn =
    [usual, ended].some((decision) => 'warns' in decision && decision.warns) ||
    routes?.mayWarn === true ||
    (rules.blocks.warnsByText && (isForwarding || pathMode === 'append'));
  const isOpen = (nowMs: number) => nowMs >= validSince && (nowMs <= validUntil || 'link' in ended);
  return {
    ...{ decide, needsPlace: routes?.needsPlace === true, guard: { link, password, mayWarn, isOpen } },
    ...(maxVisits !== undefined && { usedUp: ended }),
  };
}

/** @returns what a visitor is answered who is sent to a target, with what they add to it */
function redirectsOf(link: ResolvedLink, policy: LinkPolicy, { blocks }: TargetRules, isWarned: boolean) {
  const usual = { outcome: 'redirect' as const, link, status: policy.status ?? 302 };
  const cacheControl = cacheControlOf(policy);
  return (target: RedirectTarget, location: string, route: string | undefined): RedirectDecision => {
    const onText = location === target.text ? undefined : blocks.onText(location);
    if (target.action === 'block' || onText === 'block') return BLOCKED;
    const warns = isWarned || target.action === 'warn' || onText === 'warn';
    return { ...usual, location, cacheControl: warns ? NOT_CACHED : cacheControl, route, warns };
  };
}

function whenEnded(
  link: ResolvedLink,
  { expiredUrl }: LinkPolicy,
  rules: TargetRules,
  isWarned: boolean,
): RedirectDecision {
  const target = expiredUrl === undefined ? undefined : RedirectTarget.of(expiredUrl, rules);
  if (target === undefined) return NOT_FOUND;
  if (target.action === 'block') return BLOCKED;
  const warns = isWarned || target.action === 'warn';
  const how = { status: 302, cacheControl: NOT_CACHED, route: 'expired' };
  return { outcome: 'redirect', link, location: target.text, ...how, warns };
}

/** Where the next visit may be decided otherwise, no browser may answer it by itself. */
function cacheControlOf({ status, validUntil, maxVisits, rules, split, password }: LinkPolicy): string {
  const isPermanent = status === 301 || status === 308;
  const changes = validUntil ?? maxVisits ?? rules ?? split ?? password;
  return isPermanent && changes === undefined ? CACHED_FOR_A_WHILE : NOT_CACHED;
}
