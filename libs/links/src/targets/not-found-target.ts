import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

import { parseTarget } from './target.js';

/** What a visitor found nothing of: the domain alone, an address that can be no link, a code that no link has. */
export const NOT_FOUND_FIELDS = ['baseUrlRedirect', 'regular404Redirect', 'invalidShortUrlRedirect'] as const;
export type NotFoundField = (typeof NOT_FOUND_FIELDS)[number];
/** Where such visitors go; null: a page says that there is nothing. */
export type NotFoundRedirects = Record<NotFoundField, string | null>;

const WEB = ['http', 'https'];
const PLACEHOLDER = /\{(?:DOMAIN|ORIGINAL_PATH)\}/;
/** The URL parser writes them so into a path. */
const ESCAPED = /%7B(DOMAIN|ORIGINAL_PATH)%7D/gi;
const MAX_PATH_LENGTH = 2_048;

/**
 * What is stored of such an address. `{DOMAIN}` and `{ORIGINAL_PATH}` may stand behind its host, where they can make no
 * other host of it.
 * @param own authorities it must not lead to: their visitors would be sent around for ever
 * @throws AppError `invalid-data`, `unsafe-target`
 */
export function parseNotFoundTarget(url: string, own: readonly string[], field: string): string {
  const rules = { ownAuthorities: own, allowPrivateTargets: true, schemes: WEB };
  const target = parseTarget(url, rules, field).replace(ESCAPED, (_, name: string) => `{${name.toUpperCase()}}`);
  if (!/[{}]|%7b/i.test(URL.parse(target)?.host ?? '{')) return target;
  const message = 'A placeholder may stand in the path, query or fragment of the address, not in its host.';
  throw new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}

/** Of a gateway and an api alike: where visitors go whose domain has no address of its own for them. */
export const notFoundSettings = {
  DEFAULT_BASE_URL_REDIRECT: setting(),
  DEFAULT_REGULAR_404_REDIRECT: setting(),
  DEFAULT_INVALID_SHORT_URL_REDIRECT: setting(),
};

export function notFoundDefaults(config: {
  defaultBaseUrlRedirect: string | null;
  defaultRegular404Redirect: string | null;
  defaultInvalidShortUrlRedirect: string | null;
}): NotFoundRedirects {
  return {
    baseUrlRedirect: config.defaultBaseUrlRedirect,
    regular404Redirect: config.defaultRegular404Redirect,
    invalidShortUrlRedirect: config.defaultInvalidShortUrlRedirect,
  };
}

function setting() {
  return z
    .string()
    .default('')
    .transform((url, context) => {
      if (url.trim() === '') return null;
      try {
        return parseNotFoundTarget(url, [], 'url');
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
        return z.NEVER;
      }
    });
}

/** An address with what its placeholders stand for. */
export class NotFoundTarget {
  readonly #hasPlaceholders: boolean;
  readonly #path: string;
  readonly #rest: string;

  private constructor(private readonly text: string) {
    this.#hasPlaceholders = PLACEHOLDER.test(text);
    const end = text.search(/[?#]/);
    this.#path = end === -1 ? text : text.slice(0, end);
    this.#rest = end === -1 ? '' : text.slice(end);
  }

  /** Judged again, since domains have come since it was stored. Undefined when nobody may be sent there. */
  static of(url: string | null, isOwn: (authority: string) => boolean): NotFoundTarget | undefined {
    const parsed = url === null ? null : URL.parse(url);
    if (url === null || parsed === null) return undefined;
    const host = parsed.hostname.replace(/\.+$/, '');
    const port = parsed.port === '' ? (parsed.protocol === 'https:' ? '443' : '80') : parsed.port;
    try {
      return new NotFoundTarget(parseNotFoundTarget(url, [host, `${host}:${port}`].filter(isOwn), 'url'));
    } catch {
      // Refused by the rules of today, which may be stricter than those it was stored under: not used.
      return undefined;
    }
  }

  /** @param path as it was asked for, without the query; one that is too long counts as none */
  fill(domain: string, path: string): string {
    if (!this.#hasPlaceholders) return this.text;
    const asked = path.length > MAX_PATH_LENGTH ? '' : path;
    // A backslash is a slash to browsers.
    const inPath = asked.replace(/[^!-~]|["#<>?\\]/g, escapeByte);
    const before = this.#path.replace(/(\/?)\{(DOMAIN|ORIGINAL_PATH)\}/g, (_, slash: string, name: string) => {
      return slash + (name === 'DOMAIN' ? domain : inPath.replace(/^\/+/, ''));
    });
    const behind = this.#rest.replace(/\{(DOMAIN|ORIGINAL_PATH)\}/g, (_, name: string) => {
      return name === 'DOMAIN' ? encodeURIComponent(domain) : asked.replace(/[^\w.~-]/g, escapeByte);
    });
    return before + behind;
  }
}

/** Node hands over each byte of an address as one character. */
function escapeByte(character: string): string {
  return `%${Buffer.from(character, 'latin1').toString('hex').toUpperCase()}`;
}
