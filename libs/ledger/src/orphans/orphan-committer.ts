import { isPotentialBot, orphanVisitTypeNumber, visitClassNumber } from '@hopcount/contracts';
import { arrayLiteral, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { advanceCheckpoint, type CheckpointAdvance } from '../commit/advance-checkpoint.js';
import type { OwnedCheckpoint } from '../commit/checkpoint.js';
import { ENRICHMENT_VERSION } from '../commit/enriched-visit.js';
import { findUnstorable } from '../commit/find-unstorable.js';
import { inLedgerOrder } from '../commit/ledger-order.js';
import type { SlotSetting } from '../commit/visit-committer.js';
import type { EnrichedOrphan } from './enriched-orphan.js';

const INSERT_ORPHANS = loadSql(import.meta.url, 'sql/insert-orphans.sql');
const ADD_ORPHAN_SLOTS = loadSql(import.meta.url, 'sql/add-orphan-slots.sql');

export interface OrphanBatch extends CheckpointAdvance {
  visits: readonly EnrichedOrphan[];
}

export interface OrphanCommitResult {
  checkpoint: OwnedCheckpoint;
  /** Event ids counted by this commit; the batch's others were counted before, or deleted for good. */
  inserted: string[];
}

/**
 * The one place that adds orphan visits: as with visits, what the table's key let in is what the slots
 * grow by, in the transaction that moves the checkpoint.
 */
export class OrphanCommitter {
  constructor(
    private readonly database: Database,
    private readonly settings: { slots: SlotSetting },
  ) {}

  /** @throws AppError `checkpoint-fenced`: this consumer lost the partition, nothing was written. */
  async commit(batch: OrphanBatch): Promise<OrphanCommitResult> {
    const orphans = inLedgerOrder(batch.visits);
    return this.database.transaction(async (tx) => {
      const checkpoint = await advanceCheckpoint(tx, batch);
      if (orphans.length === 0) return { checkpoint, inserted: [] };
      const rows = await insert(tx, orphans);
      failpoint('consumer.orphans-mid-transaction');
      const inserted = rows.map((row) => row.event_id);
      await this.#addSlots(tx, orphans, new Set(inserted), batch.checkpoint.partition);
      return { checkpoint, inserted };
    });
  }

  /** The ones PostgreSQL refuses to hold; the others can then be committed together. */
  async findUnstorable(orphans: readonly EnrichedOrphan[]): Promise<EnrichedOrphan[]> {
    return findUnstorable(this.database, orphans, (tx, some) => insert(tx, inLedgerOrder(some)));
  }

  async #addSlots(
    tx: Transaction,
    orphans: readonly EnrichedOrphan[],
    inserted: ReadonlySet<string>,
    partition: number,
  ): Promise<void> {
    const { slots } = this.settings;
    if (slots === 'off' || inserted.size === 0) return;
    const counted = orphans.filter(({ eventId }) => inserted.has(eventId));
    const bots = counted.filter((orphan) => isPotentialBot(orphan.class)).length;
    // By partition: two consumers own different ones, so they never wait for each other's slot.
    await tx.query(ADD_ORPHAN_SLOTS, [counted.length - bots, bots, partition % slots]);
  }
}

function insert(tx: Transaction, orphans: readonly EnrichedOrphan[]): Promise<{ event_id: string }[]> {
  const column = (read: (orphan: EnrichedOrphan) => string | number | null) => arrayLiteral(orphans.map(read));
  return tx.query<{ event_id: string }>(INSERT_ORPHANS, [
    column((orphan) => new Date(orphan.occurredAtMs).toISOString()),
    column((orphan) => orphan.eventId),
    column((orphan) => orphanVisitTypeNumber(orphan.type)),
    column((orphan) => visitClassNumber(orphan.class)),
    ENRICHMENT_VERSION,
    column((orphan) => orphan.domain),
    column((orphan) => orphan.path),
    column((orphan) => orphan.ip),
    column((orphan) => orphan.clientIp),
    column((orphan) => orphan.latitude),
    column((orphan) => orphan.longitude),
    column((orphan) => orphan.country),
    column((orphan) => orphan.region),
    column((orphan) => orphan.city),
    column((orphan) => orphan.referrer),
    column((orphan) => orphan.userAgent),
    column((orphan) => orphan.truncated.join(',')),
    column((orphan) => orphan.source),
  ]);
}
