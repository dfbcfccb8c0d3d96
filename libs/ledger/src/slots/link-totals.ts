import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { setTotals, TOTALS_LOCK, type TotalsSource } from './visit-totals.js';

const TRY_LOCK = 'SELECT pg_try_advisory_xact_lock(hashtext($1)) AS locked';
const TAKE_CHANGES = loadSql(import.meta.url, 'sql/take-changes.sql');

/** Batches consumed in one transaction, and transactions in one call. */
const CHANGES_PER_ROUND = 100;
const MAX_ROUNDS = 50;

export interface RefreshReport {
  /** Committed batches whose links are now up to date. */
  changes: number;
  /** Links whose totals were looked at (each once a round). */
  links: number;
  /** False when another refresher is at it, or the bound of one call was reached. */
  complete: boolean;
}

/**
 * The ordered all-time totals for lists. Each commit
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

  async #refreshSome(tx: Transaction): Promise<{ changes: number; links: number } | 'busy'> {
    const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK, [TOTALS_LOCK]);
    if (lock?.locked !== true) return 'busy';
    const [taken] = await tx.query<{ changes: number; link_ids: string[] }>(TAKE_CHANGES, [CHANGES_PER_ROUND]);
    const linkIds = taken?.link_ids ?? [];
    if (taken === undefined || linkIds.length === 0) return { changes: taken?.changes ?? 0, links: 0 };
    await setTotals(tx, linkIds, this.source);
    return { changes: taken.changes, links: linkIds.length };
  }
}
