import { type Database, loadSql } from '@hopcount/postgres';

import { type Difference, EVER } from './checks.js';
import { StatisticsVerifier } from './statistics-verifier.js';

const NEXT_PERIOD = loadSql(import.meta.url, 'sql/next-period.sql');
/** Compared in one step, within a second or two. */
const VISITS_AT_ONCE = 500_000;
/** After a step, so many times as long as it took: a large ledger costs 2 % of a core. */
const RESTS = 50;

export interface SweepStep {
  differences: Difference[];
  /** Whether the sums of all visits that the ledger has were compared since the round began. */
  isRoundOver: boolean;
}

/**
 * Compares sums with the visits of the ledger all the time, part by part from the oldest to the newest, so that no sum is wrong for long
 * without being known to be. Of several sweeps each makes rounds of its own.
 */
export class SumsSweep {
  readonly #verifier: StatisticsVerifier;
  #from = EVER;
  #restsUntil = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly settings: { visitsAtOnce?: number; rests?: number } = {},
  ) {
    this.#verifier = new StatisticsVerifier(database);
  }

  /** @returns undefined: it rests */
  async step(): Promise<SweepStep | undefined> {
    const { visitsAtOnce = VISITS_AT_ONCE, rests = RESTS } = this.settings;
    const begin = performance.now();
    if (begin < this.#restsUntil) return undefined;
    const [period] = await this.database.query<{ until: string }>(NEXT_PERIOD, [this.#from, visitsAtOnce]);
    const to = period?.until ?? 'infinity';
    const differences = await this.#verifier.verifyRange({ from: this.#from, to });
    const isRoundOver = to === 'infinity';
    this.#from = isRoundOver ? EVER : to;
    const end = performance.now();
    this.#restsUntil = end + (end - begin) * rests;
    return { differences, isRoundOver };
  }
}
