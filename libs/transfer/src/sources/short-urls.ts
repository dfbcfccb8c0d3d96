import { invalid } from './fields.js';

/** Of the services themselves: nobody else's links can be there, so theirs go where links go that name no domain. */
const SHARED_DOMAINS: ReadonlySet<string> = new Set([
  ...[
    'bit.ly',
    'bitly.com',
    'bitly.is',
    'j.mp',
    'tinyurl.com',
    'rebrand.ly',
    'dub.sh',
    'dub.link',
    'kutt.it',
    'kutt.to',
  ],
  'short.gy',
]);

export const isSharedDomain = (domain: string) => SHARED_DOMAINS.has(domain.toLowerCase());

/**
 * Domain and code of a short URL, with or without its scheme. All of its path is the code: a part of it would be another link.
 * @throws RowSkipped: it has no path, or something behind it
 */
export function readShortUrl(text: string): { domain: string; code: string } {
  const [, domain = '', path = ''] = /^(?:https?:\/\/)?([^/?#\s]+)\/([^?#]*)$/i.exec(text.trim()) ?? [];
  if (domain === '' || path === '') throw invalid('shortUrl', 'is no short URL as https://example.com/code');
  return { domain: domain.toLowerCase(), code: decoded(path.replace(/\/$/, '')) };
}

/** Percent-encoded UTF-8 is text again; anything else stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A `%` is refused as part of a code: nothing is guessed.
    return text;
  }
}
