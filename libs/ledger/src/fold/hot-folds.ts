import { classifyPostgresError, type Database, loadSql } from '@hopcount/postgres';

import { HOUR_MS, hourOf, toIso } from '../buckets.js';
import { foldHour, isOfThisHour } from './fold-hour.js';

const FIND_DELTAS = loadSql(import.meta.url, 'sql/find-deltas.sql');
const MERGE_DELTAS = loadSql(import.meta.url, 'sql/merge-deltas.sql');
const FIND_HOT_HOURS = loadSql(import.meta.url, 'sql/find-hot-hours.sql');

/** Merged when there is a visit waiting for each so many in the fold, or so many rows. */
const FOLDED_PER_WAITING = 8;
const WAITING_ROWS = 1_000;
/** A commit that began before a link became hot has ended by then, or its visits cost a second fold. */
const SETTLE_SECONDS = 2;

/**
 * Folds of the open hours of hot links. Their commits leave what they add in `link_fold_deltas`, one row a
 * batch, in the transaction of its visits; fold and deltas together are the hour, and valid by their
 * common checksum. A promotion is: mark the link (LinkHeat), wait a little, fold the hour once. A commit
 * that missed the mark is in neither if it was also too late for that fold: then the checksum says so,
 * readers take the ledger and the next round folds again. Nothing here locks a link.
 */
export class HotFolds {
  constructor(
    private readonly database: Database,
    private readonly settings: { settleSeconds?: number; foldedPerWaiting?: number } = {},
  ) {}

  /** Merges deltas into their folds where it pays; an hour that cannot be merged delays only itself. */
  async mergeDeltas(now: number, signal?: AbortSignal): Promise<{ rows: number; failed: number }> {
    const hours = await this.database.query<{ link_id: string; hour: Date }>(FIND_DELTAS, [
      toIso(hourOf(now)),
      this.settings.foldedPerWaiting ?? FOLDED_PER_WAITING,
      WAITING_ROWS,
    ]);
    const merged = { rows: 0, failed: 0 };
    for (const { link_id: linkId, hour } of hours) {
      if (signal?.aborted === true) break;
      const rows = await this.#merge(linkId, hour.getTime());
      if (rows === 'failed') merged.failed += 1;
      else merged.rows += rows;
    }
    return merged;
  }

  /** Folds open hours that are not what their buckets say: just promoted, or a commit was missed. */
  async foldOpenHours(
    now: number,
    signal?: AbortSignal,
  ): Promise<{ folded: number; mismatches: number; failed: number }> {
    const hours = await this.database.query<{ link_id: string; hour: Date }>(FIND_HOT_HOURS, [
      toIso(hourOf(now) - HOUR_MS),
      this.settings.settleSeconds ?? SETTLE_SECONDS,
    ]);
    const report = { folded: 0, mismatches: 0, failed: 0 };
    for (const { link_id: linkId, hour } of hours) {
      if (signal?.aborted === true) break;
      const outcome = await foldHour(this.database, linkId, hour.getTime());
      if (outcome === 'folded') report.folded += 1;
      if (outcome === 'mismatch') report.mismatches += 1;
      if (outcome === 'failed') report.failed += 1;
    }
    return report;
  }

  async #merge(linkId: string, hour: number): Promise<number | 'failed'> {
    try {
      const [row] = await this.database.query<{ rows: number }>(MERGE_DELTAS, [linkId, toIso(hour)]);
      return row?.rows ?? 0;
    } catch (error) {
      // A folder was writing the unit; the deltas are as they were, and the next round takes them.
      if (classifyPostgresError(error) === 'conflict') return 0;
      if (isOfThisHour(error)) return 'failed';
      throw error;
    }
  }
}
