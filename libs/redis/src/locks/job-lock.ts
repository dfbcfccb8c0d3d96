import Redlock from 'redlock';

import { availabilityOf, type RedisClient } from '../client/create-redis.js';
import type { RedisAvailability } from '../client/redis-availability.js';
import { LeaseKeeper } from './lease-keeper.js';

/** `ran`: it was the only one (or lost the lock on the way and was told); `busy`: another runs it. */
export type JobOutcome<T> = { outcome: 'ran'; value: T } | { outcome: 'busy' } | { outcome: 'unavailable' };

/**
 * Single-holder jobs (the folder, maintenance) over redlock. It saves doing the same work twice; what
 * the job writes must be right with two of them at once.
 */
export class JobLock {
  readonly #availability: RedisAvailability;

  constructor(private readonly redis: RedisClient) {
    this.#availability = availabilityOf(redis);
  }

  /**
   * Runs `work` if nobody else does; one attempt, no wait. The lease is renewed while it works and its
   * signal aborts (AppError `lock-lost`) when that fails. What `work` throws is thrown on.
   */
  async runExclusive<T>(
    name: string,
    options: { leaseMs: number },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<JobOutcome<T>> {
    const outcome = await this.#run(name, options, work);
    this.#availability.metrics?.jobs.inc({ job_name: name, outcome: outcome.outcome });
    return outcome;
  }

  async #run<T>(
    name: string,
    { leaseMs }: { leaseMs: number },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<JobOutcome<T>> {
    const attempt = new LockAttempt(this.redis, this.#availability, { resource: `job-lock:{${name}}`, leaseMs });
    const grantedAtMs = performance.now();
    const taken = await attempt.take();
    if (taken !== 'taken') return { outcome: taken };
    const keeper = new LeaseKeeper({
      leaseMs,
      grantedAtMs,
      renew: () => attempt.extend(),
      onLost: () => this.#availability.metrics?.leasesLost.inc({ kind: 'job' }),
    });
    try {
      return { outcome: 'ran', value: await work(keeper.signal) };
    } finally {
      keeper.end();
      await attempt.giveBack();
    }
  }
}

/**
 * One lock through redlock. It reports "taken by another" and "no answer" as the same LockError; the
 * difference is in its `clientError` events, so each attempt has an instance of its own.
 */
class LockAttempt {
  readonly #redlock: Redlock;
  #lock: Redlock.Lock | undefined;
  #clientError: Error | undefined;

  constructor(
    redis: RedisClient,
    private readonly availability: RedisAvailability,
    private readonly wanted: { resource: string; leaseMs: number },
  ) {
    this.#redlock = new Redlock([redis as unknown as Redlock.CompatibleRedisClient], { retryCount: 0 });
    this.#redlock.on('clientError', (error: Error) => (this.#clientError ??= error));
  }

  async take(): Promise<'taken' | 'busy' | 'unavailable'> {
    const lock = await this.#answer(() => this.#redlock.lock(this.wanted.resource, this.wanted.leaseMs));
    if (lock === undefined) return 'unavailable';
    if (lock === false) return 'busy';
    this.#lock = lock;
    return 'taken';
  }

  /**
   * undefined only while Redis is known to be away and was not asked. An attempt that fails for any
   * reason is a loss, because redlock answers a failed extension by unlocking.
   */
  async extend(): Promise<boolean | undefined> {
    let asked = false;
    const extended = await this.#answer(() => {
      asked = true;
      return this.#lock!.extend(this.wanted.leaseMs);
    });
    if (extended === undefined) return asked ? false : undefined;
    return extended !== false;
  }

  async giveBack(): Promise<void> {
    await this.#answer(() => this.#lock!.unlock());
  }

  /** The lock, false when it is another's or gone, undefined when Redis gave no answer. */
  #answer<T>(ask: () => PromiseLike<T>): Promise<T | false | undefined> {
    const attempt = async () => {
      this.#clientError = undefined;
      try {
        return await ask();
      } catch {
        // redlock tells only that it failed; what the client said is kept beside.
        const noAnswer = this.#clientError as Error | undefined;
        if (noAnswer !== undefined) throw noAnswer;
        return false;
      }
    };
    return this.availability.ask('job-lock', attempt, this.wanted.resource);
  }
}
