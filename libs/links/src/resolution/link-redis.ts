import { availabilityOf, defineScript, type RedisClient, type Script } from '@hopcount/redis';

import type { NotFoundRedirects } from '../targets/not-found-target.js';
import type { KnownDomains } from './link-database.js';
import type { LinkKey, LinkState } from './resolved-link.js';

/** The same for every copy: what is left of it tells when the copy was written. */
export const COPY_TTL_MS = 7 * 24 * 3_600_000;
interface NotedDomains {
  defaultAuthority: string | undefined;
  authorities: string[];
  redirects: [string, NotFoundRedirects][];
}

/** Longer than any read of PostgreSQL can be under way. */
const NEWER_STANDS_MS = 60_000;

export interface LinkCopy {
  state: LinkState;
  /** How long ago PostgreSQL said so. */
  ageMs: number;
}

/**
 * Copies of link rows in Redis: `hc:link2:<incarnation of the ledger>:{domain/code}`. Never throws; undefined when
 * Redis is away.
 */
export class LinkRedis {
  readonly #put: Script;
  readonly #find: Script;

  constructor(private readonly redis: RedisClient) {
    this.#put = defineScript(redis, 'hcPutLink', import.meta.url, 'lua/put-link.lua');
    this.#find = defineScript(redis, 'hcFindLink', import.meta.url, 'lua/find-link.lua');
  }

  async find(incarnation: string, key: LinkKey): Promise<LinkCopy | undefined> {
    const fields = await availabilityOf(this.redis).ask('link-find', () =>
      this.#find([redisKey(incarnation, key)], []),
    );
    const [version, id, longUrl, groupId, policy, leftMs] = (fields ?? []) as (string | null)[];
    if (!version || !id) return undefined;
    const state = {
      id,
      domain: key.domain,
      code: key.code,
      longUrl: longUrl || null,
      groupId: groupId || null,
      policy: policy || null,
      version,
    };
    return { state, ageMs: COPY_TTL_MS - Number(leftMs) };
  }

  /** Unless a newer version came a moment ago. False when Redis did not answer. */
  async put(incarnation: string, { version, id, longUrl, groupId, policy, ...key }: LinkState): Promise<boolean> {
    const values = [COPY_TTL_MS, NEWER_STANDS_MS, version, id, longUrl ?? '', groupId ?? '', policy ?? ''];
    const answer = await availabilityOf(this.redis).ask('link-put', () =>
      this.#put([redisKey(incarnation, key)], values),
    );
    return answer !== undefined;
  }

  async drop(incarnation: string, key: LinkKey): Promise<void> {
    await availabilityOf(this.redis).ask('link-drop', () => this.redis.del(redisKey(incarnation, key)));
  }

  /** The last ones first; at most so many are kept, of all gateways together. */
  async noteHot(incarnation: string, links: readonly LinkKey[], atMost: number): Promise<void> {
    const key = hotKey(incarnation);
    const now = Date.now();
    const members = links.flatMap(({ domain, code }, rank) => [now - rank, `${domain}/${code}`]);
    await availabilityOf(this.redis).ask('hot-note', () =>
      this.redis
        .multi()
        .zadd(key, ...members)
        .zremrangebyrank(key, 0, -atMost - 1)
        .pexpire(key, COPY_TTL_MS)
        .exec(),
    );
  }

  async hotLinks(incarnation: string, atMost: number): Promise<LinkKey[]> {
    const key = hotKey(incarnation);
    const names = await availabilityOf(this.redis).ask('hot-get', () => this.redis.zrange(key, 0, atMost - 1, 'REV'));
    return (names ?? []).map((name) => {
      const slash = name.indexOf('/');
      return { domain: name.slice(0, slash), code: name.slice(slash + 1) };
    });
  }

  /** What a process needs that starts while PostgreSQL is away; undefined when nobody has noted it. */
  async lastDomains(defaultDomain: string): Promise<KnownDomains | undefined> {
    const key = domainsKey(defaultDomain);
    const text = await availabilityOf(this.redis).ask('domains-get', () => this.redis.get(key));
    if (typeof text !== 'string') return undefined;
    const { defaultAuthority, authorities, redirects } = JSON.parse(text) as NotedDomains;
    return { defaultAuthority, authorities: new Set(authorities), redirects: new Map(redirects) };
  }

  async noteDomains(defaultDomain: string, domains: KnownDomains): Promise<void> {
    const { defaultAuthority, authorities, redirects } = domains;
    const noted: NotedDomains = { defaultAuthority, authorities: [...authorities], redirects: [...redirects] };
    const text = JSON.stringify(noted);
    await availabilityOf(this.redis).ask('domains-set', () => this.redis.set(domainsKey(defaultDomain), text));
  }

  /** Which copies to believe, for a process that starts while PostgreSQL is away. */
  async lastIncarnation(defaultDomain: string): Promise<string | undefined> {
    const key = incarnationKey(defaultDomain);
    return (await availabilityOf(this.redis).ask('incarnation-get', () => this.redis.get(key))) ?? undefined;
  }

  async noteIncarnation(defaultDomain: string, incarnation: string): Promise<void> {
    const key = incarnationKey(defaultDomain);
    await availabilityOf(this.redis).ask('incarnation-set', () => this.redis.set(key, incarnation));
  }
}

/**
 * `link2`: a copy that was written without a policy would say that there is none. Whoever changes what a copy holds
 * changes the name. The braces make one hash tag: a link lives on one node of a Redis Cluster.
 */
function redisKey(incarnation: string, { domain, code }: LinkKey): string {
  return `hc:link2:${incarnation}:{${domain}/${code}}`;
}

function hotKey(incarnation: string): string {
  return `hc:hot-links:${incarnation}`;
}

function incarnationKey(defaultDomain: string): string {
  return `hc:ledger-incarnation:${defaultDomain}`;
}

function domainsKey(defaultDomain: string): string {
  return `hc:domains2:${defaultDomain}`;
}
