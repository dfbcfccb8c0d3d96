import { DIRECT, UNKNOWN } from '@hopcount/contracts';

import { memoised } from './memoised.js';

const LONGEST_HOST = 253;
const APP = 'android-app:';
const SCHEMES = new Set(['http:', 'https:', APP]);
const PACKAGE = /^[a-z0-9_]+(\.[a-z0-9_]+){1,20}$/;

/**
 * Referrer → host in lower case without `www.` (the site, not its spelling), of apps with the scheme, which tells them from sites; `direct`
 * without one; `unknown` if it is no web or app address.
 */
export function createReadReferrerHost() {
  const host = memoised(hostOf);
  return function readReferrerHost(referrer: string | null): string {
    return referrer === null || referrer.trim() === '' ? DIRECT : host(referrer);
  };
}

function hostOf(referrer: string): string {
  let url: URL;
  try {
    url = new URL(referrer);
  } catch {
    // No URL: anybody may send any referrer.
    return UNKNOWN;
  }
  if (!SCHEMES.has(url.protocol)) return UNKNOWN;
  const name = url.hostname.toLowerCase().replace(/\.$/, '');
  if (url.protocol === APP) return PACKAGE.test(name) ? `${APP}//${name}` : UNKNOWN;
  const host = name.replace(/^www\.(?=.)/, '');
  // Who writes `http://direct/` is no visitor without a referrer.
  return host === '' || host === DIRECT ? UNKNOWN : host.slice(0, LONGEST_HOST);
}

/** Accept-Language → primary language the visitor prefers most (`de-CH;q=0.8, fr` → `fr`), or `unknown`. */
export function createReadLanguage() {
  const language = memoised(preferredLanguage);
  return function readLanguage(acceptLanguage: string | null): string {
    return acceptLanguage === null ? UNKNOWN : language(acceptLanguage);
  };
}

function preferredLanguage(acceptLanguage: string): string {
  let best = UNKNOWN;
  let bestQuality = 0;
  for (const item of acceptLanguage.split(',')) {
    const [tag = '', ...parameters] = item.split(';');
    const language = tag.trim().split('-')[0]?.toLowerCase() ?? '';
    const quality = qualityOf(parameters);
    // The first of equals wins; `*` and anything that is no language subtag says nothing.
    if (quality > bestQuality && /^[a-z]{2,3}$/.test(language)) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}

function qualityOf(parameters: string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*(.*?)\s*$/i.exec(parameter);
    if (match !== null) return Math.min(Number(match[1]) || 0, 1);
  }
  return 1;
}
