import { arrayLiteral, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { advanceCheckpoint, type CheckpointAdvance } from './advance-checkpoint.js';
import type { OwnedCheckpoint } from './checkpoint.js';
import { ENRICHMENT_VERSION, type EnrichedVisit } from './enriched-visit.js';
import { settleUses } from '../limits/settle-uses.js';
import { findUnstorable } from './find-unstorable.js';
import { type BatchSums, sumBatch } from './sum-batch.js';
import { CORRECTIONS_SLOT, scopeSlot, sumScopes } from './sum-scopes.js';
import { recordHostChanges } from '../hosts/record-host-changes.js';
import { foldHours } from './fold-hours.js';
import { inLedgerOrder } from './ledger-order.js';
import { visitColumns } from './visit-columns.js';

const INSERT_VISITS = loadSql(import.meta.url, 'sql/insert-visits.sql');
const KEEP_OUT_PURGED = loadSql(import.meta.url, 'sql/keep-out-purged.sql');
const ADD_LINK_TRAFFIC = loadSql(import.meta.url, 'sql/add-link-traffic.sql');
const ADD_SLOTS = loadSql(import.meta.url, 'sql/add-slots.sql');
const ADD_SCOPE_TRAFFIC = loadSql(import.meta.url, 'sql/add-scope-traffic.sql');
const READ_LINKS = loadSql(import.meta.url, 'sql/read-links.sql');
const INSERT_FOLD_DELTAS = loadSql(import.meta.url, 'sql/insert-fold-deltas.sql');
const ADD_SOURCE_TRAFFIC = loadSql(import.meta.url, 'sql/add-source-traffic.sql');
const COUNT_PURGED = loadSql(import.meta.url, 'sql/count-purged.sql');
const RECORD_CHANGES = loadSql(import.meta.url, 'sql/record-changes.sql');

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

/** What insert-visits.sql answers. */
interface InsertedRow {
  count: number;
  /** null: of all of them. */
  ids: string[] | null;
  /** By link, of those that have one; null: none has. */
  groups: Record<string, string> | null;
}

interface LinkRow {
  link_id: string;
  domain_id: number | null;
  slots: number | null;
  folded_from: Date | null;
  is_limited: boolean;
}

/**
 * The most slots a counter may have, 1 to 100. `off`: every counter is one row, and totals are counted from
 * `link_traffic`.
 */
export type SlotSetting = number | 'off';

interface CommitSettings {
  slots: SlotSetting;
  /** 1: commits keep the aggregates of the hours of all links, else of those whose heat asks for it. */
  aggregateFrom?: number;
}

/**
 * The one place that writes visits. Everything a batch changes happens in one transaction in which
 * the ledger's primary key decides what counts; a crash at any point leaves either all of it or none.
 * The checkpoint comes first also because a purge, once it is marked, waits for whoever holds one (earlierWritersEnded()):
 * the insert, which looks at links.purged_before, has a later snapshot.
 */
export class VisitCommitter {
  readonly #maxSlots: number;

  constructor(
    private readonly database: Database,
    private readonly settings: CommitSettings,
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
      const { fresh, refused, groupOf } = await insertVisits(tx, visits);
      failpoint('consumer.mid-transaction');
      const { purged, firstMet } = await keepOutPurged(tx, refused);
      const added = { fresh, firstMet, groupOf };
      if (fresh.length + firstMet.length > 0) await this.#addSums(tx, added, batch.checkpoint.partition);
      failpoint('consumer.before-commit');
      const inserted = fresh.map(({ eventId }) => eventId);
      return { checkpoint, inserted, duplicates: batch.visits.length - inserted.length - purged, purged };
    });
  }

  /**
   * Counts visits of another installation in a transaction of the caller, who has locked its row of `imports` in it before, as
   * above. The same key decides, and the same sums are added; but no source made them durable, they use no
   * limit, and nobody who follows visits is told.
   * @returns event ids that are new, and how many a purge of their link keeps out; the others were here already
   */
  async addImported(
    tx: Transaction,
    given: readonly EnrichedVisit[],
    importedFrom: string,
  ): Promise<{ inserted: string[]; purged: number }> {
    const visits = inLedgerOrder(given);
    if (visits.length === 0) return { inserted: [], purged: 0 };
    const { fresh, refused, groupOf } = await insertVisits(tx, visits, importedFrom);
    if (fresh.length > 0) {
      const sums = sumBatch(fresh);
      const place = { partition: 0, scopeSlot: CORRECTIONS_SLOT };
      const limited = await this.#addCounts(tx, { fresh, groupOf }, sums, place);
      await recordChanges(tx, [], sums.linkIds);
      const apart = fresh.filter(({ linkId }) => limited.has(linkId));
      if (apart.length > 0) await settleUses(tx, { apart });
      await recordHostChanges(tx, fresh);
    }
    return { inserted: fresh.map(({ eventId }) => eventId), purged: await countPurged(tx, refused) };
  }

  /** The visits PostgreSQL refuses to hold; the others can then be committed together. */
  async findUnstorable(visits: readonly EnrichedVisit[]): Promise<EnrichedVisit[]> {
    return findUnstorable(this.database, visits, (tx, some) =>
      tx.query(INSERT_VISITS, visitColumns(inLedgerOrder(some))),
    );
  }

  async #addSums(tx: Transaction, added: NewVisits, partition: number): Promise<void> {
    const { fresh, firstMet } = added;
    const sums = sumBatch(fresh);
    const place = { partition, scopeSlot: scopeSlot(partition) };
    const limited = fresh.length > 0 ? await this.#addCounts(tx, added, sums, place) : NONE;
    // A source made durable what a purge keeps out, too: seen once, it is no loss.
    const { sources } = firstMet.length === 0 ? sums : sumBatch([...fresh, ...firstMet]);
    const slot = partition % this.#maxSlots;
    await tx.query(ADD_SOURCE_TRAFFIC, [sources.sources, sources.minutes, sources.visits, sources.checksums, slot]);
    if (fresh.length > 0) await recordChanges(tx, fresh, sums.linkIds);
    const counted = limited.size === 0 ? [] : fresh.filter(({ linkId }) => limited.has(linkId));
    if (counted.length + firstMet.length > 0) await settleUses(tx, { counted, keptOut: firstMet });
    if (fresh.length > 0) await recordHostChanges(tx, fresh);
  }

  /**
   * Every row a commit adds to has the slot of its partition in its key. Two consumers own different
   * partitions, so they meet in a row only where a link has fewer slots than there are partitions. A
   * link's heat is read, not locked: with a number that just changed, visits stand in another row of the
   * same sum.
   * @returns the links that have, or had, a limit
   */
  async #addCounts(
    tx: Transaction,
    { fresh, groupOf }: Pick<NewVisits, 'fresh' | 'groupOf'>,
    { rows, linkIds, traffic, slots }: BatchSums,
    place: { partition: number; scopeSlot: number },
  ): Promise<ReadonlySet<string>> {
    const links = new Map<string, LinkRow>();
    for (const link of await tx.query<LinkRow>(READ_LINKS, [linkIds])) links.set(link.link_id, link);
    const slotOf = (linkId: string) => place.partition % Math.min(links.get(linkId)?.slots ?? 1, this.#maxSlots);
    await tx.query(ADD_LINK_TRAFFIC, [
      traffic.linkIds,
      traffic.buckets,
      traffic.classes,
      traffic.linkIds.map(slotOf),
      traffic.visits,
      traffic.checksums,
    ]);
    const scopes = sumScopes(rows, (linkId) => ({
      domainId: String(links.get(linkId)?.domain_id ?? ''),
      groupId: groupOf.get(linkId) ?? '',
    }));
    await tx.query(ADD_SCOPE_TRAFFIC, [
      scopes.scopes,
      scopes.scopeIds,
      scopes.buckets,
      scopes.classes,
      scopes.visits,
      scopes.checksums,
      place.scopeSlot,
    ]);
    if (this.settings.slots !== 'off')
      await tx.query(ADD_SLOTS, [slots.linkIds, slots.bots, slots.linkIds.map(slotOf), slots.visits]);
    const foldedFrom = (linkId: string) => links.get(linkId)?.folded_from?.getTime();
    const deltas = foldHours(fresh, this.settings.aggregateFrom === 1 ? () => -Infinity : foldedFrom);
    if (deltas.length > 0) await tx.query(INSERT_FOLD_DELTAS, [JSON.stringify(deltas), ENRICHMENT_VERSION]);
    return new Set(linkIds.filter((linkId) => links.get(linkId)?.is_limited === true));
  }
}

const NONE: ReadonlySet<string> = new Set();

/** For those who keep totals, and for those who follow visits as they come. */
async function recordChanges(tx: Transaction, fresh: readonly EnrichedVisit[], linkIds: readonly string[]) {
  const [events, links] = [fresh.map(({ eventId }) => eventId), fresh.map(({ linkId }) => linkId)];
  await tx.query(RECORD_CHANGES, [linkIds, arrayLiteral(events), arrayLiteral(links)]);
}

/** Visits of a batch that are new: to the ledger, or (kept out of it by a purge) to their source alone. */
interface NewVisits {
  fresh: readonly EnrichedVisit[];
  firstMet: readonly EnrichedVisit[];
  /** Of the links that have one: what the insert gave all visits of a link. */
  groupOf: ReadonlyMap<string, string>;
}

/** @param visits each event once */
async function insertVisits(tx: Transaction, visits: readonly EnrichedVisit[], importedFrom?: string) {
  const [row] = await tx.query<InsertedRow>(INSERT_VISITS, visitColumns(visits, importedFrom));
  if (row === undefined) throw new Error('insert-visits.sql returned no row');
  const groupOf: ReadonlyMap<string, string> = new Map(Object.entries(row.groups ?? {}));
  if (row.ids === null && row.count === visits.length) return { fresh: visits, refused: [], groupOf };
  const ids = new Set(row.ids);
  return {
    fresh: visits.filter((visit) => ids.has(visit.eventId)),
    refused: visits.filter((visit) => !ids.has(visit.eventId)),
    groupOf,
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

async function countPurged(tx: Transaction, refused: readonly EnrichedVisit[]): Promise<number> {
  if (refused.length === 0) return 0;
  const [row] = await tx.query<{ purged: number }>(COUNT_PURGED, [
    refused.map((visit) => new Date(visit.occurredAtMs).toISOString()),
    refused.map((visit) => visit.eventId),
    refused.map((visit) => visit.linkId),
  ]);
  return row?.purged ?? 0;
}
