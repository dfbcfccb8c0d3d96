import { type CrawlableLink, listCrawlable } from '@hopcount/links';
import type { Queryable } from '@hopcount/postgres';
import { PrebuiltBody } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

/** What crawlers read of a robots.txt at most (RFC 9309: at least 500 KiB). */
const MAX_CHARACTERS = 500 * 1_024;
const MAX_LINKS = 10_000;
const MAX_CACHED_CHARACTERS = 16 * 1_024 * 1_024;
/** A link becomes crawlable, or not, on every gateway within this time; crawlers keep what they read for a day. */
const KEPT_MS = 60_000;

/**
 * robots.txt of each domain: its crawlable links are allowed, everything else is not. A rule is a prefix, so a code ends
 * with `$`, or `/abc` would allow `/abcd` too.
 */
export class Robots {
  readonly #built: LRUCache<string, PrebuiltBody>;

  constructor(database: Queryable, keptMs = KEPT_MS) {
    this.#built = new LRUCache<string, PrebuiltBody>({
      maxSize: MAX_CACHED_CHARACTERS,
      sizeCalculation: ({ plain }) => plain.length,
      ttl: keptMs,
      // While PostgreSQL is away, what it said last is the best there is.
      allowStaleOnFetchRejection: true,
      noDeleteOnFetchRejection: true,
      fetchMethod: async (domain) => {
        const text = robotsText(await listCrawlable(database, domain, MAX_LINKS + 1));
        return new PrebuiltBody('text/plain; charset=utf-8', Buffer.from(text));
      },
    });
  }

  /** Undefined when PostgreSQL does not answer and nothing is known of the domain. */
  bodyFor(domain: string): Promise<PrebuiltBody | undefined> {
    return this.#built.fetch(domain);
  }
}

/** Newest links first; as many as fit. */
export function robotsText(links: readonly CrawlableLink[]): string {
  const head = 'User-agent: *\n';
  const tail = 'Disallow: /\n';
  const kept: string[] = [];
  let characters = head.length + tail.length;
  for (const link of links.slice(0, MAX_LINKS)) {
    const rules = rulesFor(link);
    characters += rules.length;
    if (characters > MAX_CHARACTERS) break;
    kept.push(rules);
  }
  return head + kept.join('') + tail;
}

function rulesFor({ code, takesPath }: CrawlableLink): string {
  // `*` and `$` have a meaning of their own in a rule.
  const path = `/${encodeURIComponent(code).replaceAll('*', '%2A')}`;
  const ends = takesPath ? ['$', '?', '/'] : ['$', '?'];
  return ends.map((end) => `Allow: ${path}${end}\n`).join('');
}
