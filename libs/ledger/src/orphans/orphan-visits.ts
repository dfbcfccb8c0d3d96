import {
  ORPHAN_TYPES_WITH_LINK,
  orphanVisitTypeNumber,
  visitClassNumber,
  type VisitsSummary,
} from '@hopcount/contracts';
import { arrayLiteral, type Database, loadSql, type Queryable } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { toIso } from '../buckets.js';
import { type EnrichedOrphan, ENRICHMENT_VERSION } from '../commit/enriched-visit.js';
import { inLedgerOrder } from '../commit/ledger-order.js';
import { deleteBefore } from '../retention/delete-before.js';
import { BOT_CLASSES } from '../slots/bot-classes.js';

const INSERT_ORPHANS = loadSql(import.meta.url, 'sql/insert-orphans.sql');
const MARK_ORPHANS = `UPDATE orphan_horizon
  SET purged_before = greatest(purged_before, date_trunc('milliseconds', least($1::timestamptz, clock_timestamp())))
  RETURNING purged_before::text`;
const FIND_EXPIRY = loadSql(import.meta.url, 'sql/find-expiry.sql');

/** In the order of insert-orphans.sql. */
const PLAIN_COLUMNS = [
  ...(['domain', 'path', 'ip', 'clientIp', 'latitude', 'longitude'] as const),
  ...(['country', 'region', 'city', 'referrer', 'userAgent'] as const),
];
const TABLE = { name: 'orphan_visits', time: 'occurred_at' };

export interface OrphanRetention {
  /** Older ones go, whatever their number; epoch milliseconds. */
  beforeMs: number;
  /** Of the younger ones about so many stay, the newest. */
  maxRows: number;
  signal?: AbortSignal | undefined;
}

/** The table of orphan visits: each event once, none that was deleted for good, bounded by age and number. */
export class OrphanVisits {
  constructor(private readonly database: Database) {}

  /** @returns how many were not there yet. @throws the driver's error when PostgreSQL cannot hold one of them */
  async add(visits: readonly EnrichedOrphan[]): Promise<number> {
    if (visits.length === 0) return 0;
    const orphans = inLedgerOrder(visits);
    const column = (read: (orphan: EnrichedOrphan) => string | number | null) => arrayLiteral(orphans.map(read));
    const [row] = await this.database.query<{ added: number }>(INSERT_ORPHANS, [
      column((orphan) => new Date(orphan.occurredAtMs).toISOString()),
      column((orphan) => orphan.eventId),
      column((orphan) => orphanVisitTypeNumber(orphan.type)),
      column((orphan) => visitClassNumber(orphan.class)),
      ENRICHMENT_VERSION,
      ...PLAIN_COLUMNS.map((name) => column((orphan) => orphan[name])),
      column((orphan) => orphan.truncated.join(',')),
      column((orphan) => orphan.source),
    ]);
    return row?.added ?? 0;
  }

  /**
   * Deletes those that occurred before an instant (now by PostgreSQL's clock unless told) for good. The mark is
   * committed first; what a batch under way adds all the same goes with the next `expire`.
   * @returns how many this call deleted; none when no orphan visits are reached
   * @throws AppError `beyond-role`
   */
  async purge(reach: Reach, beforeMs?: number): Promise<number> {
    if (!reach.hasOrphans) return 0;
    reach.expectWhole('delete orphan visits, which are of no link');
    // A mark never goes back and never lies ahead; whole milliseconds, as event ids have them.
    const values = [beforeMs === undefined ? null : toIso(beforeMs)];
    const [mark] = await this.database.transaction((tx) => tx.query<{ purged_before: string }>(MARK_ORPHANS, values));
    if (mark === undefined) throw new Error('orphan_horizon has no row');
    return deleteBefore(this.database, TABLE, mark.purged_before);
  }

  /** @returns how many rows beyond the retention, or from before a purge, were deleted */
  async expire({ beforeMs, maxRows, signal }: OrphanRetention): Promise<number> {
    const [row] = await this.database.query<{ before: string }>(FIND_EXPIRY, [toIso(beforeMs), maxRows]);
    return deleteBefore(this.database, TABLE, row?.before ?? '-infinity', { signal });
  }
}

/** How many orphan visits there are for somebody, without those of links that are there (blocked, held back): counted in the table, which is bounded. */
export async function orphanTotals(reach: Reach, queryable: Queryable): Promise<VisitsSummary> {
  if (!reach.hasOrphans) return { total: 0, nonBots: 0, bots: 0 };
  const [row] = await queryable.query<{ people: number; bots: number }>(
    `SELECT count(*) FILTER (WHERE class <> ALL ($1::smallint[]))::float8 AS people,
            count(*) FILTER (WHERE class = ANY ($1::smallint[]))::float8 AS bots
     FROM orphan_visits WHERE type <> ALL ($2::smallint[]) AND ($3::text IS NULL OR domain = $3)`,
    [BOT_CLASSES, ORPHAN_TYPES_WITH_LINK.map(orphanVisitTypeNumber), reach.domain?.authority ?? null],
  );
  const { people = 0, bots = 0 } = row ?? {};
  return { total: people + bots, nonBots: people, bots };
}
