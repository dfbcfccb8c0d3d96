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
const MAX_TRIES_AGAIN = 4;

interface Filters {
  current: BloomFilter | null;
  building: BloomFilter | null;
}

/** Which there are, by generation, while the transaction that asked is open. */
export interface FilterState {
  current: string | null;
  building: string | null;
  isCurrentWhole: boolean;
}

/** Generations of the filters that entries were to be added to, and of those that hold them. */
interface Added {
  tried: string[];
  held: string[];
}

/** There are other filters than this process knew of. */
class FiltersChanged extends Error {
  constructor() {
    super('the filters of codes were replaced');
  }
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
  /** Those of the last transaction that looked. */
  #known: Filters | undefined;

  /** @param redis absent: this process puts nothing into any */
  constructor(
    redis?: RedisClient,
    private readonly forgottenMs = FORGOTTEN_MS,
  ) {
    this.#filters = redis && new BloomFilters(redis);
  }

  /**
   * Runs a transaction that creates links: once more where {@link expectAdded} found that it must not commit, after 1.5 s where
   * gateways would not know of it yet.
   * @throws AppError `link-filter-unsettled` (retryable)
   */
  async around<Result>(database: Queryable, transaction: () => Promise<Result>): Promise<Result> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await transaction();
      } catch (error) {
        if (!(error instanceof StillBelieved || error instanceof FiltersChanged)) throw error;
        if (tries === MAX_TRIES_AGAIN) throw unsettled(error);
        this.#known = undefined;
        if (error instanceof StillBelieved) await this.#untilForgotten(database, error);
      }
    }
  }

  /**
   * In the caller's transaction, before it inserts them: into those that this process knows of, without a question. Once it has
   * inserted them, and so holds the filters, it has them looked at with {@link expectAdded}.
   * @returns `held`: for the statement that inserts, `hopcount.link_filters`
   */
  async addLinks(tx: Transaction, entries: readonly string[]): Promise<Added> {
    return this.#add((this.#known ??= await this.#lock(tx)), entries);
  }

  /** @param state what the statement found that inserted them. @throws what {@link around} waits for: the transaction must not commit */
  expectAdded({ tried, held }: Added, { current, building, isCurrentWhole }: FilterState): void {
    const isKnown = (generation: string | null) => generation === null || tried.includes(generation);
    if (!isKnown(current) || !isKnown(building)) throw new FiltersChanged();
    const isMissing = current !== null && !held.includes(current);
    if (isMissing && (isCurrentWhole || !this.#isForgotten(current))) throw new StillBelieved(current, isCurrentWhole);
  }

  /** The same of long URLs: those who search for one ask PostgreSQL in their transaction whether anything is missing. */
  async addUrls(tx: Transaction, entries: readonly string[]): Promise<void> {
    const { held } = await this.#add(await this.#lock(tx), entries);
    await tx.query(DECLARE, [held.join()]);
  }

  /** Which of the entries were never added; all others may have been. */
  async lacks(tx: Transaction, entries: readonly string[]): Promise<boolean[]> {
    const { current, isCurrentWhole } = await this.#lock(tx);
    const lacks = current !== null && isCurrentWhole ? await this.#filters?.lacks(current, entries) : undefined;
    return lacks ?? entries.map(() => false);
  }

  async #add({ current, building }: Filters, entries: readonly string[]): Promise<Added> {
    const filters = [current, building].filter((filter) => filter !== null);
    const areHeld = await Promise.all(filters.map((filter) => this.#take(filter, entries)));
    const tried = filters.map(({ generation }) => generation);
    return { tried, held: tried.filter((_, place) => areHeld[place]) };
  }

  async #take(filter: BloomFilter, entries: readonly string[]): Promise<boolean> {
    return this.#filters !== undefined && (await this.#filters.add(filter, entries));
  }

  async #lock(tx: Transaction): Promise<Filters & { isCurrentWhole: boolean }> {
    const [row] = await tx.query<Filters & { isCurrentWhole: boolean }>(LOCK_FILTER);
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

function unsettled(cause: Error): AppError {
  const message =
    'The filter of codes did not stay the same for long enough to create a link without Redis; try again.';
  return new AppError('link-filter-unsettled', message, { cause, retryable: true });
}
