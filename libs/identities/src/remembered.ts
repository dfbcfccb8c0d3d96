import { isServerAway } from '@hopcount/postgres';
import { LRUCache } from 'lru-cache';

/** What ended works for so long at most, counted from before the question: within the 5 s that are promised. */
const TTL_MS = 3_000;
const SIZE = 2_000;
/** Where who asks may be who they were while PostgreSQL cannot be reached: since it said so. */
const OUTAGE_MS = 15 * 60_000;

/** How a secret is looked for. */
export interface Verifying {
  /** Waited for before PostgreSQL is asked about one that this process has never found: as of a guess. What it throws is thrown. */
  beforeNew?: () => Promise<void>;
  /** PostgreSQL may be away: then whose it was when it was asked last, 15 minutes ago at most. */
  mayBeAway?: boolean;
}

interface Found<Value> {
  value: Value;
  /** null: as far as is known it does not end. */
  endsInMs: number | null;
}

/**
 * Answers about secrets by their SHA-256: PostgreSQL is asked once in three seconds for one that is in use, and each time for one
 * that is none. Redis has no part in it, so none of its faults lets anybody in or out.
 */
export class Remembered<Value extends object> {
  readonly #known: LRUCache<string, Value>;
  /** Found at some time, since which they may have ended. */
  readonly #found = new LRUCache<string, true>({ max: SIZE });
  /** What was found last, for outages, with the moment it ends. */
  readonly #last = new LRUCache<string, { value: Value; endsAtMs: number }>({ max: SIZE, ttl: OUTAGE_MS });
  readonly #asking = new Map<string, Promise<Value | undefined>>();
  #changes = 0;

  constructor(
    private readonly find: (hash: Buffer) => Promise<Found<Value> | undefined>,
    private readonly ttlMs = TTL_MS,
  ) {
    this.#known = new LRUCache({ max: SIZE, ttl: this.ttlMs, ttlResolution: 0 });
  }

  async get(hash: Buffer): Promise<Value | undefined> {
    const name = hash.toString('base64');
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const asked = this.#asking.get(name);
    if (asked !== undefined) return asked;
    const asking: Promise<Value | undefined> = this.#find(name, hash).finally(() => {
      if (this.#asking.get(name) === asking) this.#asking.delete(name);
    });
    this.#asking.set(name, asking);
    return asking;
  }

  /** The same; while PostgreSQL cannot be reached, what it said last, for 15 minutes at most. */
  async getInOutage(hash: Buffer): Promise<Value | undefined> {
    try {
      return await this.get(hash);
    } catch (error) {
      const last = this.#last.get(hash.toString('base64'));
      const isKnown = last !== undefined && performance.now() < last.endsAtMs;
      if (!isKnown || !isServerAway(error)) throw error;
      return last.value;
    }
  }

  /** Whether it was something when PostgreSQL was asked last; a guess never was. */
  wasFound(hash: Buffer): boolean {
    return this.#found.has(hash.toString('base64'));
  }

  /** It was made here. */
  expect(hash: Buffer): void {
    this.#found.set(hash.toString('base64'), true);
  }

  /** After a change in this process; other processes see it within three seconds. */
  forget(): void {
    this.#changes += 1;
    this.#known.clear();
    this.#last.clear();
    this.#asking.clear();
  }

  async #find(name: string, hash: Buffer): Promise<Value | undefined> {
    const start = performance.now();
    const changes = this.#changes;
    const found = await this.find(hash);
    if (found === undefined) {
      this.#found.delete(name);
      this.#last.delete(name);
      return undefined;
    }
    this.#found.set(name, true);
    const ttl = Math.max(1, Math.floor(Math.min(this.ttlMs, found.endsInMs ?? Infinity)));
    // An answer from before a change is not kept beyond it.
    if (changes === this.#changes) {
      this.#known.set(name, found.value, { ttl, start });
      this.#last.set(name, { value: found.value, endsAtMs: start + (found.endsInMs ?? Infinity) }, { start });
    }
    return found.value;
  }
}
