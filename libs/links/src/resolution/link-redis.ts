import { availabilityOf, defineScript, type RedisClient, type Script } from '@hopcount/redis';

import type { ResolvedLink } from './resolved-link.js';

const TTL_SECONDS = 7 * 24 * 3_600;
/** ± 10 %, so that links cached together do not expire together. */
const TTL_JITTER = 0.1;
/** Longer than any read of PostgreSQL can be under way. */
const MARK_SECONDS = 60;
const FIELDS = ['id', 'domain', 'code', 'url', 'group', 'version'] as const;

/** The links hash in Redis: `hc:link:{domain/code}`. Never throws; undefined or nothing when Redis is away. */
export class LinkRedis {
  readonly #store: Script;
  readonly #invalidate: Script;

  constructor(private readonly redis: RedisClient) {
    this.#store = defineScript(redis, 'hcStoreLink', import.meta.url, 'lua/store-link.lua');
    this.#invalidate = defineScript(redis, 'hcInvalidateLink', import.meta.url, 'lua/invalidate-link.lua');
  }

  async find(domain: string, code: string): Promise<ResolvedLink | undefined> {
    const availability = availabilityOf(this.redis);
    const values = await availability.ask('link-find', () => this.redis.hmget(keyOf(domain, code), ...FIELDS));
    const [id, linkDomain, linkCode, longUrl, groupId, version] = values ?? [];
    // Without an id it is only the mark of a change.
    if (!id || !linkDomain || !linkCode || !longUrl || !version) return undefined;
    return { id, domain: linkDomain, code: linkCode, longUrl, groupId: groupId || null, version };
  }

  /** Unless a newer version is there. */
  async store(link: ResolvedLink): Promise<void> {
    const ttlSeconds = Math.round(TTL_SECONDS * (1 + TTL_JITTER * (2 * Math.random() - 1)));
    const { id, version, domain, code, longUrl, groupId } = link;
    const values = [ttlSeconds, id, version, domain, code, longUrl, groupId ?? ''];
    await availabilityOf(this.redis).ask('link-store', () => this.#store([keyOf(domain, code)], values));
  }

  /** False when Redis did not do it. @param version the one now current; undefined when not known. */
  async invalidate(domain: string, code: string, version: string | undefined): Promise<boolean> {
    const answer = await availabilityOf(this.redis).ask('link-invalidate', () =>
      this.#invalidate([keyOf(domain, code)], [version ?? '', MARK_SECONDS]),
    );
    return answer !== undefined;
  }
}

/** The braces make one hash tag: all keys of a link live on one node of a Redis Cluster. */
function keyOf(domain: string, code: string): string {
  return `hc:link:{${domain}/${code}}`;
}
