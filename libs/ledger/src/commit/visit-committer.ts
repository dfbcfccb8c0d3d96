import { arrayLiteral, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { failpoint } from '@hopcount/runtime';

import { advanceCheckpoint, type CheckpointAdvance } from './advance-checkpoint.js';
import type { OwnedCheckpoint } from './checkpoint.js';
import { ENRICHMENT_VERSION, type EnrichedVisit } from './enriched-visit.js';
import { settleUses } from '../limits/settle-uses.js';
import { findUnstorable } from './find-unstorable.js';
import { sourceParameters, type VisitSource, visitsInHand } from './prepared-visits.js';
import { CORRECTIONS_SLOT, scopeSlot, sumScopes } from './sum-scopes.js';
import { recordHostChanges } from '../hosts/record-host-changes.js';

const STAGE_VISITS = loadSql(import.meta.url, 'sql/stage-visits.sql');
const INSERT_VISITS = loadSql(import.meta.url, 'sql/insert-visits.sql');
const KEEP_OUT_PURGED = loadSql(import.meta.url, 'sql/keep-out-purged.sql');
const ADD_LINK_TRAFFIC = loadSql(import.meta.url, 'sql/add-link-traffic.sql');
const ADD_SLOTS = loadSql(import.meta.url, 'sql/add-slots.sql');
const ADD_SCOPE_TRAFFIC = loadSql(import.meta.url, 'sql/add-scope-traffic.sql');
const READ_LINKS = loadSql(import.meta.url, 'sql/read-links.sql');
const INSERT_FOLD_DELTAS = loadSql(import.meta.url, 'sql/insert-fold-deltas.sql');
const ADD_SOURCE_TRAFFIC = loadSql(import.meta.url, 'sql/add-source-traffic.sql');
const FIND_PURGED = loadSql(import.meta.url, 'sql/find-purged.sql');
const RECORD_CHANGES = loadSql(import.meta.url, 'sql/record-changes.sql');

export interface VisitBatch extends CheckpointAdvance {
  visits: readonly EnrichedVisit[];
}

export interface PreparedBatch extends CheckpointAdvance {
  visits: VisitSource;
}

export interface CommitResult {
  /** What the next commit of this partition must carry. */
  checkpoint: OwnedCheckpoint;
  /** Event ids counted by this commit. */
  inserted: readonly string[];
  /** How many of them are of each class, by its number. */
  byClass: readonly number[];
  /** Time of the oldest of them; Infinity when there is none. */
  oldestMs: number;
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

/** What read-links.sql answers of a link that is hot, or has or had a limit. */
interface SpecialLink {
  linkId: string;
  slots: number | null;
  foldedFromMs: number | null;
  isLimited: boolean;
}

/** What read-links.sql answers of a batch's links. */
interface LinksRow {
  /** Of each, in their order. */
  domains: (number | null)[];
  special: SpecialLink[];
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
 * The checkpoint is locked before the ledger is written also because a marked purge waits for every transaction that
 * holds one (earlierWritersEnded()): the insert, which looks at links.purged_before, has a later snapshot.
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
    return this.commitPrepared({ ...batch, visits: visitsInHand(batch.visits) });
  }

  /** The same; rows and sums are there already, visits are asked for where some of them are not new. */
  async commitPrepared(batch: PreparedBatch): Promise<CommitResult> {
    const { given, eventIds } = batch.visits.prepared;
    return this.database.transaction(async (tx) => {
      // Before anything is locked: PostgreSQL has no bound on how long it waits for the bytes of a client that stands still.
      if (eventIds.length > 0) await stageVisits(tx, batch.visits);
      const checkpoint = await advanceCheckpoint(tx, batch);
      if (eventIds.length === 0) return { checkpoint, ...NOTHING, duplicates: given, purged: 0 };
      const { fresh, isWhole, groupOf } = await insertVisits(tx, batch.visits);
      failpoint('consumer.mid-transaction');
      const { purged, firstMet } = isWhole ? NONE_PURGED : await keepOutPurged(tx, batch.visits);
      const isAny = fresh !== undefined || firstMet.length > 0;
      if (isAny) await this.#addSums(tx, { fresh, isWhole, firstMet, groupOf }, batch.checkpoint.partition);
      failpoint('consumer.before-commit');
      const { eventIds: inserted, byClass, oldestMs } = fresh?.prepared ?? { ...NOTHING, eventIds: [] };
      return { checkpoint, inserted, byClass, oldestMs, duplicates: given - inserted.length - purged, purged };
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
  ): Promise<{ inserted: readonly string[]; purged: ReadonlySet<string> }> {
    const visits = visitsInHand(given);
    if (visits.prepared.eventIds.length === 0) return { inserted: [], purged: new Set() };
    await stageVisits(tx, visits);
    const { fresh, isWhole, groupOf } = await insertVisits(tx, visits, importedFrom);
    if (fresh !== undefined) {
      const place = { partition: 0, scopeSlot: CORRECTIONS_SLOT };
      const limited = await this.#addCounts(tx, { fresh, groupOf }, place);
      await tx.query(RECORD_CHANGES, [arrayLiteral([...fresh.prepared.sums.linkIds]), false, null]);
      if (limited.size > 0) await settleUses(tx, { apart: await fresh.pick({ linkIds: limited }) });
      await recordHostChanges(tx, fresh.prepared.hostChanges);
    }
    const inserted = fresh?.prepared.eventIds ?? [];
    const purged = isWhole ? [] : await tx.query<{ eventId: string }>(FIND_PURGED);
    return { inserted, purged: new Set(purged.map(({ eventId }) => eventId)) };
  }

  /** The visits PostgreSQL refuses to hold; the others can then be committed together. */
  async findUnstorable(visits: readonly EnrichedVisit[]): Promise<EnrichedVisit[]> {
    return findUnstorable(this.database, visits, async (tx, some) => {
      const source = visitsInHand(some);
      await stageVisits(tx, source);
      await insertVisits(tx, source);
    });
  }

  async #addSums(tx: Transaction, added: NewVisits, partition: number): Promise<void> {
    const { fresh, isWhole, firstMet, groupOf } = added;
    const place = { partition, scopeSlot: scopeSlot(partition) };
    const limited = fresh === undefined ? NONE : await this.#addCounts(tx, { fresh, groupOf }, place);
    // A source made durable what a purge keeps out, too: seen once, it is no loss.
    const met = firstMet.length === 0 ? [] : visitsInHand(firstMet).prepared.sums.sources;
    const sources = sourceParameters(fresh?.prepared.sums.sources ?? [], met);
    await tx.query(ADD_SOURCE_TRAFFIC, [...sources, partition % this.#maxSlots]);
    if (fresh !== undefined) {
      const { sums, eventIds } = fresh.prepared;
      await tx.query(RECORD_CHANGES, [
        arrayLiteral([...sums.linkIds]),
        true,
        isWhole ? null : arrayLiteral([...eventIds]),
      ]);
    }
    const counted = fresh === undefined || limited.size === 0 ? [] : await fresh.pick({ linkIds: limited });
    if (counted.length + firstMet.length > 0) await settleUses(tx, { counted, keptOut: firstMet });
    if (fresh !== undefined) await recordHostChanges(tx, fresh.prepared.hostChanges);
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
    { fresh, groupOf }: { fresh: VisitSource; groupOf: ReadonlyMap<string, string> },
    place: { partition: number; scopeSlot: number },
  ): Promise<ReadonlySet<string>> {
    const { sums } = fresh.prepared;
    const { linkIds, traffic } = sums;
    const [row] = await tx.query<LinksRow>(READ_LINKS, [arrayLiteral([...linkIds])]);
    const { domains, special } = row!;
    const slotsOfSpecial = new Map(special.map(({ linkId, slots }) => [linkId, slots]));
    const slots = linkIds.map((linkId) => place.partition % Math.min(slotsOfSpecial.get(linkId) ?? 1, this.#maxSlots));
    const slotsOf = (places: Uint32Array) => arrayLiteral(Array.from(places, (at) => slots[at] as number));
    await tx.query(ADD_LINK_TRAFFIC, [
      traffic.linkIds,
      traffic.buckets,
      traffic.classes,
      slotsOf(sums.rows.links),
      traffic.visits,
      traffic.checksums,
    ]);
    const scopes = sumScopes(sums, (linkId, index) => ({
      domainId: String(domains[index] ?? ''),
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
    const { slots: rows } = sums;
    if (this.settings.slots !== 'off')
      await tx.query(ADD_SLOTS, [rows.linkIds, rows.bots, slotsOf(rows.links), rows.visits]);
    await this.#addFolds(tx, fresh, special);
    return new Set(special.filter(({ isLimited }) => isLimited).map(({ linkId }) => linkId));
  }

  /** Aggregates of the hours of hot links. */
  async #addFolds(tx: Transaction, fresh: VisitSource, special: readonly SpecialLink[]): Promise<void> {
    const foldedFrom = new Map<string, number>();
    if (this.settings.aggregateFrom === 1) {
      for (const linkId of fresh.prepared.sums.linkIds) foldedFrom.set(linkId, -Infinity);
    } else {
      for (const { linkId, foldedFromMs } of special) if (foldedFromMs !== null) foldedFrom.set(linkId, foldedFromMs);
    }
    if (foldedFrom.size === 0) return;
    const deltas = await fresh.foldHours(foldedFrom);
    if (deltas.length > 0) await tx.query(INSERT_FOLD_DELTAS, [JSON.stringify(deltas), ENRICHMENT_VERSION]);
  }
}

const NONE: ReadonlySet<string> = new Set();
const NONE_PURGED = { purged: 0, firstMet: [] };
const NOTHING: Pick<CommitResult, 'inserted' | 'byClass' | 'oldestMs'> = {
  inserted: [],
  byClass: [],
  oldestMs: Infinity,
};

/** Visits of a batch that are new: to the ledger, or (kept out of it by a purge) to their source alone. */
interface NewVisits {
  /** Undefined: none. */
  fresh: VisitSource | undefined;
  /** All of the batch are new to the ledger. */
  isWhole: boolean;
  firstMet: readonly EnrichedVisit[];
  /** Of the links that have one: what the insert gave all visits of a link. */
  groupOf: ReadonlyMap<string, string>;
}

async function stageVisits(tx: Transaction, { prepared: { eventIds, rows } }: VisitSource): Promise<void> {
  const staged = await tx.copyRows(STAGE_VISITS, rows);
  if (staged !== eventIds.length) throw new Error(`${eventIds.length} visits to stage, but ${staged} were`);
  failpoint('consumer.after-staging');
}

/** Of those that are staged. */
async function insertVisits(tx: Transaction, visits: VisitSource, importedFrom?: string) {
  const { eventIds } = visits.prepared;
  const [row] = await tx.query<InsertedRow>(INSERT_VISITS, [eventIds.length, importedFrom ?? null]);
  if (row === undefined) throw new Error('insert-visits.sql returned no row');
  const groupOf: ReadonlyMap<string, string> = new Map(Object.entries(row.groups ?? {}));
  if (row.count === eventIds.length) return { fresh: visits, isWhole: true, groupOf };
  if (row.ids === null) return { fresh: undefined, isWhole: false, groupOf };
  const fresh = visitsInHand(await visits.pick({ eventIds: new Set(row.ids) }));
  return { fresh, isWhole: false, groupOf };
}

/** How many of the batch a purge keeps out, and those of them that were never met before. */
async function keepOutPurged(tx: Transaction, visits: VisitSource) {
  const [row] = await tx.query<{ purged: number; first_met: string[] }>(KEEP_OUT_PURGED);
  const met = row?.first_met ?? [];
  const firstMet = met.length === 0 ? [] : await visits.pick({ eventIds: new Set(met) });
  return { purged: row?.purged ?? 0, firstMet };
}
