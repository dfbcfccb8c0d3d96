import { setTimeout as sleep } from 'node:timers/promises';

import {
  classifyPostgresError,
  type Database,
  earlierWritersEnded,
  loadSql,
  type Queryable,
  type Transaction,
} from '@hopcount/postgres';
import type { LinkLocks } from '@hopcount/redis';
import { AppError, failpoint, Reach } from '@hopcount/runtime';

import { toIso } from '../buckets.js';
import { LEDGER_ERRORS } from '../ledger.errors.js';
import { deleteErasedFolds } from '../erase/erase-batch.js';
import { type Purge, purgeExpired, purgeRest, purgeSome } from './purge-batch.js';

const MARK_LINK = loadSql(import.meta.url, 'sql/mark-link.sql');
const LIST_UNFINISHED = loadSql(import.meta.url, 'sql/list-unfinished.sql');
const LIST_VISITED = `SELECT links.id FROM links JOIN link_totals AS totals ON totals.link_id = links.id
  WHERE links.purged_at IS NOT NULL AND totals.visits > 0 LIMIT $1`;
const DELETE_STALE_FOLDS = loadSql(import.meta.url, 'sql/delete-stale-folds.sql');

const CONFLICT_ATTEMPTS = 10;
const LONGEST_PAUSE_MS = 50;
const PURGES_PER_RUN = 100;
/** Of `idleMs` each: a folder's transaction is over long before. */
const FOLD_LIFETIMES = 10;

export interface VisitPurgerSettings {
  /** False with SLOTS=off: nobody keeps slots, so there is nothing to take from. */
  hasSlots: boolean;
  /** Longest wait for transactions that may not have seen the mark. */
  horizonWaitMs?: number;
  /** A purge that takes longer is left to the job. */
  budgetMs?: number;
  /** Visits of one transaction; bounds how long a commit of that link may wait for a row. */
  visitsPerTransaction?: number;
}

export interface PurgeOptions {
  /** Visits that occurred before are deleted; now by PostgreSQL's clock unless told. Never in the future. */
  beforeMs?: number;
  /** What the link must be in as it is marked; everything unless told. */
  reach?: Reach;
  signal?: AbortSignal;
}

export interface FinishReport {
  finished: number;
  /** Marked, but not yet done: the next run goes on. */
  left: number;
  deletedVisits: number;
}

/**
 * Deletes the visits of a link that occurred before an instant, so that they stay gone.
 *
 * marked → passed the horizon → emptied, transaction by transaction → finished. The mark on the link keeps
 * such visits out from its commit on. A transaction under way may not have seen it, so the purge waits until all that
 * put visits in have ended (earlierWritersEnded()): theirs are counted by then and deleted with the rest, and none can come
 * after. Each following transaction deletes some rows and
 * takes exactly those out of every sum. A crash at any point
 * leaves exact numbers and a row in `unfinished_purges`. The write lock only spares commits a wait for rows.
 */
export class VisitPurger {
  readonly #settings: Required<VisitPurgerSettings>;

  constructor(
    private readonly database: Database,
    private readonly locks: Pick<LinkLocks, 'aroundWrite'>,
    settings: VisitPurgerSettings,
  ) {
    this.#settings = { horizonWaitMs: 10_000, budgetMs: 20_000, visitsPerTransaction: 2_000, ...settings };
  }

  /**
   * @returns how many visits this call deleted
   * @throws AppError `short-url-not-found`; `purge-unfinished` (retryable): nothing comes back, and the job
   * or another call goes on. Errors of PostgreSQL pass through; the same holds then.
   */
  async purge(linkId: string, options: PurgeOptions = {}): Promise<number> {
    const purge = await this.database.transaction((tx) => this.mark(tx, linkId, options));
    failpoint('purge.after-mark');
    return this.finish(purge, options.signal);
  }

  /**
   * The first half of purge(), as part of a transaction of the caller's: from its COMMIT on the visits stay out, and
   * finish(), another purge or the job deletes them.
   * @throws AppError `short-url-not-found`
   */
  async mark(
    queryable: Queryable,
    linkId: string,
    { beforeMs, reach = Reach.everything }: Pick<PurgeOptions, 'beforeMs' | 'reach'> = {},
  ): Promise<Purge> {
    const before = beforeMs === undefined ? null : toIso(beforeMs);
    const [row] = await queryable.query<{ purged_before: string }>(MARK_LINK, [linkId, before, ...reach.values]);
    if (row === undefined) throw new AppError('short-url-not-found', LEDGER_ERRORS['short-url-not-found']);
    return { linkId, before: row.purged_before };
  }

  /**
   * Purges again the links that were purged for good and have visits all the same: a gateway that had not heard of the
   * deletion redirected after the purge. @returns how many visits went
   */
  async emptyPurgedLinks(signal?: AbortSignal): Promise<number> {
    const rows = await this.database.query<{ id: string }>(LIST_VISITED, [PURGES_PER_RUN]);
    let deletedVisits = 0;
    for (const { id } of rows) deletedVisits += await this.purge(id, { signal });
    return deletedVisits;
  }

  /** Goes on with purges that nobody has touched for `idleMs`; also removes folds that came back behind one, or behind an erasure. */
  async finishAll(options: { idleMs: number; signal?: AbortSignal }): Promise<FinishReport> {
    const report: FinishReport = { finished: 0, left: 0, deletedVisits: 0 };
    const rows = await this.database.query<{ link_id: string; purged_before: string }>(LIST_UNFINISHED, [
      options.idleMs / 1_000,
      PURGES_PER_RUN,
    ]);
    for (const row of rows) {
      try {
        report.deletedVisits += await this.finish({ linkId: row.link_id, before: row.purged_before }, options.signal);
        report.finished += 1;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'purge-unfinished') throw error;
        report.deletedVisits += Number(error.details['deletedVisits']);
        report.left += 1;
      }
    }
    const seconds = (FOLD_LIFETIMES * options.idleMs) / 1_000;
    await this.database.query(DELETE_STALE_FOLDS, [seconds]);
    await deleteErasedFolds(this.database, { seconds });
    return report;
  }

  /** @returns how many visits this call deleted. @throws AppError `purge-unfinished` */
  async finish(purge: Purge, signal?: AbortSignal): Promise<number> {
    const deadlineMs = performance.now() + this.#settings.budgetMs;
    await this.#passHorizon(signal);
    const { visitsPerTransaction: limit, hasSlots } = this.#settings;
    let deletedVisits = await this.#write(purge, (tx) => purgeExpired(tx, purge, hasSlots));
    for (let some = limit; some === limit;) {
      if (signal?.aborted === true) throw unfinished(deletedVisits, 'stopped');
      if (performance.now() > deadlineMs) throw unfinished(deletedVisits, 'many visits');
      some = await this.#write(purge, (tx) => purgeSome(tx, purge, limit, hasSlots));
      deletedVisits += some;
      failpoint('purge.between-transactions');
    }
    return deletedVisits + (await this.#write(purge, (tx) => purgeRest(tx, purge, hasSlots)));
  }

  /** One transaction under the write lock, run again when another one stood in its way. */
  async #write(purge: Purge, work: (tx: Transaction) => Promise<number>): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.locks.aroundWrite([purge.linkId], () => this.database.transaction(work));
      } catch (error) {
        if (attempt >= CONFLICT_ATTEMPTS || classifyPostgresError(error) !== 'conflict') throw error;
        await sleep(Math.random() * LONGEST_PAUSE_MS);
      }
    }
  }

  async #passHorizon(signal: AbortSignal | undefined): Promise<void> {
    if (await earlierWritersEnded(this.database, { waitMs: this.#settings.horizonWaitMs, signal })) return;
    throw unfinished(0, signal?.aborted === true ? 'stopped' : 'a commit that may not have seen it is still open');
  }
}

function unfinished(deletedVisits: number, reason: string): AppError {
  return new AppError('purge-unfinished', LEDGER_ERRORS['purge-unfinished'], {
    retryable: true,
    details: { deletedVisits, reason },
  });
}
