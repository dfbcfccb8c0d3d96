import { classifyPostgresError, type Database, loadSql } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { LEDGER_ERRORS } from '../ledger.errors.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';
import { toIso } from '../buckets.js';

const MARK_HORIZON = loadSql(import.meta.url, 'sql/mark-horizon.sql');
const DELETE_ORPHANS = loadSql(import.meta.url, 'sql/delete-orphans.sql');
const SUBTRACT_ORPHANS = loadSql(import.meta.url, 'sql/subtract-orphans.sql');

const CONFLICT_ATTEMPTS = 10;

export interface OrphanPurgeOptions {
  /** Orphan visits that occurred before are deleted; now by PostgreSQL's clock unless told. */
  beforeMs?: number;
  signal?: AbortSignal;
}

/**
 * Deletes orphan visits so that they stay gone. The mark is committed first; moving it waits for every
 * commit under way (they share-lock it), and every later one sees it. Then rows go in transactions that
 * take exactly those out of the slots: killed anywhere, the numbers are exact and the next run goes on.
 */
export class OrphanPurger {
  constructor(
    private readonly database: Database,
    private readonly settings: { hasSlots: boolean; rowsPerTransaction?: number; budgetMs?: number },
  ) {}

  /**
   * @returns how many orphan visits this call deleted
   * @throws AppError `purge-unfinished` (retryable): marked, and the next call or the job goes on
   */
  async purge(options: OrphanPurgeOptions = {}): Promise<number> {
    const { rowsPerTransaction: limit = 5_000, budgetMs = 20_000 } = this.settings;
    const deadlineMs = performance.now() + budgetMs;
    const given = options.beforeMs === undefined ? null : toIso(options.beforeMs);
    const [mark] = await this.database.query<{ purged_before: string }>(MARK_HORIZON, [given]);
    if (mark === undefined) throw new Error('orphan_horizon has no row');
    let deletedVisits = 0;
    for (let some = limit; some === limit;) {
      if (options.signal?.aborted === true || performance.now() > deadlineMs) {
        throw new AppError('purge-unfinished', LEDGER_ERRORS['purge-unfinished'], {
          retryable: true,
          details: { deletedVisits, reason: 'many visits' },
        });
      }
      some = await this.#purgeSome(mark.purged_before, limit);
      deletedVisits += some;
    }
    return deletedVisits;
  }

  async #purgeSome(before: string, limit: number): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.database.transaction(async (tx) => {
          const [gone] = await tx.query<{ people: number; bots: number }>(DELETE_ORPHANS, [before, limit, BOT_CLASSES]);
          const { people = 0, bots = 0 } = gone ?? {};
          if (this.settings.hasSlots && people + bots > 0) await tx.query(SUBTRACT_ORPHANS, [people, bots]);
          return people + bots;
        });
      } catch (error) {
        if (attempt >= CONFLICT_ATTEMPTS || classifyPostgresError(error) !== 'conflict') throw error;
      }
    }
  }
}
