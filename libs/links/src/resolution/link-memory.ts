import { LRUCache } from 'lru-cache';

import { type Resolution, type ResolvedLink, UNKNOWN } from './resolved-link.js';

export interface LinkMemoryOptions {
  /** A found link is asked for again after this long, however often it is used. */
  ttlMs: number;
  missTtlMs: number;
  maxMisses: number;
  /** Characters of keys and targets kept, as a stand-in for bytes. */
  maxCharacters: number;
}

interface Entry {
  resolution: Resolution & { outcome: 'found' };
  loadedAtMs: number;
  /** Set at load, never by a read. */
  freshUntilMs: number;
}

const CHARACTERS_PER_ENTRY = 300; // objects and map slots, roughly

/** Links and misses in memory. Found links outlive their freshness: they are the last resort of an outage. */
export class LinkMemory {
  readonly #links: LRUCache<string, Entry>;
  readonly #misses: LRUCache<string, number>;
  /** Everything loaded before this instant counts as expired. */
  #validFromMs = 0;

  constructor(
    private readonly options: LinkMemoryOptions,
    private readonly nowMs: () => number,
  ) {
    this.#links = new LRUCache({
      maxSize: options.maxCharacters,
      sizeCalculation: (entry, key) => key.length + entry.resolution.link.longUrl.length + CHARACTERS_PER_ENTRY,
    });
    this.#misses = new LRUCache({ max: options.maxMisses });
  }

  /** Undefined when nothing fresh is known. */
  fresh(key: string): Resolution | undefined {
    const now = this.nowMs();
    const entry = this.#links.get(key);
    if (entry !== undefined) return this.#isFresh(entry, now) ? entry.resolution : undefined;
    const missUntilMs = this.#misses.get(key);
    return missUntilMs !== undefined && now < missUntilMs ? UNKNOWN : undefined;
  }

  #isFresh(entry: Entry, now: number): boolean {
    return now < entry.freshUntilMs && entry.loadedAtMs >= this.#validFromMs;
  }

  /** Lets an old copy answer for a while: during an outage not every request should wait for it again. */
  postpone(key: string, forMs: number): void {
    const entry = this.#links.peek(key);
    if (entry === undefined) return;
    entry.freshUntilMs = this.nowMs() + forMs;
    entry.loadedAtMs = this.nowMs();
  }

  /** A link of any age. */
  stale(key: string): Resolution | undefined {
    return this.#links.peek(key)?.resolution;
  }

  /**
   * Returns what is kept: the object already there when the link is the same, so that whoever caches
   * by identity (parsed targets) does not start anew every TTL.
   */
  remember(key: string, resolution: Resolution): Resolution {
    const now = this.nowMs();
    if (resolution.outcome === 'unknown') {
      this.#links.delete(key);
      this.#misses.set(key, now + this.options.missTtlMs);
      return resolution;
    }
    this.#misses.delete(key);
    const entry = this.#links.get(key);
    if (entry !== undefined && isSame(entry.resolution.link, resolution.link)) {
      entry.loadedAtMs = now;
      entry.freshUntilMs = now + this.options.ttlMs;
      return entry.resolution;
    }
    this.#links.set(key, { resolution, loadedAtMs: now, freshUntilMs: now + this.options.ttlMs });
    return resolution;
  }

  /** The link was changed: not even an outage brings this copy back. */
  forget(key: string): void {
    this.#links.delete(key);
    this.#misses.delete(key);
  }

  /** Changes may have been missed: ask for everything again, but keep it for an outage. */
  expireAll(): void {
    this.#validFromMs = this.nowMs() + 1; // what was loaded in this very millisecond too
    this.#misses.clear();
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
    one.groupId === other.groupId
  );
}
