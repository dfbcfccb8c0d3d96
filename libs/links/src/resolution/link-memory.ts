import { LRUCache } from 'lru-cache';

import { type LinkKey, type Resolution, type ResolvedLink, UNKNOWN } from './resolved-link.js';

export interface LinkMemoryOptions {
  /** A link answers for this long after PostgreSQL was asked about it, however often it is used. */
  checkMs: number;
  missTtlMs: number;
  maxMisses: number;
  /** Characters of keys, targets and policies kept, as a stand-in for bytes. */
  maxCharacters: number;
}

type Found = Resolution & { outcome: 'found' };

interface Entry {
  resolution: Found;
  loadedAtMs: number;
  /** When PostgreSQL was asked. */
  checkedAtMs: number;
  freshUntilMs: number;
  /** Since the last check. */
  isUsed: boolean;
  /** How many there were since it was used; then it is in #checked, until there were IDLE_CHECKS. */
  idleChecks: number;
}

/** A link to be checked: as it is in memory. */
export interface HeldLink extends ResolvedLink {
  readonly entry: object;
}

const CHARACTERS_PER_ENTRY = 300; // objects and map slots, roughly
/**
 * A check comes half-way to a link's end, so these are five minutes. A check in a batch costs PostgreSQL and this process 12 µs a
 * link, a look-up on request 300: checking pays for a link that is used once in ten minutes.
 */
const IDLE_CHECKS = 10;
/** A link is loaded anew after this long, which also renews its copy in Redis before that ends. */
const LIFE_MS = 24 * 3_600_000;

/** Links and misses in memory. Found links outlive their freshness: they are the last resort of an outage. */
export class LinkMemory {
  readonly #links: LRUCache<string, Entry>;
  readonly #misses: LRUCache<string, number>;
  /** Links in use: a walk over all that are held would stop visitors for many milliseconds. */
  readonly #checked = new Set<Entry>();

  constructor(
    private readonly options: LinkMemoryOptions,
    private readonly nowMs: () => number,
  ) {
    this.#links = new LRUCache({
      maxSize: options.maxCharacters,
      // Else what was pushed out would stay in memory until the next check, in an outage for ever.
      dispose: (entry) => this.#checked.delete(entry),
      sizeCalculation: ({ resolution: { link } }, key) =>
        key.length + link.longUrl.length + (link.policy?.length ?? 0) + CHARACTERS_PER_ENTRY,
    });
    this.#misses = new LRUCache({ max: options.maxMisses });
  }

  /** Undefined when nothing fresh is known. */
  fresh(key: string): Resolution | undefined {
    const now = this.nowMs();
    const entry = this.#links.peek(key);
    if (entry !== undefined) {
      if (!entry.isUsed) this.#use(key, entry);
      return now < entry.freshUntilMs ? entry.resolution : undefined;
    }
    const missUntilMs = this.#misses.get(key);
    return missUntilMs !== undefined && now < missUntilMs ? UNKNOWN : undefined;
  }

  /** Lets an old copy answer for a while: during an outage not every request should wait for it again. */
  postpone(key: string, forMs: number): void {
    const entry = this.#links.peek(key);
    if (entry !== undefined) entry.freshUntilMs = this.nowMs() + forMs;
  }

  /** A link of any age. */
  stale(key: string): Resolution | undefined {
    return this.#links.peek(key)?.resolution;
  }

  /**
   * Returns what is kept: the object already there when the link is the same, so that whoever caches
   * by identity (parsed targets) does not start anew at every check.
   */
  remember(key: string, resolution: Resolution, checkedAtMs: number): Resolution {
    if (resolution.outcome === 'unknown') {
      this.#links.delete(key);
      this.#misses.set(key, this.nowMs() + this.options.missTtlMs);
      return resolution;
    }
    this.#misses.delete(key);
    const times = { loadedAtMs: this.nowMs(), checkedAtMs, freshUntilMs: checkedAtMs + this.options.checkMs };
    const entry = this.#links.get(key);
    if (entry !== undefined && isSame(entry.resolution.link, resolution.link)) {
      Object.assign(entry, times);
      this.#use(key, entry);
      return entry.resolution;
    }
    const loaded = { resolution, ...times, isUsed: false, idleChecks: 0 };
    this.#links.set(key, loaded);
    this.#use(key, loaded);
    return resolution;
  }

  /** Once for each check: to renew a place among the most recent at every use costs as much as to find the link. */
  #use(key: string, entry: Entry): void {
    this.#links.get(key);
    entry.isUsed = true;
    entry.idleChecks = 0;
    this.#checked.add(entry);
  }

  /** A link nobody has asked for here. False when there is none, or one is here already. */
  preload(key: string, resolution: Resolution, checkedAtMs: number): boolean {
    if (resolution.outcome === 'unknown' || this.#links.has(key)) return false;
    const freshUntilMs = checkedAtMs + this.options.checkMs;
    const times = { loadedAtMs: this.nowMs(), checkedAtMs, freshUntilMs };
    this.#links.set(key, { resolution, ...times, isUsed: false, idleChecks: 0 });
    return true;
  }

  /** Links that were asked for since their last check, the most recent first, to within one check. */
  hot(atMost: number): LinkKey[] {
    const links: LinkKey[] = [];
    let looks = 2 * atMost;
    for (const { resolution, isUsed } of this.#links.values()) {
      if (isUsed) links.push(resolution.link);
      if (links.length === atMost || (looks -= 1) === 0) break;
    }
    return links;
  }

  /** The link was changed: not even an outage brings this copy back. */
  forget(key: string): void {
    this.#links.delete(key);
    this.#misses.delete(key);
  }

  /**
   * Links to be checked now: those in use that are half-way to their end, or all. The others end and are loaded again when
   * they are asked for, so a check costs what is in use and not what is held.
   */
  toCheck(which: 'due' | 'all'): HeldLink[] {
    const now = this.nowMs();
    const checkedBeforeMs = now - this.options.checkMs / 2;
    const held: HeldLink[] = [];
    for (const entry of which === 'all' ? this.#links.values() : this.#checked) {
      if (which === 'due' && entry.checkedAtMs > checkedBeforeMs) continue;
      entry.idleChecks = entry.isUsed ? 0 : entry.idleChecks + 1;
      entry.isUsed = false;
      if (entry.idleChecks >= IDLE_CHECKS) this.#checked.delete(entry);
      if (which === 'all' || now - entry.loadedAtMs < LIFE_MS) held.push({ ...entry.resolution.link, entry });
    }
    return held;
  }

  /**
   * What a check that began at `askedAtMs` found. Ignored when the link was changed or loaded anew meanwhile: then what was
   * found may be older.
   */
  checked(key: string, held: HeldLink, found: Resolution, askedAtMs: number): 'same' | 'corrected' | 'ignored' {
    const entry = this.#links.peek(key);
    if (entry === undefined || entry !== held.entry || entry.checkedAtMs > askedAtMs) return 'ignored';
    if (found.outcome === 'unknown' || !isSame(entry.resolution.link, found.link)) {
      this.remember(key, found, askedAtMs);
      return 'corrected';
    }
    entry.checkedAtMs = askedAtMs;
    entry.freshUntilMs = askedAtMs + this.options.checkMs;
    return 'same';
  }

  get size(): number {
    return this.#links.size;
  }
}

function isSame(one: ResolvedLink, other: ResolvedLink): boolean {
  return (
    one.id === other.id &&
    one.version === other.version &&
    one.longUrl === other.longUrl &&
    one.groupId === other.groupId &&
    one.policy === other.policy
  );
}
