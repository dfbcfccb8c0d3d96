import type { Resolution, ResolvedLink } from '@hopcount/links';

export type RedirectDecision = { outcome: 'redirect'; location: string; link: ResolvedLink } | { outcome: 'not-found' };

const NOT_FOUND: RedirectDecision = { outcome: 'not-found' };
const PRINTABLE_ASCII = /^[!-~]+$/;

/**
 * A resolved link → where to send the visitor. The target was checked when it was stored; it is
 * checked again here, because the row may have come from an import, an older version or a hand.
 * The location is ASCII: bytes beyond it mean different things to different clients.
 */
export function decideRedirect(resolution: Resolution): RedirectDecision {
  if (resolution.outcome === 'unknown') return NOT_FOUND;
  const { link } = resolution;
  if (!URL.canParse(link.longUrl)) return NOT_FOUND;
  const url = new URL(link.longUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return NOT_FOUND;
  // "http:/host" and "http:host" parse too, but as a Location they are relative to us.
  const asWritten = PRINTABLE_ASCII.test(link.longUrl) && /^https?:\/\//i.test(link.longUrl);
  return { outcome: 'redirect', location: asWritten ? link.longUrl : url.href, link };
}
