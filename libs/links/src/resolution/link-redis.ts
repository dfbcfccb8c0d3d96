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
    const fields = await this.#ask('link-find', redisKey(incarnation, key), (name) => this.#find([name], []));
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
    const answer = await this.#ask('link-put', redisKey(incarnation, key), (name) => this.#put([name], values));
    return answer !== undefined;
  }

  async drop(incarnation: string, key: LinkKey): Promise<void> {
    await this.#ask('link-drop', redisKey(incarnation, key), (name) => this.redis.del(name));
  }

  /** The last ones first; at most so many are kept, of all gateways together. */
  async noteHot(incarnation: string, links: readonly LinkKey[], atMost: number): Promise<void> {
    const now = Date.now();
    const members = links.flatMap(({ domain, code }, rank) => [now - rank, `${domain}/${code}`]);
    await this.#ask('hot-note', hotKey(incarnation), (key) =>
      this.redis
        .multi()
        .zadd(key, ...members)
        .zremrangebyrank(key, 0, -atMost - 1)
        .pexpire(key, COPY_TTL_MS)
        .exec(),
    );
  }

  async hotLinks(incarnation: string, atMost: number): Promise<LinkKey[]> {
    const names = await this.#ask('hot-get', hotKey(incarnation), (key) =>
      this.redis.zrange(key, 0, atMost - 1, 'REV'),
    );
    return (names ?? []).map((name) => {
      const slash = name.indexOf('/');
      return { domain: name.slice(0, slash), code: name.slice(slash + 1) };
    });
  }

  /** What a process needs that starts while PostgreSQL is away; undefined when nobody has noted it. */
  async lastDomains(defaultDomain: string): Promise<KnownDomains | undefined> {
    const text = await this.#ask('domains-get', domainsKey(defaultDomain), (key) => this.redis.get(key));
    if (typeof text !== 'string') return undefined;
    const { defaultAuthority, authorities, redirects } = JSON.parse(text) as NotedDomains;
    return { defaultAuthority, authorities: new Set(authorities), redirects: new Map(redirects) };
  }

  async noteDomains(defaultDomain: string, domains: KnownDomains): Promise<void> {
    const { defaultAuthority, authorities, redirects } = domains;
    const noted: NotedDomains = { defaultAuthority, authorities: [...authorities], redirects: [...redirects] };
    const text = JSON.stringify(noted);
    await this.#ask('domains-set', domainsKey(defaultDomain), (key) => this.redis.set(key, text));
  }

  /** Which copies to believe, for a process that starts while PostgreSQL is away. */
  async lastIncarnation(defaultDomain: string): Promise<string | undefined> {
    return (
      (await this.#ask('incarnation-get', incarnationKey(defaultDomain), (key) => this.redis.get(key))) ?? undefined
    );
  }

  async noteIncarnation(defaultDomain: string, incarnation: string): Promise<void> {
    await this.#ask('incarnation-set', incarnationKey(defaultDomain), (key) => this.redis.set(key, incarnation));
  }

  #ask<T>(operation: string, key: string, work: (key: string) => Promise<T>): Promise<T | undefined> {
    return availabilityOf(this.redis).ask(operation, () => work(key), key);
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
