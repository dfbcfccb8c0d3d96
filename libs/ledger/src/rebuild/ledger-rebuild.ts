import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { BOT_CLASSES } from '../slots/bot-classes.js';
import { setTotals, TOTALS_LOCK, type TotalsSource } from '../slots/visit-totals.js';
import { DAY_MS } from '../buckets.js';
import { findWrongFolds } from '../verify/check-folds.js';
import { rebuildTransaction } from './rebuild-transaction.js';

const sql = (name: string) => loadSql(import.meta.url, `sql/${name}.sql`);
const NEXT_KEPT_LINKS = sql('next-kept-links');
const REBUILD_TRAFFIC = sql('rebuild-traffic');
const ADD_MISSING_TO_SLOTS = sql('add-missing-to-slots');
const ASK_FOR_CHANGES = sql('ask-for-changes');
const DROP_FOLDS = sql('drop-folds');
const SOURCE_BOUNDS = sql('source-bounds');
const REBUILD_SOURCES = sql('rebuild-sources');

/** What nothing is left of; a commit that adds to a row meanwhile makes it stay. */
const DROP_EMPTY_TRAFFIC =
  'DELETE FROM link_traffic WHERE link_id = ANY ($1::bigint[]) AND visits = 0 AND checksum = 0';
const DROP_EMPTY_SOURCES =
  'DELETE FROM source_traffic WHERE minute >= $1::timestamptz AND minute < $2::timestamptz AND visits = 0 AND checksum = 0';
const LOCK_TOTALS = 'SELECT pg_advisory_xact_lock(hashtext($1))';
const READ_KEPT_FROM = `SELECT coalesce((SELECT kept_from FROM ledger_retention), '-infinity')::text AS kept_from`;

/** What was not as the ledger says, and is now. */
export interface RebuildCounts {
  links: number;
  buckets: number;
  slots: number;
  totals: number;
  /** Dropped: readers take files or the ledger. */
  folds: number;
  sourceMinutes: number;
}

/**
 * Makes every kept number what the ledger says while visits are being counted. Nothing is swapped, and
 * no commit waits: each statement computes ledger minus kept in its own snapshot and adds the difference.
 * A concurrent commit changes both in one transaction, so the difference stays right whenever it is
 * added. Links are rebuilt a chunk at a time, each chunk in one transaction; doing one twice adds nothing.
 */
export class LedgerRebuild {
  constructor(
    private readonly database: Database,
    private readonly totalsFrom: TotalsSource = 'slots',
  ) {}

  /** The next links of which anything is kept, in the order of their ids, after `after` and up to `last`. */
  async nextLinks(after: string, last: string | null, count: number): Promise<string[]> {
    const rows = await this.database.query<{ link_id: string }>(NEXT_KEPT_LINKS, [after, last, count]);
    return rows.map((row) => row.link_id);
  }

  async rebuildLinks(linkIds: readonly string[]): Promise<RebuildCounts> {
    const counts = await rebuildTransaction(this.database, (tx) => this.#rebuildSums(tx, linkIds));
    return { ...counts, folds: await this.#dropWrongFolds(linkIds) };
  }

  /** Minutes of every gateway; only the whole ledger can tell them. */
  async rebuildSources(onProgress: (day: Date) => void = () => undefined): Promise<number> {
    const [bounds] = await this.database.query<{ first: Date | null; last: Date | null }>(SOURCE_BOUNDS);
    if (bounds === undefined || bounds.first === null || bounds.last === null) return 0;
    let minutes = 0;
    for (let from = bounds.first.getTime(); from <= bounds.last.getTime(); from += DAY_MS) {
      onProgress(new Date(from));
      const span = [new Date(from).toISOString(), new Date(from + DAY_MS).toISOString()];
      minutes += await rebuildTransaction(this.database, async (tx) => {
        const rows = await tx.query(REBUILD_SOURCES, span);
        if (rows.length > 0) await tx.query(DROP_EMPTY_SOURCES, span);
        return rows.length;
      });
    }
    return minutes;
  }

  async #rebuildSums(tx: Transaction, linkIds: readonly string[]): Promise<RebuildCounts> {
    // The order of a commit's locks: buckets, slots, changes.
    const buckets = await tx.query<{ link_id: string; bucket: Date }>(REBUILD_TRAFFIC, [linkIds]);
    if (buckets.length > 0) await tx.query(DROP_EMPTY_TRAFFIC, [linkIds]);
    const [slots] =
      this.totalsFrom === 'traffic'
        ? []
        : await tx.query<{ counters: number }>(ADD_MISSING_TO_SLOTS, [linkIds, BOT_CLASSES]);
    await tx.query(ASK_FOR_CHANGES, [
      buckets.map((row) => row.link_id),
      buckets.map((row) => row.bucket.toISOString()),
    ]);
    await tx.query(LOCK_TOTALS, [TOTALS_LOCK]);
    const totals = await setTotals(tx, linkIds, this.totalsFrom);
    return {
      links: linkIds.length,
      buckets: buckets.length,
      slots: slots?.counters ?? 0,
      totals,
      folds: 0,
      sourceMinutes: 0,
    };
  }

  /** After the sums: a fold that only a wrong bucket made invalid is right again. */
  async #dropWrongFolds(linkIds: readonly string[]): Promise<number> {
    let dropped = 0;
    for (const linkId of linkIds) {
      const wrong = await this.database.transaction(
        async (tx) => {
          const [row] = await tx.query<{ kept_from: string }>(READ_KEPT_FROM);
          return findWrongFolds(tx, { linkId, keptFrom: row?.kept_from ?? '-infinity' });
        },
        { isolation: 'REPEATABLE READ', readOnly: true },
      );
      if (wrong.length === 0) continue;
      await this.database.query(DROP_FOLDS, [
        wrong.map((fold) => fold.link_id),
        wrong.map((fold) => fold.hour.toISOString()),
      ]);
      dropped += wrong.length;
    }
    return dropped;
  }
}

/** Each count of one added to that of the other. */
export function addRebuildCounts(sum: RebuildCounts, more: Partial<RebuildCounts>): RebuildCounts {
  const added = { ...sum };
  for (const name of Object.keys(sum) as (keyof RebuildCounts)[]) added[name] += more[name] ?? 0;
  return added;
}
