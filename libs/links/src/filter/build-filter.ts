import { setTimeout as sleep } from 'node:timers/promises';

import { type Database, loadSql, withLockRetries } from '@hopcount/postgres';
import { availabilityOf, type BloomFilter, BloomFilters, type RedisClient } from '@hopcount/redis';

import { urlHash } from '../targets/normal-url.js';
import { codeEntry, FORGOTTEN_MS, urlEntry } from './filter-entries.js';

const READ_STATE = loadSql(import.meta.url, 'sql/read-filter-state.sql');
const ACTIVATE = loadSql(import.meta.url, 'sql/activate-filter.sql');
/** Those who write links queue behind it. Shorter than PostgreSQL's deadlock_timeout: in a ring of waits none of them is ended. */
const GIVE_UP_WAITING = "SET LOCAL lock_timeout = '900ms'";
const LOCK_ALONE = `SELECT pg_advisory_xact_lock(hashtext('hopcount-link-filter'), 0)`;
const LOCK_RETRIES = { attempts: 5, pauseMs: 1_000 };
const START = 'UPDATE link_filter SET building = $1';
const NOTE_GAP = 'INSERT INTO link_filter_gaps (generation) VALUES ($1)';
const ABANDON = `UPDATE link_filter SET building = NULL WHERE building ->> 'generation' = $1`;
const GIVE_UP = `UPDATE link_filter SET current = NULL WHERE current ->> 'generation' = $1`;
const FORGET_GAPS = `DELETE FROM link_filter_gaps AS gap WHERE NOT EXISTS (
  SELECT FROM link_filter WHERE gap.generation IN (current ->> 'generation', building ->> 'generation'))`;
const NEXT_LINKS = 'SELECT id, code, long_url FROM links WHERE id > $1 ORDER BY id LIMIT $2';

const BATCH = 2_000;
/** Links grow; a filter that is fuller than this lets more codes through, which is all. */
const ROOM = 2;
const SMALLEST = 50_000;
/** All links are read for nothing when there is no room for it in Redis. */
const PAUSE_MS = 60_000;
/** Before its shards expire. */
const MAX_AGE_MS = 24 * 3_600_000;

interface State {
  current: BloomFilter | null;
  /** Of the current one. */
  isWhole: boolean;
  links: string;
  /** For how many it was made, and when (by PostgreSQL's clock). */
  room: string | null;
  age_ms: string | null;
}

export type BuildOutcome = 'whole' | 'built' | 'failed' | 'waits';

/**
 * For the worker: makes the filter anew that Redis lost, that lacks something, that is old or too small. Two of them at once
 * are one too many, not wrong: the second's filter takes the first's place, which then is not used.
 */
export class FilterBuilder {
  readonly #filters: BloomFilters;
  #pausedUntilMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisClient,
    private readonly forgottenMs = FORGOTTEN_MS,
  ) {
    this.#filters = new BloomFilters(redis);
  }

  /** `waits`: Redis is away, or it failed a moment ago. */
  async run(signal?: AbortSignal): Promise<BuildOutcome> {
    const [state] = await this.database.query<State>(READ_STATE);
    if (state === undefined) return 'failed';
    let { current } = state;
    if (current !== null && !state.isWhole) current = await this.#giveUp(current);
    if (performance.now() < this.#pausedUntilMs || !(await this.#isRedisThere())) return 'waits';
    if (current !== null) {
      if (!(await this.#filters.isThere(current))) current = await this.#giveUp(current);
      else if (Number(state.age_ms) < MAX_AGE_MS && Number(state.links) <= Number(state.room)) return 'whole';
    }
    const outcome = await this.#build(Math.max(SMALLEST, ROOM * Number(state.links)), current, signal);
    if (outcome === 'failed') this.#pausedUntilMs = performance.now() + PAUSE_MS;
    return outcome;
  }

  /** From then on nobody believes in one, and who writes links need not care. */
  async stop(): Promise<void> {
    const [state] = await this.database.query<State>(READ_STATE);
    if (state?.current != null) await this.#giveUp(state.current);
  }

  async #isRedisThere(): Promise<boolean> {
    return (await availabilityOf(this.redis).ask('filter-ping', () => this.redis.ping())) !== undefined;
  }

  async #giveUp(filter: BloomFilter): Promise<null> {
    await this.#untilNobodyBelieves(filter);
    await this.#change(GIVE_UP, filter.generation);
    await this.database.query(FORGET_GAPS);
    return null;
  }

  /** As long as a gateway may believe in it, those who write links have to see it and add to it. */
  async #untilNobodyBelieves({ generation }: BloomFilter): Promise<void> {
    await this.database.query(NOTE_GAP, [generation]);
    await sleep(this.forgottenMs);
  }

  async #build(room: number, current: BloomFilter | null, signal?: AbortSignal): Promise<BuildOutcome> {
    const filter = await this.#filters.make(2 * room); // a code and a long URL each
    if (filter === undefined) return 'failed';
    let isActive = false;
    try {
      isActive = await this.#fillAndActivate({ ...filter, room }, current, signal);
    } finally {
      const useless = isActive ? current : filter;
      if (useless !== null) await this.#filters.drop(useless);
    }
    return isActive ? 'built' : 'failed';
  }

  async #fillAndActivate(
    filter: BloomFilter & { room: number },
    current: BloomFilter | null,
    signal?: AbortSignal,
  ): Promise<boolean> {
    // Waits for everybody who writes a link; those who come after it add what they write themselves.
    await this.#change(START, JSON.stringify(filter));
    const isFilled = await this.#fill(filter, signal);
    if (isFilled && current !== null) await this.#untilNobodyBelieves(current);
    const isActive = isFilled && (await this.#change(ACTIVATE, filter.generation)).length > 0;
    if (!isActive) await this.#change(ABANDON, filter.generation);
    await this.database.query(FORGET_GAPS);
    return isActive;
  }

  /** @throws while a transaction that writes links takes long: the other ones must not wait for it, too */
  #change(statement: string, value: string): Promise<unknown[]> {
    return withLockRetries(LOCK_RETRIES, () =>
      this.database.transaction(async (tx) => {
        await tx.query(GIVE_UP_WAITING);
        await tx.query(LOCK_ALONE);
        return tx.query(statement, [value]);
      }),
    );
  }

  async #fill(filter: BloomFilter, signal?: AbortSignal): Promise<boolean> {
    for (let after = '0'; signal?.aborted !== true;) {
      const rows = await this.database.query<{ id: string; code: string; long_url: string }>(NEXT_LINKS, [
        after,
        BATCH,
      ]);
      const entries = rows.flatMap(({ code, long_url: longUrl }) => [codeEntry(code), urlEntry(urlHash(longUrl))]);
      if (!(await this.#filters.add(filter, entries))) return false;
      if (rows.length < BATCH) return true;
      after = rows.at(-1)?.id ?? after;
    }
    return false;
  }
}
