import { classifyPostgresError, type Database, loadSql } from '@hopcount/postgres';

import { HOUR_MS, hourOf, toIso } from '../buckets.js';
import { foldHour, isOfThisHour } from './fold-hour.js';

const FIND_DELTAS = loadSql(import.meta.url, 'sql/find-deltas.sql');
const MERGE_DELTAS = loadSql(import.meta.url, 'sql/merge-deltas.sql');
const FIND_HOT_HOURS = loadSql(import.meta.url, 'sql/find-hot-hours.sql');

/**
 * Merged when a visit waits for each so many in the fold, in so many rows at least (fewer cost a reader next to nothing,
 * and most links never have more); or when so many rows wait.
 */
const FOLDED_PER_WAITING = 8;
const LEAST_ROWS = 8;
const WAITING_ROWS = 1_000;
/** Hours of one run, and hours and visits of one statement: what it has in memory. */
const HOURS_AT_ONCE = 20_000;
const MERGED_TOGETHER = { hours: 200, visits: 20_000 };
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
    private readonly settings: { settleSeconds?: number; foldedPerWaiting?: number; leastRows?: number } = {},
  ) {}

  /** Merges deltas into their folds where it pays; an hour that cannot be merged delays only itself. */
  async mergeDeltas(now: number, signal?: AbortSignal): Promise<{ rows: number; failed: number }> {
    const hours = await this.database.query<WaitingHour>(FIND_DELTAS, [
      toIso(hourOf(now)),
      this.settings.foldedPerWaiting ?? FOLDED_PER_WAITING,
      WAITING_ROWS,
      this.settings.leastRows ?? LEAST_ROWS,
      HOURS_AT_ONCE,
    ]);
    const merged = { rows: 0, failed: 0 };
    for (const together of mergedTogether(hours)) {
      if (signal?.aborted === true) break;
      const { rows, failed } = await this.#merge(together);
      merged.rows += rows;
      merged.failed += failed;
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

  async #merge(hours: readonly WaitingHour[]): Promise<{ rows: number; failed: number }> {
    try {
      const [row] = await this.database.query<{ rows: number }>(MERGE_DELTAS, [
        hours.map((one) => one.link_id),
        hours.map((one) => toIso(one.hour.getTime())),
      ]);
      return { rows: row?.rows ?? 0, failed: 0 };
    } catch (error) {
      // Somebody was folding one of them; the deltas are as they were, and the next round takes them.
      if (classifyPostgresError(error) === 'conflict') return { rows: 0, failed: 0 };
      if (!isOfThisHour(error)) throw error;
      if (hours.length === 1) return { rows: 0, failed: 1 };
    }
    const each = { rows: 0, failed: 0 };
    for (const hour of hours) {
      const { rows, failed } = await this.#merge([hour]);
      each.rows += rows;
      each.failed += failed;
    }
    return each;
  }
}

interface WaitingHour {
  link_id: string;
  hour: Date;
  visits: number;
}

function mergedTogether(hours: readonly WaitingHour[]): WaitingHour[][] {
  const statements: WaitingHour[][] = [];
  let visits = Infinity;
  for (const hour of hours) {
    let last = statements.at(-1);
    visits += hour.visits;
    if (last === undefined || last.length >= MERGED_TOGETHER.hours || visits > MERGED_TOGETHER.visits) {
      statements.push((last = []));
      visits = hour.visits;
    }
    last.push(hour);
  }
  return statements;
}
