import { cookiesNamed } from '../cookies.js';
import type { Visitor } from '../visits/identify-visitor.js';
import type { Clicks } from '../visits/recent-clicks.js';

/** How often a browser came back to one link; it belongs to the path of the link. */
const COOKIE = 'hc_hops';
const SECONDS = 10;
/** Times in a minute, as far as one gateway knows, from which on a browser that keeps cookies is told how often it came. */
const NOTED_FROM = 2;
/** So many within seconds of each other: another site sends visitors back to where they come from. */
const MOST_HOPS = 5;
/** Of a browser that goes on all the same, which is counted anew. */
export const hopsEnded = (path: string) => `${COOKIE}=; Path=${path}; Max-Age=0; HttpOnly; SameSite=Lax`;

/** The value of a Set-Cookie; undefined: the browser is here for the first time, or keeps none. */
export function nextHop(
  cookies: string,
  pathOf: () => string,
  visitor: Visitor,
  { number }: Clicks,
): string | undefined {
  const isKnown = visitor.visitorId !== null && visitor.setCookie === undefined;
  const hops = hopsOf(cookies);
  // Once it has the cookie, whatever this gateway saw of it: the others saw the rest.
  if (!isKnown || (hops === 0 && number < NOTED_FROM)) return undefined;
  return `${COOKIE}=${Math.min(hops + 1, MOST_HOPS)}; Path=${pathOf()}; Max-Age=${SECONDS}; HttpOnly; SameSite=Lax`;
}

export function isLooping(cookies: string): boolean {
  return cookies.includes(COOKIE) && hopsOf(cookies) >= MOST_HOPS;
}

function hopsOf(cookies: string): number {
  const given = cookiesNamed(COOKIE, cookies)[0] ?? '';
  return /^\d$/.test(given) ? Number(given) : 0;
}
