import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { hourOf, toIso } from '../buckets.js';
import { decideHeat, foldLimits, HEAT_TIERS, type HeatTier, heatWindowStart } from './heat-tiers.js';

const TRY_LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('link-heat')) AS locked";
const MEASURE = loadSql(import.meta.url, 'sql/measure.sql');
const UPSERT_HEAT = loadSql(import.meta.url, 'sql/upsert-heat.sql');
const FORGET_COLD = 'DELETE FROM link_heat WHERE slots = 1 AND pinned_slots IS NULL AND folded_from IS NULL';

/** New ones of one round, the hottest first; twice as many as are ever folded. */
const MEASURED_AT_MOST = 20_000;

export interface HeatReport {
  /** Links with more than one slot, and links whose hours the commits fold. */
  hot: number;
  folded: number;
  /** Links whose slots or folding changed. */
  changed: number;
  /** Another process was measuring; nothing was done. */
  busy: boolean;
}

interface MeasuredRow {
  link_id: string;
  heat: number;
  slots: number | null;
  pinned_slots: number | null;
  folded_from: Date | null;
}

/**
 * Measures how much each link is visited and keeps what follows from it in `link_heat`: how many slots
 * its counter has and whether its open hour is folded by the commits. Commits read that row without a
 * lock: whichever slot a visit is added to, it is in the sum, and a fold that missed one is invalid by
 * its checksum. So heat changes how fast things are, never what they are, and no lock in Redis is
 * taken for it: a write lock on the hottest links would only make their commits wait.
 */
export class LinkHeat {
  constructor(
    private readonly database: Database,
    private readonly settings: { aggregateFrom: number; tiers?: readonly HeatTier[]; foldedAtMost?: number },
  ) {}

  /** One round: measure and decide. */
  async measure(now: number): Promise<HeatReport> {
    const report: HeatReport = { hot: 0, folded: 0, changed: 0, busy: false };
    await this.database.transaction((tx) => this.#decide(tx, now, report));
    return report;
  }

  async #decide(tx: Transaction, now: number, report: HeatReport): Promise<void> {
    const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK);
    report.busy = lock?.locked !== true;
    if (report.busy) return;
    const { aggregateFrom, tiers = HEAT_TIERS, foldedAtMost } = this.settings;
    const limits = foldLimits(aggregateFrom);
    const fold = { ...limits, links: foldedAtMost ?? limits.links };
    const leastHeat = Math.min(fold.heat, ...tiers.map((tier) => tier.heat));
    const rows = await tx.query<MeasuredRow>(MEASURE, [toIso(heatWindowStart(now)), leastHeat, MEASURED_AT_MOST]);
    const measured = rows.map((row) => ({
      linkId: row.link_id,
      heat: row.heat,
      slots: row.slots,
      pinnedSlots: row.pinned_slots,
      foldedFrom: row.folded_from?.getTime() ?? null,
    }));
    const decided = decideHeat(measured, { openHour: hourOf(now), fold, tiers });
    report.hot = decided.filter((link) => link.slots > 1).length;
    report.folded = decided.filter((link) => link.foldedFrom !== null).length;
    report.changed = decided.filter((link) => link.changed).length;
    const hasRow = new Set(rows.filter((row) => row.slots !== null).map((row) => row.link_id));
    const kept = decided.filter(
      ({ linkId, slots, foldedFrom }) => slots > 1 || foldedFrom !== null || hasRow.has(linkId),
    );
    if (kept.length === 0) return;
    await tx.query(UPSERT_HEAT, [
      kept.map((link) => link.linkId),
      kept.map((link) => Math.round(link.heat)),
      kept.map((link) => link.slots),
      kept.map((link) => (link.foldedFrom === null ? null : toIso(link.foldedFrom))),
    ]);
    await tx.query(FORGET_COLD);
  }
}
