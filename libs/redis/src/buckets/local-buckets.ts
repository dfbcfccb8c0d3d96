import type { Withdrawal, Withdrawn } from './token-buckets.js';

/** About 2 MB. Beyond them the bucket that was asked for longest ago is forgotten, and full when it is asked for again. */
const MAX_BUCKETS = 20_000;

/** The same buckets as {@link TokenBuckets}, of this process alone: for as long as Redis is away. */
export class LocalBuckets {
  /** When each is full again, in ms; least recently used first. */
  readonly #fullAtMs = new Map<string, number>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  take(withdrawals: readonly Withdrawal[]): Withdrawn {
    const nowMs = this.nowMs();
    const states = withdrawals.map(({ key, burst, perSecond, tokens }) => {
      const intervalMs = 1_000 / perSecond;
      // Never later than that of an empty one: it may have been a larger one before.
      const fullAtMs = Math.min(Math.max(this.#fullAtMs.get(key) ?? nowMs, nowMs), nowMs + burst * intervalMs);
      const waitMs = tokens < 0 ? 0 : fullAtMs + (Math.max(tokens, 1) - burst) * intervalMs - nowMs;
      return { key, burst, intervalMs, tokens, fullAtMs, waitMs };
    });
    const retryAfterMs = Math.max(0, ...states.map(({ waitMs }) => Math.ceil(waitMs)));
    const buckets = states.map(({ key, burst, intervalMs, tokens, fullAtMs }) => {
      const takenMs = retryAfterMs === 0 ? tokens * intervalMs : 0;
      const fullInMs = Math.max(0, fullAtMs + takenMs - nowMs);
      if (takenMs !== 0) this.#keep(key, nowMs + fullInMs);
      return { left: Math.floor(burst - fullInMs / intervalMs + 1e-6), fullInMs: Math.ceil(fullInMs) };
    });
    return { isAdmitted: retryAfterMs === 0, retryAfterMs, buckets };
  }

  #keep(key: string, fullAtMs: number): void {
    this.#fullAtMs.delete(key);
    this.#fullAtMs.set(key, fullAtMs);
    if (this.#fullAtMs.size <= MAX_BUCKETS) return;
    const [oldest] = this.#fullAtMs.keys();
    if (oldest !== undefined) this.#fullAtMs.delete(oldest);
  }
}
