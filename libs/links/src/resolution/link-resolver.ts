import type { Queryable } from '@hopcount/postgres';
import type { RedisClient } from '@hopcount/redis';
import { AppError, type Logger } from '@hopcount/runtime';

import { FilterView } from '../filter/filter-view.js';
import { HotLinks } from './hot-links.js';
import { KnownHosts } from './known-hosts.js';
import type { LinkChangeListener } from './link-changes.js';
import { keyOf, LinkCheck } from './link-check.js';
import { type LinkAnswer, LinkDatabase } from './link-database.js';
import { type Flight, LinkFlights } from './link-flights.js';
import { LinkMemory, type LinkMemoryOptions } from './link-memory.js';
import { type LinkCopy, LinkRedis } from './link-redis.js';
import { LooseCodes, meantBy } from './loose-codes.js';
import { type LinkKey, type Resolution, resolutionOf, UNKNOWN } from './resolved-link.js';

export interface LinkResolverOptions extends Partial<LinkMemoryOptions> {
  /** Authority that answers for hosts without links of their own, until the database names one. */
  defaultDomain: string;
  /** Longest wait for PostgreSQL. */
  databaseTimeoutMs?: number;
  /** Codes without a link stand for the one that differs in the case of letters only. */
  looseCodes?: boolean;
  nowMs?: () => number;
}

const DEFAULTS: LinkMemoryOptions = {
  checkMs: 60_000,
  missTtlMs: 1_500,
  maxMisses: 20_000,
  maxCharacters: 32 * 1_024 * 1_024,
};
/** A link that is known, but too old to be believed, waits so long for PostgreSQL. */
const PATIENCE_WITH_COPY_MS = 500;
/** While PostgreSQL is away: from one look at Redis to the next, for each link. */
const OUTAGE_PAUSE_MS = 500;
/** Looks for links to be checked, from the time PostgreSQL was asked to the end of `checkMs`. */
const LOOKS_PER_CHECK = 12;

/**
 * (host, code) → link: memory, then Redis, then PostgreSQL, one lookup under way per link. Whatever answers, PostgreSQL
 * said so at most `checkMs` ago, unless it is away; announced changes are followed at once.
 *
 * The race that matters: a lookup reads version 1, the link becomes version 2 and its change is announced, the lookup
 * ends. `onChange` marks the flight, so version 1 is neither remembered nor joined by later requests; in Redis
 * version 2 was written before it was announced, and stands.
 */
export class LinkResolver implements LinkChangeListener {
  /** Answers since the start, by where they came from; read by the metrics. */
  readonly answers = { memory: 0, redis: 0, database: 0, stale: 0, unknown: 0, filtered: 0, failed: 0 };
  readonly hosts: KnownHosts;
  readonly #options: LinkMemoryOptions & LinkResolverOptions;
  readonly #memory: LinkMemory;
  readonly #redis: LinkRedis;
  readonly #database: LinkDatabase;
  readonly #check: LinkCheck;
  readonly #hot: HotLinks;
  readonly #filter: FilterView;
  readonly #loose: LooseCodes | undefined;
  readonly #flights: LinkFlights;
  readonly #nowMs: () => number;
  #incarnation: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  /** The one under way may have begun too early. */
  #mustLookAgain = false;
  #isStopped = false;

  constructor(database: Queryable, redis: RedisClient, logger: Logger, options: LinkResolverOptions) {
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#options = { ...DEFAULTS, ...options };
    this.#memory = new LinkMemory(this.#options, this.#nowMs);
    this.#redis = new LinkRedis(redis);
    const { databaseTimeoutMs: longestWaitMs, looseCodes } = options;
    this.#filter = new FilterView(redis, () => this.#database.readFilter());
    this.#database = new LinkDatabase(database, logger, {
      ...{ longestWaitMs, looseCodes },
      onFilter: (filter, askedAt) => this.#filter.heard(filter, askedAt),
    });
    this.#loose = looseCodes === true ? new LooseCodes(this.#options, this.#nowMs) : undefined;
    this.#flights = new LinkFlights((flight, key) => this.#load(flight, key));
    const parts = { memory: this.#memory, database: this.#database, redis: this.#redis, logger };
    this.#check = new LinkCheck(parts, this.#nowMs);
    this.#hot = new HotLinks(parts, this.#nowMs);
    this.hosts = new KnownHosts(options.defaultDomain);
  }

  /** Loads the domains and hot links now (if PostgreSQL answers); from then on looks for links to be checked. */
  async start(): Promise<void> {
    await this.#look();
    await this.#hot.load();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  get cachedLinks(): number {
    return this.#memory.size;
  }

  /** Links and codes that PostgreSQL was asked for while somebody waited. */
  get askedDatabase(): number {
    return this.#database.asked;
  }

  /** Links in memory held against PostgreSQL, by what came of it. */
  get checks(): Readonly<Record<string, number>> {
    return this.#check.outcomes;
  }

  /** The answer when it is in memory and fresh: no promise on the hot path. */
  peek(host: string, code: string): Resolution | undefined {
    const isOwn = this.hosts.mayHaveOwn(host);
    const known = this.#fresh({ domain: isOwn ? host : this.hosts.domainOf(host), code });
    if (known === undefined || (isOwn && known.outcome !== 'found')) return undefined;
    if (known.outcome === 'found') this.answers.memory += 1;
    else this.answers.unknown += 1;
    return known;
  }

  /** @throws AppError `link-lookup-failed` (retryable): not in any cache and PostgreSQL does not answer. */
  async resolve(host: string, code: string): Promise<Resolution> {
    const known = this.peek(host, code);
    if (known !== undefined) return known;
    if (this.hosts.mayHaveOwn(host)) {
      // Started without PostgreSQL and Redis: whether the host has links of its own is not known yet.
      const own = await this.#find({ domain: host, code });
      if (own.outcome === 'found') return own;
    }
    return this.#find({ domain: this.hosts.domainOf(host), code });
  }

  onChange(changed: LinkKey): void {
    const key = keyOf(changed);
    this.#memory.forget(key);
    this.#hot.onChange(key);
    this.#flights.overtake(key);
    if (this.#loose !== undefined) {
      this.#loose.forget(changed);
      this.#flights.overtakeAlike(changed);
    }
    this.hosts.add(changed.domain);
  }

  onDomainChange(): void {
    if (this.#looking === undefined) this.#lookIn(0);
    else this.#mustLookAgain = true;
  }

  onSubscribed(): void {
    this.#check.checkAll();
    if (this.#looking === undefined) this.#lookIn(0);
  }

  #fresh(key: LinkKey): Resolution | undefined {
    const exact = this.#memory.fresh(keyOf(key));
    if (this.#loose === undefined || exact?.outcome === 'found') return exact;
    const alike = this.#loose.fresh(key);
    if (alike === undefined) return undefined;
    if (alike.length === 0) return UNKNOWN;
    const meant = meantBy(key.code, alike);
    if (meant === undefined) return alike.includes(key.code) ? undefined : exact;
    const link = this.#memory.fresh(keyOf({ ...key, code: meant }));
    return link?.outcome === 'found' ? link : undefined;
  }

  /** The link with that code, else, with loose codes, the only one that is like it. */
  async #find(key: LinkKey): Promise<Resolution> {
    if (this.#loose === undefined) return this.#flights.join(key).promise;
    // In an outage what was last known: the code itself has no copy, so that it would be asked for and waited for.
    const alike = this.#loose.fresh(key) ?? (this.#database.isAway ? this.#loose.last(key) : []);
    const known = meantBy(key.code, alike);
    if (known !== undefined) return this.#flights.join({ ...key, code: known }).promise;
    const flight = this.#flights.join(key);
    const exact = await flight.promise.catch((error: unknown) => error as Error);
    if (!(exact instanceof Error) && exact.outcome === 'found') return exact;
    const meant = meantBy(key.code, flight.alike ?? this.#loose.last(key));
    if (meant !== undefined) return this.#flights.join({ ...key, code: meant }).promise;
    if (exact instanceof Error) throw exact;
    return exact;
  }

  async #load(flight: Flight, key: LinkKey): Promise<Resolution> {
    const askedAtMs = this.#nowMs();
    const copy = await this.#findCopy(key);
    // Of a deleted link a copy does not say which other one its code stands for.
    const isAnswer = copy !== undefined && (this.#loose === undefined || copy.state.longUrl !== null);
    if (isAnswer && copy.ageMs < this.#options.checkMs)
      return this.#answer('redis', flight, key, resolutionOf(copy.state), askedAtMs - copy.ageMs);
    const old = copy === undefined ? this.#memory.stale(keyOf(key)) : resolutionOf(copy.state);
    if (old === undefined && (await this.#filter.lacks(key.code))) return this.#answerFiltered(flight);
    if (old !== undefined && this.#database.isAway) return this.#answerOld(flight, key, old);
    let found: LinkAnswer;
    try {
      found = await this.#database.find(key, old === undefined ? undefined : PATIENCE_WITH_COPY_MS);
    } catch (error) {
      if (old !== undefined && !flight.overtaken) return this.#answerOld(flight, key, old);
      this.answers.failed += 1;
      throw new AppError('link-lookup-failed', 'The link cannot be looked up.', { cause: error, retryable: true });
    }
    // Not within the try: a defect here is no outage.
    const { state, alike } = found;
    const incarnation = this.#database.incarnation;
    if (incarnation !== undefined && state !== undefined) void this.#redis.put(incarnation, state);
    const resolution = resolutionOf(state);
    if (resolution.outcome === 'unknown') this.#noteAlike(flight, key, alike, askedAtMs);
    return this.#answer('database', flight, key, resolution, askedAtMs);
  }

  /** Not remembered: it was cheap, and a moment later it may be wrong. */
  #answerFiltered(flight: Flight): Resolution {
    this.answers.filtered += 1;
    flight.alike = [];
    return UNKNOWN;
  }

  #noteAlike(flight: Flight, key: LinkKey, alike: readonly string[], askedAtMs: number): void {
    flight.alike = alike;
    if (!flight.overtaken) this.#loose?.remember(key, alike, askedAtMs);
  }

  async #findCopy(key: LinkKey): Promise<LinkCopy | undefined> {
    const { defaultDomain } = this.#options;
    const incarnation = this.#database.incarnation ?? (await this.#redis.lastIncarnation(defaultDomain));
    return incarnation === undefined ? undefined : this.#redis.find(incarnation, key);
  }

  #answer(
    from: 'redis' | 'database',
    flight: Flight,
    key: LinkKey,
    resolution: Resolution,
    checkedAtMs: number,
  ): Resolution {
    this.answers[resolution.outcome === 'unknown' ? 'unknown' : from] += 1;
    return flight.overtaken ? resolution : this.#memory.remember(keyOf(key), resolution, checkedAtMs);
  }

  /** PostgreSQL is away. What answers here is still due for a check as soon as it is back. */
  #answerOld(flight: Flight, key: LinkKey, old: Resolution): Resolution {
    this.answers.stale += 1;
    if (flight.overtaken) return old;
    const kept = this.#memory.remember(keyOf(key), old, -Infinity);
    this.#memory.postpone(keyOf(key), OUTAGE_PAUSE_MS);
    return kept;
  }

  /** One look at a time: the domains, the incarnation, the links to be checked. */
  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().then(
      () => this.#looked(this.#check.isAllDue ? 0 : this.#options.checkMs / LOOKS_PER_CHECK),
      () => this.#looked(OUTAGE_PAUSE_MS),
    );
    return this.#looking;
  }

  #looked(pauseMs: number): void {
    this.#looking = undefined;
    this.#lookIn(this.#mustLookAgain ? 0 : pauseMs);
    this.#mustLookAgain = false;
  }

  #lookIn(pauseMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#look(), pauseMs).unref();
  }

  async #lookOnce(): Promise<void> {
    const { defaultDomain } = this.#options;
    try {
      const domains = await this.#database.listDomains();
      this.hosts.use(domains);
      void this.#redis.noteDomains(defaultDomain, domains);
    } catch (error) {
      const noted = this.hosts.isLoaded ? undefined : await this.#redis.lastDomains(defaultDomain);
      if (noted !== undefined) this.hosts.use(noted);
      throw error;
    }
    const { incarnation } = this.#database;
    if (incarnation !== undefined) {
      void this.#redis.noteIncarnation(defaultDomain, incarnation);
      if (this.#incarnation !== undefined && incarnation !== this.#incarnation) this.#check.checkAll();
      this.#incarnation = incarnation;
    }
    this.#hot.note();
    await this.#check.run();
  }
}
