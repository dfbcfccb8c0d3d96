import type { Queryable } from '@hopcount/postgres';
import { type RedisOptions, RedisSubscription } from '@hopcount/redis';
import { type Logger, settingKey } from '@hopcount/runtime';

import { LIMIT_NAMES, type LimitName, type LimitValues, readLimit } from './limit-settings.js';
import { LIMITS_CHANGED, StoredLimits } from './stored-limits.js';

/** A look takes seconds at most, so what a process holds is less than a minute old. */
const LOOK_EVERY_MS = 30_000;

interface Parts {
  database: Pick<Queryable, 'query'>;
  redis: RedisOptions;
  logger: Logger;
}

/**
 * The limits of a process: those of its environment, and over them what PostgreSQL says. It looks when a change is announced,
 * whenever its subscription is new, and every 30 s, so that a lost message only delays. While PostgreSQL is away the values of the
 * last look stay.
 */
export class FollowedLimits<Own extends Partial<LimitValues>> {
  #now: Own;
  /** Rows of the last look. */
  #seen = '[]';
  #look: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #subscription: RedisSubscription | undefined;
  readonly #names: LimitName[];

  /** @param environment the configuration of the process: limits that it does not have are not followed */
  constructor(
    private readonly parts: Parts,
    private readonly environment: Own,
    private readonly lookEveryMs = LOOK_EVERY_MS,
  ) {
    this.#now = environment;
    this.#names = LIMIT_NAMES.filter((name) => settingKey(name) in environment);
  }

  /** Another object after each change. */
  get now(): Own {
    return this.#now;
  }

  /** After the first look, whether it succeeded or not. */
  async start(): Promise<void> {
    const look = () => void this.#lookAgain();
    this.#subscription = new RedisSubscription(this.parts.redis, LIMITS_CHANGED, {
      onSubscribed: look,
      onMessage: look,
    });
    this.#timer = setInterval(look, this.lookEveryMs).unref();
    await this.#lookAgain();
  }

  /** Before its database is closed. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#subscription?.close();
    await (this.#nextLook ?? this.#look);
  }

  /** A look under way may have read before the change that is announced: the next one, which many messages share, has not. */
  #lookAgain(): Promise<void> {
    this.#nextLook ??= this.#look.then(() => {
      this.#look = this.#nextLook ?? Promise.resolve();
      this.#nextLook = undefined;
      return this.#read();
    });
    return this.#nextLook;
  }

  async #read(): Promise<void> {
    try {
      const stored = await new StoredLimits(this.parts.database).list(this.#names);
      const rows = stored.map(({ name, value }) => ({ name, value }));
      const seen = JSON.stringify(rows);
      if (seen === this.#seen) return;
      const readable = rows.flatMap(({ name, value }) => {
        const limit = readLimit(name, value);
        if (limit !== undefined) return [[settingKey(name), limit] as const];
        this.parts.logger.warn({ name, value }, 'a stored limit cannot be read; that of the environment holds');
        return [];
      });
      this.#now = { ...this.environment, ...Object.fromEntries(readable) };
      this.#seen = seen;
      this.parts.logger.info({ stored: rows }, 'limits changed; those that are not stored are of the environment');
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'PostgreSQL does not answer; limits stay as they are');
    }
  }
}
