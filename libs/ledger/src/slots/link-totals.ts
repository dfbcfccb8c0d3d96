import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { BOT_CLASSES } from './bot-classes.js';
import type { TotalsSource } from './visit-totals.js';

const TRY_LOCK = loadSql(import.meta.url, 'sql/try-lock.sql');
const TAKE_CHANGES = loadSql(import.meta.url, 'sql/take-changes.sql');
const SET_FROM_SLOTS = loadSql(import.meta.url, 'sql/set-totals-from-slots.sql');
const SET_FROM_TRAFFIC = loadSql(import.meta.url, 'sql/set-totals-from-traffic.sql');

/** Batches consumed in one transaction, and transactions in one call. */
const CHANGES_PER_ROUND = 100;
const MAX_ROUNDS = 50;

export interface RefreshReport {
  /** Committed batches whose links are now up to date. */
  changes: number;
  /** Totals written (a link counts once a round). */
  links: number;
  /** False when another refresher is at it, or the bound of one call was reached. */
  complete: boolean;
}

/**
 * The ordered all-time totals for lists, and the list of hours the folder has to look at. Each commit
 * leaves one row in `link_changes`; here those rows are used up, and the totals of their links become
 * the sum of their slots anew (never an increment: doing it twice changes nothing).
 */
export class LinkTotals {
  constructor(
    private readonly database: Database,
    private readonly source: TotalsSource = 'slots',
  ) {}

  async refresh(): Promise<RefreshReport> {
    const report: RefreshReport = { changes: 0, links: 0, complete: false };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const done = await this.database.transaction((tx) => this.#refreshSome(tx));
      if (done === 'busy') return report;
      report.changes += done.changes;
      report.links += done.links;
      if (done.changes < CHANGES_PER_ROUND) return { ...report, complete: true };
    }
    return report;
  }

  /**
   * The lock, not the rows, keeps two refreshers apart: the slower of two could read the slots first
   * and write its older sum last.
   */
  async #refreshSome(tx: Transaction): Promise<{ changes: number; links: number } | 'busy'> {
    const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK);
    if (lock?.locked !== true) return 'busy';
    const [taken] = await tx.query<{ changes: number; link_ids: string[] }>(TAKE_CHANGES, [CHANGES_PER_ROUND]);
    const linkIds = taken?.link_ids ?? [];
    if (taken === undefined || linkIds.length === 0) return { changes: taken?.changes ?? 0, links: 0 };
    if (this.source === 'slots') await tx.query(SET_FROM_SLOTS, [linkIds]);
    else await tx.query(SET_FROM_TRAFFIC, [linkIds, BOT_CLASSES]);
    return { changes: taken.changes, links: linkIds.length };
  }
}
