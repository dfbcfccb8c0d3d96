import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { AppError, isAppError } from '@hopcount/runtime';

import { availabilityOf, type RedisClient } from '../client/create-redis.js';
import type { RedisAvailability } from '../client/redis-availability.js';
import { defineScript, type Script } from '../load-lua.js';
import { REDIS_ERRORS } from '../redis.errors.js';
import { LeaseKeeper } from './lease-keeper.js';

type Mode = 'read' | 'write';

const LEASES: Record<Mode, string> = { read: '{link-locks}:readers', write: '{link-locks}:writers' };
const LINKS = '{link-locks}:links';
const LONGEST_PAUSE_MS = 25;
const AROUND_WRITE: LinkLockOptions = { waitMs: 500, leaseMs: 15_000 };

export interface LinkLockOptions {
  /** Longest wait for others to leave. */
  waitMs: number;
  /** Life of the lease; renewed in the background at a third of it until released. */
  leaseMs: number;
}

/** A held lock. `signal` aborts (AppError `lock-lost`) when it is held no longer. */
export interface LinkLease {
  readonly signal: AbortSignal;
  /** Whether it was held without a break until now. Never throws; a second call does nothing. */
  release(): Promise<boolean>;
}

/** `held` false: a writer did not leave in time or Redis is away, so the work goes on without the lock. */
export interface LinkReadLease extends LinkLease {
  readonly held: boolean;
}

/**
 * A reader–writer lock over many links at once. Readers are commits of visits, writers are
 * maintenance (purge, move, rebuild, change of heat). A lock saves work and keeps maintenance from
 * waiting on rows; it never guards a count: writers are fenced in PostgreSQL as well.
 *
 * A lease is one token with its links. A writer registers before it waits, and from then on new
 * readers of its links are turned away: writers are preferred. Nobody waits while holding, hence no
 * deadlock. Expiry is by Redis' own clock. All keys share the hash tag `{link-locks}`, one slot in
 * Redis Cluster: a batch is one script, whatever its links, at about one command a batch of load.
 */
export class LinkLocks {
  readonly #availability: RedisAvailability;
  readonly #lock: Script;
  readonly #renew: Script;
  readonly #release: Script;
  #tokens = 0;
  readonly #tokenPrefix: string;

  constructor(redis: RedisClient, options: { owner: string }) {
    this.#availability = availabilityOf(redis);
    this.#lock = defineScript(redis, 'lockLinks', import.meta.url, 'lua/lock-links.lua');
    this.#renew = defineScript(redis, 'renewLinkLease', import.meta.url, 'lua/renew-lease.lua');
    this.#release = defineScript(redis, 'releaseLinkLease', import.meta.url, 'lua/release-lease.lua');
    this.#tokenPrefix = `${options.owner}:${randomBytes(6).toString('hex')}`;
  }

  /** Never throws. Link ids are decimal text; repeats are fine. */
  async acquireRead(linkIds: readonly string[], options: LinkLockOptions): Promise<LinkReadLease> {
    const lease = await this.#acquire('read', linkIds, options);
    if (typeof lease !== 'string') return { ...lease, held: true };
    return { held: false, signal: new AbortController().signal, release: () => Promise.resolve(false) };
  }

  /** @throws AppError `lock-timeout` or `lock-unavailable`, both retryable; nothing stays registered. */
  async acquireWrite(linkIds: readonly string[], options: LinkLockOptions): Promise<LinkLease> {
    const lease = await this.#acquire('write', linkIds, options);
    if (typeof lease !== 'string') return lease;
    const code = lease === 'timeout' ? 'lock-timeout' : 'lock-unavailable';
    throw new AppError(code, REDIS_ERRORS[code], { retryable: true, details: { links: linkIds.length, ...options } });
  }

  /**
   * Runs `work` under the write lock, or without it when it is not to be had in time: what work writes
   * is fenced in PostgreSQL and right either way. Released only once work has settled, hence after its
   * commit; `signal` aborts when the lock is lost on the way. Errors of `work` pass through.
   */
  async aroundWrite<T>(
    linkIds: readonly string[],
    work: (signal: AbortSignal) => Promise<T>,
    options: LinkLockOptions = AROUND_WRITE,
  ): Promise<T> {
    const lease = await this.acquireWrite(linkIds, options).catch((error: unknown) => {
      if (isAppError(error, 'lock-timeout') || isAppError(error, 'lock-unavailable')) return undefined;
      throw error;
    });
    try {
      return await work(lease?.signal ?? new AbortController().signal);
    } finally {
      await lease?.release();
    }
  }

  async #acquire(
    mode: Mode,
    linkIds: readonly string[],
    options: LinkLockOptions,
  ): Promise<LinkLease | 'timeout' | 'unavailable'> {
    const startedAtMs = performance.now();
    this.#tokens += 1;
    const token = `${this.#tokenPrefix}:${this.#tokens}`;
    const outcome = await this.#ask(mode, token, linkIds, options);
    const waitedSeconds = (performance.now() - startedAtMs) / 1_000;
    const label = typeof outcome === 'string' ? outcome : 'held';
    this.#availability.metrics?.lockWaits.observe({ mode, outcome: label }, waitedSeconds);
    if (typeof outcome !== 'string') return this.#leaseOf(mode, token, options.leaseMs, outcome.grantedAtMs);
    // A writer that gives up must let readers in again. A call that timed out may still take effect
    // later; on this connection the release follows it, and if not, the lease runs out.
    await this.#giveBack(mode, token);
    return outcome;
  }

  async #ask(mode: Mode, token: string, linkIds: readonly string[], { waitMs, leaseMs }: LinkLockOptions) {
    const keys = [LEASES.read, LEASES.write, LINKS];
    const args = [mode, token, leaseMs, `,${linkIds.join(',')},`];
    const deadlineMs = performance.now() + waitMs;
    for (let pauseMs = 2; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const grantedAtMs = performance.now();
      const answer = await this.#availability.ask(`lock-${mode}`, () => this.#lock(keys, args), keys[0]);
      if (answer === 'held') return { grantedAtMs };
      if (answer === undefined) return 'unavailable';
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return 'timeout';
      await sleep(Math.min(leftMs, pauseMs * (0.5 + Math.random())));
    }
  }

  #leaseOf(mode: Mode, token: string, leaseMs: number, grantedAtMs: number): LinkLease {
    const keys = [LEASES[mode], LINKS];
    const keeper = new LeaseKeeper({
      leaseMs,
      grantedAtMs,
      renew: async () => {
        const reply = await this.#availability.ask('renew-lease', () => this.#renew(keys, [token, leaseMs]), keys[0]);
        return reply === undefined ? undefined : reply === 1;
      },
      onLost: () => this.#availability.metrics?.leasesLost.inc({ kind: mode }),
    });
    let released: Promise<boolean> | undefined;
    const release = async () => {
      const kept = keeper.end();
      return (await this.#giveBack(mode, token)) && kept;
    };
    return { signal: keeper.signal, release: () => (released ??= release()) };
  }

  /** Whether the lease was live until now. */
  async #giveBack(mode: Mode, token: string): Promise<boolean> {
    const keys = [LEASES[mode], LINKS];
    return (await this.#availability.ask('release-lease', () => this.#release(keys, [token]), keys[0])) === 1;
  }
}
