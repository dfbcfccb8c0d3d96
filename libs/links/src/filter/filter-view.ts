import { type BloomFilter, BloomFilters, type RedisClient } from '@hopcount/redis';

import { BELIEVED_MS, codeEntry } from './filter-entries.js';

/** After Redis gave no answer. */
const PAUSE_MS = 500;

/** When something was asked, by a clock that never steps and by one that goes on while the machine sleeps. */
export interface Moment {
  steadyMs: number;
  wallMs: number;
}

export const momentNow = (): Moment => ({ steadyMs: performance.now(), wallMs: Date.now() });

/** Of one round; Redis that is slower than this is not worth the wait. */
const MAX_WAITING = 1_000;

interface Question {
  entry: string;
  resolve: (lacks: boolean) => void;
}

/**
 * For gateways: whether there can be no link with a code. "No" takes three who agree: PostgreSQL said less than a second
 * ago that this filter is whole, Redis that the code was never added to it, and PostgreSQL's word still holds when that
 * answer is there. In every other case PostgreSQL is asked about the code.
 */
export class FilterView {
  readonly #filters: BloomFilters;
  #filter: BloomFilter | null = null;
  #heardAt: Moment = { steadyMs: -Infinity, wallMs: -Infinity };
  #pausedUntilMs = -Infinity;
  #waiting: Question[] = [];
  #isAsking = false;

  /** @param ask asks PostgreSQL and has what it says {@link heard} */
  constructor(
    redis: RedisClient,
    private readonly ask: () => void,
  ) {
    this.#filters = new BloomFilters(redis);
  }

  /** What PostgreSQL said, having been asked then. */
  heard(filter: BloomFilter | null, askedAt: Moment): void {
    if (askedAt.steadyMs < this.#heardAt.steadyMs) return;
    this.#filter = filter;
    this.#heardAt = askedAt;
  }

  async lacks(code: string): Promise<boolean> {
    const filter = this.#filter;
    if (filter === null || performance.now() < this.#pausedUntilMs || !this.#isBelieved(1)) return false;
    if (!this.#isBelieved(0.5)) this.ask();
    if (this.#waiting.length >= MAX_WAITING) return false;
    const lacks = await new Promise<boolean>((resolve) => {
      this.#waiting.push({ entry: codeEntry(code), resolve });
      void this.#askRedis();
    });
    return lacks && this.#filter?.generation === filter.generation && this.#isBelieved(1);
  }

  #isBelieved(part: number): boolean {
    const { steadyMs, wallMs } = momentNow();
    const ageMs = Math.max(steadyMs - this.#heardAt.steadyMs, wallMs - this.#heardAt.wallMs);
    return ageMs < part * BELIEVED_MS;
  }

  /** Questions that come while one is under way share the next. */
  async #askRedis(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    while (this.#waiting.length > 0) {
      const asked = this.#waiting.splice(0);
      const filter = this.#filter;
      const entries = asked.map(({ entry }) => entry);
      const lacks = filter === null ? undefined : await this.#filters.lacks(filter, entries);
      if (lacks === undefined) this.#pausedUntilMs = performance.now() + PAUSE_MS;
      asked.forEach(({ resolve }, place) => resolve(lacks?.[place] === true));
    }
    this.#isAsking = false;
  }
}
