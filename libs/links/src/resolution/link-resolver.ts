import type { Queryable } from '@hopcount/postgres';
import type { RedisClient } from '@hopcount/redis';
import { AppError, type Logger } from '@hopcount/runtime';

import { findLink, type KnownDomains, listDomains } from './link-database.js';
import type { LinkChange, LinkChangeListener } from './link-invalidations.js';
import { LinkMemory, type LinkMemoryOptions } from './link-memory.js';
import { LinkRedis } from './link-redis.js';
import { type Resolution, UNKNOWN } from './resolved-link.js';

export interface LinkResolverOptions extends Partial<LinkMemoryOptions> {
  /** Authority that answers for hosts without links of their own, until the database names one. */
  defaultDomain: string;
  /** Longest wait for PostgreSQL. */
  databaseTimeoutMs?: number;
  nowMs?: () => number;
}

const DEFAULTS: LinkMemoryOptions = {
  ttlMs: 10_000,
  missTtlMs: 1_500,
  maxMisses: 20_000,
  maxCharacters: 32 * 1_024 * 1_024,
};
const DATABASE_TIMEOUT_MS = 3_000;
/** After a failed lookup stale copies answer at once for so long; links without one always ask. */
const DATABASE_PAUSE_MS = 500;
const LOG_PAUSE_MS = 10_000;
const DOMAINS_TTL_MS = 10_000;

/** One lookup under way; `overtaken` once the link changed while it ran: its result is not kept. */
interface Flight {
  overtaken: boolean;
  promise: Promise<Resolution>;
}

/**
 * (host, code) → link: memory, then Redis, then PostgreSQL, one lookup under way per link.
 *
 * The race that matters: a lookup reads version 1, the link becomes version 2 and its change is
 * announced, the lookup ends. `onChange` marks the flight, so version 1 is neither remembered nor
 * joined by later requests; in Redis the mark left by the change refuses version 1.
 */
export class LinkResolver implements LinkChangeListener {
  /** Answers since the start, by where they came from; read by the metrics. */
  readonly answers = { memory: 0, redis: 0, database: 0, stale: 0, unknown: 0, failed: 0 };
  readonly #memory: LinkMemory;
  readonly #redis: LinkRedis;
  readonly #flights = new Map<string, Flight>();
  readonly #nowMs: () => number;
  #domains: { authorities: Set<string>; defaultAuthority: string; loaded: boolean };
  #domainsTimer: NodeJS.Timeout | undefined;
  #databaseRestsUntilMs = 0;
  #loggedAtMs = -LOG_PAUSE_MS;

  constructor(
    private readonly database: Queryable,
    redis: RedisClient,
    private readonly logger: Logger,
    private readonly options: LinkResolverOptions,
  ) {
    this.#nowMs = options.nowMs ?? Date.now;
    const { ttlMs, missTtlMs, maxMisses, maxCharacters } = { ...DEFAULTS, ...options };
    this.#memory = new LinkMemory({ ttlMs, missTtlMs, maxMisses, maxCharacters }, this.#nowMs);
    this.#redis = new LinkRedis(redis);
    const { defaultDomain } = options;
    this.#domains = { authorities: new Set([defaultDomain]), defaultAuthority: defaultDomain, loaded: false };
  }

  /** Loads the domains now (if PostgreSQL answers) and every 10 s. */
  async start(): Promise<void> {
    await this.#loadDomains();
    this.#domainsTimer = setInterval(() => void this.#loadDomains(), DOMAINS_TTL_MS);
    this.#domainsTimer.unref();
  }

  stop(): void {
    clearInterval(this.#domainsTimer);
  }

  get cachedLinks(): number {
    return this.#memory.size;
  }

  /** The domain whose links answer for a (normalised) host. */
  domainOf(host: string): string {
    return this.#domains.authorities.has(host) ? host : this.#domains.defaultAuthority;
  }

  /** The answer when it is in memory and fresh: no promise on the hot path. */
  peek(host: string, code: string): Resolution | undefined {
    const known = this.#memory.fresh(keyOf(this.domainOf(host), code));
    if (known === undefined) return undefined;
    if (known.outcome === 'found') this.answers.memory += 1;
    else this.answers.unknown += 1;
    return known;
  }

  /** @throws AppError `link-lookup-failed` (retryable): not in any cache and PostgreSQL does not answer. */
  async resolve(host: string, code: string): Promise<Resolution> {
    const known = this.peek(host, code);
    if (known !== undefined) return known;
    if (!this.#domains.loaded && host !== this.#domains.defaultAuthority) {
      // Started without PostgreSQL: whether the host has links of its own is not known yet.
      const own = await this.#join(host, code).catch(() => UNKNOWN);
      if (own.outcome === 'found') return own;
    }
    return this.#join(this.domainOf(host), code);
  }

  onChange(change: LinkChange): void {
    const key = keyOf(change.domain, change.code);
    this.#memory.forget(key);
    const flight = this.#flights.get(key);
    if (flight !== undefined) {
      flight.overtaken = true;
      this.#flights.delete(key);
    }
    // A first link on a new domain must not wait for the next look at the list.
    if (this.#domains.loaded) this.#domains.authorities.add(change.domain);
  }

  onSubscribed(): void {
    this.#memory.expireAll();
  }

  #join(domain: string, code: string): Promise<Resolution> {
    const key = keyOf(domain, code);
    const known = this.#flights.get(key);
    if (known !== undefined) return known.promise;
    const flight: Flight = { overtaken: false, promise: Promise.resolve(UNKNOWN) };
    flight.promise = this.#load(flight, domain, code).finally(() => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return flight.promise;
  }

  async #load(flight: Flight, domain: string, code: string): Promise<Resolution> {
    const key = keyOf(domain, code);
    const cached = await this.#redis.find(domain, code);
    if (cached !== undefined) {
      this.answers.redis += 1;
      return this.#keep(flight, key, { outcome: 'found', link: cached });
    }
    const stale = this.#memory.stale(key);
    if (stale !== undefined && this.#nowMs() < this.#databaseRestsUntilMs) return this.#serveStale(key, stale);
    try {
      const link = await this.#askDatabase(() => findLink(this.database, domain, code));
      if (link === undefined) {
        this.answers.unknown += 1;
        return this.#keep(flight, key, UNKNOWN);
      }
      this.answers.database += 1;
      void this.#redis.store(link);
      return this.#keep(flight, key, { outcome: 'found', link });
    } catch (error) {
      if (stale !== undefined && !flight.overtaken) return this.#serveStale(key, stale);
      this.answers.failed += 1;
      throw new AppError('link-lookup-failed', 'The link cannot be looked up.', { cause: error, retryable: true });
    }
  }

  #serveStale(key: string, stale: Resolution): Resolution {
    this.answers.stale += 1;
    this.#memory.postpone(key, DATABASE_PAUSE_MS);
    return stale;
  }

  #keep(flight: Flight, key: string, resolution: Resolution): Resolution {
    return flight.overtaken ? resolution : this.#memory.remember(key, resolution);
  }

  async #askDatabase<T>(work: () => Promise<T>): Promise<T> {
    const limitMs = this.options.databaseTimeoutMs ?? DATABASE_TIMEOUT_MS;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`PostgreSQL did not answer in ${limitMs} ms`)), limitMs);
    });
    const answer = work();
    try {
      return await Promise.race([answer, late]);
    } catch (error) {
      answer.catch(() => undefined);
      this.#databaseRestsUntilMs = this.#nowMs() + DATABASE_PAUSE_MS;
      this.#logOutage(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** An outage is one failure per request; one line per pause says it. */
  #logOutage(error: unknown): void {
    if (this.#nowMs() - this.#loggedAtMs < LOG_PAUSE_MS) return;
    this.#loggedAtMs = this.#nowMs();
    this.logger.warn({ err: error }, 'PostgreSQL does not answer; links come from the caches');
  }

  async #loadDomains(): Promise<void> {
    try {
      const domains: KnownDomains = await this.#askDatabase(() => listDomains(this.database));
      const defaultAuthority = domains.defaultAuthority ?? this.options.defaultDomain;
      this.#domains = { authorities: new Set(domains.authorities), defaultAuthority, loaded: true };
    } catch {
      // The list at hand goes on; #askDatabase has logged why.
    }
  }
}

function keyOf(domain: string, code: string): string {
  return `${domain}/${code}`;
}
