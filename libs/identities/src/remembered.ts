import { LRUCache } from 'lru-cache';

/** What ended works for so long at most, counted from before the question: within the 5 s that are promised. */
const TTL_MS = 3_000;
const SIZE = 2_000;

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
    this.#asking.clear();
  }

  async #find(name: string, hash: Buffer): Promise<Value | undefined> {
    const start = performance.now();
    const changes = this.#changes;
    const found = await this.find(hash);
    if (found === undefined) {
      this.#found.delete(name);
      return undefined;
    }
    this.#found.set(name, true);
    const ttl = Math.max(1, Math.floor(Math.min(this.ttlMs, found.endsInMs ?? Infinity)));
    // An answer from before a change is not kept beyond it.
    if (changes === this.#changes) this.#known.set(name, found.value, { ttl, start });
    return found.value;
  }
}
