import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { advanceCheckpoint, type CheckpointAdvance } from './advance-checkpoint.js';
import type { OwnedCheckpoint } from './checkpoint.js';
import { ENRICHMENT_VERSION, type EnrichedVisit } from './enriched-visit.js';
import { findUnstorable } from './find-unstorable.js';
import { type BatchSums, sumBatch } from './sum-batch.js';
import { foldHours } from './fold-hours.js';
import { inLedgerOrder } from './ledger-order.js';
import { visitColumns } from './visit-columns.js';

const INSERT_VISITS = loadSql(import.meta.url, 'sql/insert-visits.sql');
const KEEP_OUT_PURGED = loadSql(import.meta.url, 'sql/keep-out-purged.sql');
const ADD_LINK_TRAFFIC = loadSql(import.meta.url, 'sql/add-link-traffic.sql');
const ADD_SLOTS = loadSql(import.meta.url, 'sql/add-slots.sql');
const READ_HEAT = 'SELECT link_id, slots, folded_from FROM link_heat WHERE link_id = ANY ($1::bigint[])';
const INSERT_FOLD_DELTAS = loadSql(import.meta.url, 'sql/insert-fold-deltas.sql');
const ADD_SOURCE_TRAFFIC = loadSql(import.meta.url, 'sql/add-source-traffic.sql');
const RECORD_LINK_CHANGES = 'INSERT INTO link_changes (link_ids, hours) VALUES ($1::bigint[], $2::timestamptz[])';

export interface VisitBatch extends CheckpointAdvance {
  visits: readonly EnrichedVisit[];
}

export interface CommitResult {
  /** What the next commit of this partition must carry. */
  checkpoint: OwnedCheckpoint;
  /** Event ids counted by this commit. */
  inserted: string[];
  /** Visits of the batch the ledger had already (or that stand in the batch twice). */
  duplicates: number;
  /** Visits a purge of their link keeps out. */
  purged: number;
}

interface HeatRow {
  link_id: string;
  slots: number;
  folded_from: Date | null;
}

/**
 * The most slots a counter may have, 1 to 100. `off`: every counter is one row, and totals are counted from
 * `link_traffic`.
 */
export type SlotSetting = number | 'off';

/**
 * The one place that writes visits. Everything a batch changes happens in one transaction in which
 * the ledger's primary key decides what counts; a crash at any point leaves either all of it or none.
 * The checkpoint comes first also because it gives the transaction its id before the insert looks at
 * links.purged_before: a purge waits for every id older than its mark (VisitPurger).
 */
export class VisitCommitter {
  readonly #maxSlots: number;

  constructor(
    private readonly database: Database,
    private readonly settings: { slots: SlotSetting },
  ) {
    this.#maxSlots = settings.slots === 'off' ? 1 : settings.slots;
  }

  /**
   * @throws AppError `checkpoint-fenced`: this consumer lost the partition, nothing was written.
   * PostgreSQL's own errors pass through (see classifyPostgresError); nothing was written either,
   * except when the connection broke on COMMIT itself: then doing it again is harmless.
   */
  async commit(batch: VisitBatch): Promise<CommitResult> {
    const visits = inLedgerOrder(batch.visits);
    return this.database.transaction(async (tx) => {
      const checkpoint = await advanceCheckpoint(tx, batch);
      if (visits.length === 0) return { checkpoint, inserted: [], duplicates: batch.visits.length, purged: 0 };
      const rows = await tx.query<{ event_id: string }>(INSERT_VISITS, visitColumns(visits));
      failpoint('consumer.mid-transaction');
      const inserted = rows.map((row) => row.event_id);
      const { fresh, refused } = splitInserted(visits, inserted);
      const { purged, firstMet } = await keepOutPurged(tx, refused);
      if (fresh.length + firstMet.length > 0) await this.#addSums(tx, { fresh, firstMet }, batch.checkpoint.partition);
      failpoint('consumer.before-commit');
      return { checkpoint, inserted, duplicates: batch.visits.length - inserted.length - purged, purged };
    });
  }

  /** The visits PostgreSQL refuses to hold; the others can then be committed together. */
  async findUnstorable(visits: readonly EnrichedVisit[]): Promise<EnrichedVisit[]> {
    return findUnstorable(this.database, visits, (tx, some) =>
      tx.query(INSERT_VISITS, visitColumns(inLedgerOrder(some))),
    );
  }

  async #addSums(tx: Transaction, { fresh, firstMet }: NewVisits, partition: number): Promise<void> {
    const sums = sumBatch(fresh);
    if (fresh.length > 0) await this.#addCounts(tx, fresh, sums, partition);
    // A source made durable what a purge keeps out, too: seen once, it is no loss.
    const { sources } = firstMet.length === 0 ? sums : sumBatch([...fresh, ...firstMet]);
    const slot = partition % this.#maxSlots;
    await tx.query(ADD_SOURCE_TRAFFIC, [sources.sources, sources.minutes, sources.visits, sources.checksums, slot]);
    if (fresh.length > 0) await tx.query(RECORD_LINK_CHANGES, [sums.changes.linkIds, sums.changes.hours]);
  }

  /**
   * Every row a commit adds to has the slot of its partition in its key. Two consumers own different
   * partitions, so they meet in a row only where a link has fewer slots than there are partitions. A
   * link's heat is read, not locked: with a number that just changed, visits stand in another row of the
   * same sum.
   */
  async #addCounts(
    tx: Transaction,
    fresh: readonly EnrichedVisit[],
    { traffic, slots }: BatchSums,
    partition: number,
  ): Promise<void> {
    const heat = await tx.query<HeatRow>(READ_HEAT, [slots.linkIds]);
    const slotsOf = new Map(heat.map((link) => [link.link_id, Math.min(link.slots, this.#maxSlots)]));
    const slotOf = (linkId: string) => partition % (slotsOf.get(linkId) ?? 1);
    await tx.query(ADD_LINK_TRAFFIC, [
      traffic.linkIds,
      traffic.buckets,
      traffic.classes,
      traffic.linkIds.map(slotOf),
      traffic.visits,
      traffic.checksums,
    ]);
    if (this.settings.slots !== 'off')
      await tx.query(ADD_SLOTS, [slots.linkIds, slots.bots, slots.linkIds.map(slotOf), slots.visits]);
    const hot = new Map(heat.flatMap((link) => (link.folded_from ? [[link.link_id, link.folded_from.getTime()]] : [])));
    const deltas = hot.size === 0 ? [] : foldHours(fresh, hot);
    if (deltas.length > 0) await tx.query(INSERT_FOLD_DELTAS, [JSON.stringify(deltas), ENRICHMENT_VERSION]);
  }
}

/** Visits of a batch that are new: to the ledger, or (kept out of it by a purge) to their source alone. */
interface NewVisits {
  fresh: readonly EnrichedVisit[];
  firstMet: readonly EnrichedVisit[];
}

function splitInserted(visits: readonly EnrichedVisit[], inserted: readonly string[]) {
  if (inserted.length === visits.length) return { fresh: visits, refused: [] };
  const ids = new Set(inserted);
  return {
    fresh: visits.filter((visit) => ids.has(visit.eventId)),
    refused: visits.filter((visit) => !ids.has(visit.eventId)),
  };
}

async function keepOutPurged(tx: Transaction, refused: readonly EnrichedVisit[]) {
  if (refused.length === 0) return { purged: 0, firstMet: [] };
  const [row] = await tx.query<{ purged: number; first_met: string[] }>(KEEP_OUT_PURGED, [
    refused.map((visit) => new Date(visit.occurredAtMs).toISOString()),
    refused.map((visit) => visit.eventId),
    refused.map((visit) => visit.linkId),
    refused.map((visit) => visit.source),
  ]);
  const ids = new Set(row?.first_met);
  return { purged: row?.purged ?? 0, firstMet: refused.filter((visit) => ids.has(visit.eventId)) };
}
