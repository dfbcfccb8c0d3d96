import { setTimeout as sleep } from 'node:timers/promises';

import type { Queryable, Transaction } from '@hopcount/postgres';
import { type BloomFilter, BloomFilters, type RedisClient } from '@hopcount/redis';
import { AppError } from '@hopcount/runtime';

import { FORGOTTEN_MS } from './filter-entries.js';

const LOCK_FILTER = 'SELECT current, building, is_whole AS "isCurrentWhole" FROM share_link_filter()';
const NOTE_GAP = 'INSERT INTO link_filter_gaps (generation) VALUES ($1)';
/** The names are read by a trigger of `links`, which notes a gap in every filter that is not among them. */
const DECLARE = `SELECT set_config('hopcount.link_filters', $1, true)`;

/** One is enough, unless the filter is replaced or the database restored meanwhile. */
const MAX_WAITS = 4;

interface Filters {
  current: BloomFilter | null;
  building: BloomFilter | null;
  isCurrentWhole: boolean;
}

/** Gateways believe in a filter that lacks what was about to be written. */
class StillBelieved extends Error {
  constructor(
    readonly generation: string,
    readonly isCurrentWhole: boolean,
  ) {
    super('the filter of codes lacks a link that was about to be created');
  }
}

/**
 * For those who write codes and long URLs: puts them into the Bloom filter before anybody can see them in PostgreSQL. Where
 * Redis does not take them, PostgreSQL is told first that the filter lacks something, and a link is created only when
 * no gateway believes in it any more.
 */
export class LinkFilter {
  readonly #filters: BloomFilters | undefined;
  /** The last one that this process knows to lack something, and since when all gateways have been able to know. */
  #gap: { generation: string; sinceMs: number } | undefined;

  /** @param redis absent: this process puts nothing into any */
  constructor(
    redis?: RedisClient,
    private readonly forgottenMs = FORGOTTEN_MS,
  ) {
    this.#filters = redis && new BloomFilters(redis);
  }

  /**
   * Runs a transaction that creates links, once more after 1.5 s where {@link addLinks} found that it must not commit yet.
   * @throws AppError `link-filter-unsettled` (retryable)
   */
  async around<Result>(database: Queryable, transaction: () => Promise<Result>): Promise<Result> {
    for (let waits = 0; ; waits += 1) {
      try {
        return await transaction();
      } catch (error) {
        if (!(error instanceof StillBelieved)) throw error;
        if (waits === MAX_WAITS) throw unsettled(error);
        await this.#untilForgotten(database, error);
      }
    }
  }

  /** In the caller's transaction, before it inserts them. @returns for the statement that does: `hopcount.link_filters` */
  async addLinks(tx: Transaction, entries: readonly string[]): Promise<string> {
    const { current, isCurrentWhole, having } = await this.#add(tx, entries);
    const isMissing = current !== null && !having.includes(current.generation);
    if (isMissing && (isCurrentWhole || !this.#isForgotten(current.generation))) {
      throw new StillBelieved(current.generation, isCurrentWhole);
    }
    return having.join();
  }

  /** The same of long URLs: those who search for one ask PostgreSQL in their transaction whether anything is missing. */
  async addUrls(tx: Transaction, entries: readonly string[]): Promise<void> {
    const { having } = await this.#add(tx, entries);
    await tx.query(DECLARE, [having.join()]);
  }

  /** Which of the entries were never added; all others may have been. */
  async lacks(tx: Transaction, entries: readonly string[]): Promise<boolean[]> {
    const { current, isCurrentWhole } = await this.#lock(tx);
    const lacks = current !== null && isCurrentWhole ? await this.#filters?.lacks(current, entries) : undefined;
    return lacks ?? entries.map(() => false);
  }

  async #add(tx: Transaction, entries: readonly string[]): Promise<Filters & { having: string[] }> {
    const locked = await this.#lock(tx);
    const filters = [locked.current, locked.building].filter((filter) => filter !== null);
    const having: string[] = [];
    await Promise.all(
      filters.map(async (filter) => (await this.#take(filter, entries)) && having.push(filter.generation)),
    );
    return { ...locked, having };
  }

  async #take(filter: BloomFilter, entries: readonly string[]): Promise<boolean> {
    return this.#filters !== undefined && (await this.#filters.add(filter, entries));
  }

  async #lock(tx: Transaction): Promise<Filters> {
    const [row] = await tx.query<Filters>(LOCK_FILTER);
    return row ?? { current: null, building: null, isCurrentWhole: false };
  }

  async #untilForgotten(database: Queryable, { generation, isCurrentWhole }: StillBelieved): Promise<void> {
    // Also what this process noted before: the database may have been restored to a time when that was not there.
    if (isCurrentWhole || this.#gap?.generation !== generation) {
      await database.query(NOTE_GAP, [generation]);
      this.#gap = { generation, sinceMs: performance.now() };
    }
    await sleep(Math.max(0, this.#gap.sinceMs + this.forgottenMs - performance.now()));
  }

  #isForgotten(generation: string): boolean {
    return this.#gap?.generation === generation && performance.now() >= this.#gap.sinceMs + this.forgottenMs;
  }
}

function unsettled(cause: StillBelieved): AppError {
  const message =
    'The filter of codes did not stay the same for long enough to create a link without Redis; try again.';
  return new AppError('link-filter-unsettled', message, { cause, retryable: true });
}
