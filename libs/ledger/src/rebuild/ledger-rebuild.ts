import { VISIT_CLASSES } from '@hopcount/contracts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import type { OnStep } from '@hopcount/runtime';

import { CORRECTIONS_SLOT } from '../commit/sum-scopes.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';
import { setTotals, TOTALS_LOCK, type TotalsSource } from '../slots/visit-totals.js';
import { HostFold, LOCK_FOLD } from '../hosts/host-fold.js';
import { DAY_MS } from '../buckets.js';
import { findWrongFolds } from '../verify/check-folds.js';
import { MAX_DIFFERENCES } from '../verify/checks.js';
import { rebuildTransaction } from './rebuild-transaction.js';

const sql = (name: string) => loadSql(import.meta.url, `sql/${name}.sql`);
const NEXT_KEPT_LINKS = sql('next-kept-links');
const REBUILD_TRAFFIC = sql('rebuild-traffic');
const ADD_MISSING_TO_SLOTS = sql('add-missing-to-slots');
const DROP_FOLDS = sql('drop-folds');
const SCOPE_BOUNDS = sql('scope-bounds');
const REBUILD_SCOPES = sql('rebuild-scopes');
const CHECK_DAYS = loadSql(import.meta.url, '../verify/sql/check-days.sql');
const SOURCE_BOUNDS = sql('source-bounds');
const REBUILD_SOURCES = sql('rebuild-sources');
const HOST_BOUNDS = sql('host-bounds');
const REBUILD_HOSTS = sql('rebuild-hosts');
const REBUILD_HOST_TOTALS = sql('rebuild-host-totals');
const REBUILD_HOST_SUMS = sql('rebuild-host-sums');
const REBUILD_TAGS = sql('rebuild-tags');

/** What says that a day's aggregates hold; without it the day is due again. */
const DROP_DAYS = `DELETE FROM day_aggregates
  WHERE scope = 'all' AND class = 'all' AND day_start = ANY ($1::timestamptz[]) RETURNING day_start`;

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
  /** Rows of scope_traffic, and minutes of sources; only all of them can be rebuilt. */
  scopes: number;
  sourceMinutes: number;
  /** Sums of hosts; only all of them. */
  hosts: number;
  /** Days whose aggregates the worker makes again from files. */
  days: number;
  /** Sums of tags; only all of them. */
  tags: number;
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
    private readonly hosts: Pick<HostFold, 'fold'> = new HostFold(database),
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

  /** Buckets of all links, domains and groups; after the links, whose buckets they add up. */
  async rebuildScopes(onStep?: OnStep): Promise<number> {
    return this.#rebuildDays(SCOPE_BOUNDS, onStep, async (tx, span) => {
      return (await tx.query(REBUILD_SCOPES, [...span, CORRECTIONS_SLOT])).length;
    });
  }

  /** Minutes of every gateway; only the whole ledger can tell them. */
  async rebuildSources(onStep?: OnStep): Promise<number> {
    return this.#rebuildDays(SOURCE_BOUNDS, onStep, async (tx, span) => {
      const rows = await tx.query(REBUILD_SOURCES, span);
      if (rows.length > 0) await tx.query(DROP_EMPTY_SOURCES, span);
      return rows.length;
    });
  }

  /** Hosts of all links, after these. */
  async rebuildHosts(onStep?: OnStep): Promise<number> {
    // What waits would be read again for each day.
    await this.hosts.fold();
    const totals = await rebuildTransaction(this.database, async (tx) => {
      await tx.query(LOCK_FOLD);
      const rows = await tx.query(REBUILD_HOST_TOTALS);
      return rows.length + (await tx.query(REBUILD_HOST_SUMS)).length;
    });
    const rebuildDay = async (tx: Transaction, span: [string, string]) => (await tx.query(REBUILD_HOSTS, span)).length;
    return totals + (await this.#rebuildDays(HOST_BOUNDS, onStep, rebuildDay));
  }

  /** Tags, after the links, whose totals they add up. */
  async rebuildTags(): Promise<number> {
    return (await this.database.query(REBUILD_TAGS)).length;
  }

  /** Has days made again whose aggregates hold, but are not what the buckets say; after these. */
  async dropWrongDays(): Promise<number> {
    let days = 0;
    for (;;) {
      const wrong = await this.database.query<{ day_start: Date }>(CHECK_DAYS, [VISIT_CLASSES, MAX_DIFFERENCES]);
      if (wrong.length === 0) return days;
      const starts = [...new Set(wrong.map((row) => row.day_start.toISOString()))];
      days += (await this.database.query(DROP_DAYS, [starts])).length;
    }
  }

  /** A day in each transaction. @returns how many rows were wrong */
  async #rebuildDays(
    findBounds: string,
    onStep: OnStep = () => undefined,
    rebuildDay: (tx: Transaction, span: [from: string, to: string]) => Promise<number>,
  ): Promise<number> {
    const [bounds] = await this.database.query<{ first: Date | null; last: Date | null }>(findBounds);
    if (bounds === undefined || bounds.first === null || bounds.last === null) return 0;
    const begin = bounds.first.getTime();
    const days = Math.floor((bounds.last.getTime() - begin) / DAY_MS) + 1;
    let rows = 0;
    for (let day = 0; day < days; day += 1) {
      const from = begin + day * DAY_MS;
      const span: [string, string] = [new Date(from).toISOString(), new Date(from + DAY_MS).toISOString()];
      onStep(span[0].slice(0, 10), day, days);
      rows += await rebuildTransaction(this.database, (tx) => rebuildDay(tx, span));
    }
    return rows;
  }

  async #rebuildSums(tx: Transaction, linkIds: readonly string[]): Promise<RebuildCounts> {
    // The order of a commit's locks: buckets, slots, changes.
    const buckets = await tx.query(REBUILD_TRAFFIC, [linkIds]);
    if (buckets.length > 0) await tx.query(DROP_EMPTY_TRAFFIC, [linkIds]);
    const [slots] =
      this.totalsFrom === 'traffic'
        ? []
        : await tx.query<{ counters: number }>(ADD_MISSING_TO_SLOTS, [linkIds, BOT_CLASSES]);
    await tx.query(LOCK_TOTALS, [TOTALS_LOCK]);
    const totals = await setTotals(tx, linkIds, this.totalsFrom);
    return {
      links: linkIds.length,
      buckets: buckets.length,
      slots: slots?.counters ?? 0,
      totals,
      folds: 0,
      scopes: 0,
      sourceMinutes: 0,
      hosts: 0,
      days: 0,
      tags: 0,
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
