import { createRequire } from 'node:module';

import { NETWORKS } from './networks.js';
import { pick, type Random, zipfPicker } from './random.js';

/** Somebody who follows links; keeps the cookie it was given, as browsers do. */
export interface Visitor {
  userAgent: string;
  address: string;
  acceptLanguage: string | null;
  isBot: boolean;
  cookie: string | null;
}

export interface Corpus {
  /** Most common browsers of today (npm: top-user-agents, MIT), most common first. */
  browsers: string[];
  /** Published examples of crawlers (npm: crawler-user-agents, MIT). */
  bots: string[];
}

const REFERRERS = [
  null,
  null,
  null,
  'https://www.google.com/',
  'https://www.bing.com/search?q=hopcount',
  'https://t.co/Xy12',
  'https://news.ycombinator.com/item?id=1',
  'https://www.reddit.com/r/programming/',
  'https://l.facebook.com/',
  'https://duckduckgo.com/',
  'android-app://com.google.android.gm/',
];

const LANGUAGES = [
  'en-US,en;q=0.9',
  'en-GB,en;q=0.8',
  'de-DE,de;q=0.9,en;q=0.5',
  'de-CH,fr-CH;q=0.8',
  'fr-FR,fr;q=0.9',
  'es-ES,es;q=0.9',
  'pt-BR,pt;q=0.9',
  'ja',
  'zh-CN,zh;q=0.9',
  'sv-SE',
  'pl',
  '*',
];

const BOT_SHARE = 0.12;

export function loadCorpus(): Corpus {
  const require = createRequire(import.meta.url);
  const crawlers = require('crawler-user-agents') as { instances: string[] }[];
  const isHeader = (text: string) => /^[\x20-\x7e]{1,400}$/.test(text);
  return {
    browsers: (require('top-user-agents') as string[]).filter(isHeader),
    bots: crawlers.flatMap((crawler) => crawler.instances).filter(isHeader),
  };
}

/** So many visitors, of whom some come back often; the same for the same seed. */
export function makeAudience(random: Random, size: number, corpus = loadCorpus()): () => Visitor {
  const nextBrowser = zipfPicker(random, corpus.browsers.length);
  const visitors = Array.from({ length: size }, (): Visitor => {
    const isBot = random() < BOT_SHARE;
    return {
      userAgent: isBot ? pick(random, corpus.bots) : (corpus.browsers[nextBrowser()] as string),
      address: randomAddress(random),
      acceptLanguage: isBot ? null : pick(random, LANGUAGES),
      isBot,
      cookie: null,
    };
  });
  const nextVisitor = zipfPicker(random, size);
  return () => visitors[nextVisitor()] as Visitor;
}

export function randomAddress(random: Random): string {
  const { pattern } = pick(random, NETWORKS);
  const v6 = pattern.includes(':');
  return pattern.replaceAll('%', () => {
    const value = 1 + Math.floor(random() * (v6 ? 0xfffe : 254));
    return v6 ? value.toString(16) : String(value);
  });
}

/** Headers of one visit as a reverse proxy would hand them on. */
export function visitHeaders(random: Random, visitor: Visitor): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': visitor.userAgent, 'x-forwarded-for': visitor.address };
  const referrer = visitor.isBot ? null : pick(random, REFERRERS);
  if (referrer !== null) headers['referer'] = referrer;
  if (visitor.acceptLanguage !== null) headers['accept-language'] = visitor.acceptLanguage;
  if (visitor.cookie !== null) headers['cookie'] = visitor.cookie;
  return headers;
}
