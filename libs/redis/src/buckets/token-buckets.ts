import { availabilityOf, type RedisClient } from '../client/create-redis.js';
import { defineScript, type Script } from '../load-lua.js';

/** How much at once, and how much in the long run. */
export interface BucketSize {
  /** Most tokens it holds, and what it begins with. */
  burst: number;
  perSecond: number;
}

export interface Withdrawal extends BucketSize {
  /** Names the bucket; all of one call have the same hash tag (`{…}`). */
  key: string;
  /** Tokens wanted, at most `burst`; 0: there must be one, and it stays; below 0: so many are given back. */
  tokens: number;
}

export interface Withdrawn {
  isAdmitted: boolean;
  /** 0 when admitted. */
  retryAfterMs: number;
  /** Of each bucket, in the order given. */
  buckets: { left: number; fullInMs: number }[];
}

/**
 * Token buckets that all processes share, as GCRA: a bucket is the moment at which it is full again, on Redis' clock. One
 * round trip for all buckets of a request; all of them give or none does. A bucket that is full has no key, so what is
 * kept is bounded by what is asked for in `burst / perSecond` seconds.
 */
export class TokenBuckets {
  readonly #take: Script;

  constructor(private readonly redis: RedisClient) {
    this.#take = defineScript(redis, 'hcTakeTokens', import.meta.url, 'lua/take-tokens.lua');
  }

  /** Undefined when Redis does not say. Never throws. */
  async take(withdrawals: readonly Withdrawal[]): Promise<Withdrawn | undefined> {
    const keys: string[] = [];
    const args: number[] = [];
    for (const { key, burst, perSecond, tokens } of withdrawals) {
      keys.push(key);
      args.push(burst, 1_000_000 / perSecond, tokens);
    }
    const answer = await availabilityOf(this.redis).ask('rate-limit', () => this.#take(keys, args), keys[0]);
    if (!Array.isArray(answer)) return undefined;
    const [retryAfterMs = 0] = answer as number[];
    const left = (index: number) => (answer as number[])[1 + 2 * index] ?? 0;
    const fullInMs = (index: number) => (answer as number[])[2 + 2 * index] ?? 0;
    return {
      isAdmitted: retryAfterMs === 0,
      retryAfterMs,
      buckets: keys.map((_, index) => ({ left: left(index), fullInMs: fullInMs(index) })),
    };
  }
}
