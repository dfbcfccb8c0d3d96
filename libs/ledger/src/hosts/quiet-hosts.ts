import { type Database, loadSql } from '@hopcount/postgres';

import { LOCK_FOLD } from './host-fold.js';

const FIND_QUIET_HOSTS = loadSql(import.meta.url, 'sql/find-quiet-hosts.sql');
const MOVE_QUIET_HOSTS = loadSql(import.meta.url, 'sql/move-quiet-hosts.sql');
/** Who folds meanwhile may take longer than what the worker's other statements have, and so may this. */
const TAKE_LONGER = `SELECT set_config('statement_timeout', '2min', true)`;

const QUIET_SETTINGS = {
  /** Without visits. */
  days: 30,
  lookedAtOnce: 1_000,
  /** Of one transaction, in which nobody folds: as many of those looked at, and rows of them. */
  rowsAtOnce: 50_000,
  /** Hosts in a row that could not be moved: then it is not for them. */
  failuresInARow: 10,
};

interface QuietReport {
  /** Quarters and classes that were moved. */
  rows: number;
  /** Hosts passed over since theirs could not be moved. */
  failed: number;
}

/**
 * Takes the quarters of an hour of hosts that had no visits for long out of the table that all else is in. Nothing has to bring them back:
 * whoever reads adds up both (the view `host_buckets`), and what is counted of such a host from now on is in `host_traffic` again. So a host
 * may be moved in several portions.
 */
export class QuietHosts {
  readonly #settings: typeof QUIET_SETTINGS;
  /** Behind which host it goes on; 0: a round begins. */
  #after = 0;
  /** Of what a portion may have: halved when one fails, down to some rows of a host, doubled when one succeeds. */
  #share = 1;
  #failures = 0;

  constructor(
    private readonly database: Database,
    settings: Partial<typeof QUIET_SETTINGS> = {},
  ) {
    this.#settings = { ...QUIET_SETTINGS, ...settings };
  }

  /** To the end of the round, from where the last one was left. @throws what PostgreSQL says, if it refuses all */
  async move(signal?: AbortSignal): Promise<QuietReport> {
    const report = { rows: 0, failed: 0 };
    const { lookedAtOnce, days } = this.#settings;
    while (signal?.aborted !== true) {
      const values: unknown[] = [this.#after, lookedAtOnce, days];
      const [found] = await this.database.query<{ last: number | null; ids: number[] }>(FIND_QUIET_HOSTS, values);
      if (!(await this.#moveAll(found?.ids ?? [], report, signal))) break;
      this.#after = found?.last ?? 0;
      if (this.#after === 0) break;
    }
    return report;
  }

  /** @returns false: told to end before */
  async #moveAll(ids: readonly number[], report: QuietReport, signal?: AbortSignal): Promise<boolean> {
    let left = ids;
    while (left.length > 0 && signal?.aborted !== true) left = await this.#movePortion(left, report);
    return left.length === 0;
  }

  /** @returns which are left */
  async #movePortion(ids: readonly number[], report: QuietReport): Promise<readonly number[]> {
    const some = ids.slice(0, this.#portionOf(this.#settings.lookedAtOnce));
    const most = this.#portionOf(this.#settings.rowsAtOnce);
    try {
      const rows = await this.#moveRows(some, most);
      this.#share = Math.min(this.#share * 2, 1);
      this.#failures = 0;
      report.rows += rows;
      if (rows === most) return ids;
    } catch (error) {
      const least = 1 / this.#settings.lookedAtOnce;
      const wasLeast = this.#share <= least;
      this.#share = Math.max(Math.min(this.#share, some.length * least) / 2, least);
      if (!wasLeast) return ids;
      report.failed += 1;
      this.#failures += 1;
      this.#after = some[0]!;
      if (this.#failures >= this.#settings.failuresInARow) {
        this.#failures = 0;
        throw error;
      }
    }
    this.#after = some.at(-1)!;
    return ids.slice(some.length);
  }

  #moveRows(ids: readonly number[], most: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      await tx.query(TAKE_LONGER);
      await tx.query(LOCK_FOLD);
      const [row] = await tx.query<{ rows: number }>(MOVE_QUIET_HOSTS, [ids, most, this.#settings.days]);
      return row?.rows ?? 0;
    });
  }

  #portionOf(most: number): number {
    return Math.max(1, Math.floor(most * this.#share));
  }
}
