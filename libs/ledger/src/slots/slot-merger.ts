import { type Database, loadSql, postgresErrorCode } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import type { SlotSetting } from '../commit/visit-committer.js';
import { HOUR_MS, toIso } from '../buckets.js';

const MERGE_COUNTERS = loadSql(import.meta.url, 'sql/merge-counters.sql');
const MERGE_BUCKETS = loadSql(import.meta.url, 'sql/merge-buckets.sql');
const MERGE_SCOPES = loadSql(import.meta.url, 'sql/merge-scopes.sql');
const MERGE_MINUTES = loadSql(import.meta.url, 'sql/merge-minutes.sql');

/** Rows of one transaction, and transactions of one run for each table. */
const ROWS_PER_ROUND = 2_000;
const MAX_ROUNDS = 20;
/** By then next to nobody adds to a bucket or a minute any more; what comes later is merged in its turn. */
const CLOSED_AFTER_MS = HOUR_MS;
/** Shorter than PostgreSQL's deadlock_timeout: in a ring of waits it is never a commit that is ended. */
const GIVE_UP_AFTER = "SET LOCAL lock_timeout = '200ms'";
const LOCK_NOT_AVAILABLE = '55P03';

export interface MergeReport {
  /** Rows merged into slot 0: of all-time counters, buckets of links and of scopes, minutes of sources. */
  counters: number;
  buckets: number;
  scopes: number;
  minutes: number;
}

/**
 * Adds slots nobody adds to any more to slot 0: of links that cooled, of closed buckets and minutes. So
 * slots cost rows only where they are in use. Exact while commits and purges go on: a row is taken in the
 * statement that adds it to slot 0, rows somebody holds are left for the next run, and a visit that still
 * comes to a slot that is gone makes it anew. Two mergers at once take different rows.
 */
export class SlotMerger {
  readonly #maxSlots: number;

  constructor(
    private readonly database: Database,
    settings: { slots: SlotSetting },
  ) {
    this.#maxSlots = settings.slots === 'off' ? 1 : settings.slots;
  }

  async merge(nowMs: number, signal?: AbortSignal): Promise<MergeReport> {
    const closedBefore = toIso(nowMs - CLOSED_AFTER_MS);
    return {
      counters: await this.#mergeAll(MERGE_COUNTERS, this.#maxSlots, signal),
      buckets: await this.#mergeAll(MERGE_BUCKETS, closedBefore, signal),
      scopes: await this.#mergeAll(MERGE_SCOPES, closedBefore, signal),
      minutes: await this.#mergeAll(MERGE_MINUTES, closedBefore, signal),
    };
  }

  async #mergeAll(statement: string, limit: number | string, signal: AbortSignal | undefined): Promise<number> {
    let merged = 0;
    for (let round = 0; round < MAX_ROUNDS && signal?.aborted !== true; round += 1) {
      const rows = await this.#mergeSome(statement, limit);
      merged += rows;
      if (rows < ROWS_PER_ROUND) break;
    }
    return merged;
  }

  async #mergeSome(statement: string, limit: number | string): Promise<number> {
    try {
      return await this.database.transaction(async (tx) => {
        await tx.query(GIVE_UP_AFTER);
        const [row] = await tx.query<{ rows: number }>(statement, [limit, ROWS_PER_ROUND]);
        failpoint('worker.slots-mid-merge');
        return row?.rows ?? 0;
      });
    } catch (error) {
      // Somebody is adding to slot 0; the rows are as they were, and the next run finds them.
      if (postgresErrorCode(error) === LOCK_NOT_AVAILABLE) return 0;
      throw error;
    }
  }
}
