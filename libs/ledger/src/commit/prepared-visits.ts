import { VISIT_CLASSES, visitClassNumber } from '@hopcount/contracts';
import { arrayLiteral } from '@hopcount/postgres';

import { toIso } from '../buckets.js';
import { type HostChanges, hostChangesOf } from '../hosts/record-host-changes.js';
import type { EnrichedVisit } from './enriched-visit.js';
import { foldHours, type HourDelta } from './fold-hours.js';
import { inLedgerOrder } from './ledger-order.js';
import { bySource, type Counted, type SourceRow, Sum, sumBatch } from './sum-batch.js';
import { visitColumns } from './visit-columns.js';

/**
 * What a commit needs of the visits of a batch if all of them are new: parameters of its statements and sums, made before
 * it begins. Plain data: a thread that does not commit can make it and hand it over.
 */
export interface PreparedVisits {
  /** Of the visits that were given; an event that stands in them twice was taken once. */
  readonly given: number;
  /** In the order of the ledger's key. */
  readonly eventIds: readonly string[];
  /** Parameters of insert-visits.sql. */
  readonly columns: readonly unknown[];
  readonly sums: PreparedSums;
  readonly hostChanges: readonly HostChanges[];
  /** How many of each class, by its number. */
  readonly byClass: readonly number[];
  /** Time of the oldest; Infinity when there is none. */
  readonly oldestMs: number;
}

export interface PreparedSums {
  /** Each link once, in key order. */
  readonly linkIds: readonly string[];
  /** Rows of link_traffic in key order, as parallel lists; `links` are places in `linkIds`. */
  readonly rows: {
    readonly links: Uint32Array;
    readonly bucketsMs: Float64Array;
    readonly classes: Uint8Array;
    readonly visits: Uint32Array;
    readonly his: Int32Array;
    readonly los: Int32Array;
  };
  /** The same as parameters of add-link-traffic.sql, but for the slots. */
  readonly traffic: Readonly<Record<'linkIds' | 'buckets' | 'classes' | 'visits' | 'checksums', unknown>>;
  /** Parameters of add-slots.sql, and the links of its rows as places in `linkIds`. */
  readonly slots: {
    readonly links: Uint32Array;
    readonly linkIds: unknown;
    readonly bots: unknown;
    readonly visits: unknown;
  };
  readonly sources: readonly PreparedSource[];
}

export interface PreparedSource extends Counted {
  source: string;
  minuteMs: number;
}

/** Some visits of a batch: those with these ids, or of these links. */
export type WhichVisits = { eventIds: ReadonlySet<string> } | { linkIds: ReadonlySet<string> };

/** The visits of a batch, wherever they are. */
export interface VisitSource {
  readonly prepared: PreparedVisits;
  /** What a commit asks for where not all is as usual, in the order of the ledger's key. */
  pick(which: WhichVisits): Promise<readonly EnrichedVisit[]>;
  /** As foldHours() of all visits, for links that are hot. */
  foldHours(foldedFrom: ReadonlyMap<string, number>): Promise<readonly HourDelta[]>;
}

/** @param importedFrom where all of them come from, if not from our own gateways */
export function visitsInHand(given: readonly EnrichedVisit[], importedFrom?: string): VisitSource {
  const visits = inLedgerOrder(given);
  return {
    prepared: prepare(given.length, visits, importedFrom),
    pick: (which) => Promise.resolve(pickVisits(visits, which)),
    foldHours: (foldedFrom) => Promise.resolve(foldHours(visits, (linkId) => foldedFrom.get(linkId))),
  };
}

export function pickVisits(visits: readonly EnrichedVisit[], which: WhichVisits): readonly EnrichedVisit[] {
  return 'eventIds' in which
    ? visits.filter(({ eventId }) => which.eventIds.has(eventId))
    : visits.filter(({ linkId }) => which.linkIds.has(linkId));
}

function prepare(given: number, visits: readonly EnrichedVisit[], importedFrom?: string): PreparedVisits {
  const byClass = VISIT_CLASSES.map(() => 0);
  let oldestMs = Infinity;
  for (const visit of visits) {
    const classNumber = visitClassNumber(visit.class);
    byClass[classNumber] = (byClass[classNumber] ?? 0) + 1;
    if (visit.occurredAtMs < oldestMs) oldestMs = visit.occurredAtMs;
  }
  return {
    given,
    eventIds: visits.map(({ eventId }) => eventId),
    columns: visitColumns(visits, importedFrom),
    sums: prepareSums(visits),
    hostChanges: hostChangesOf(visits),
    byClass,
    oldestMs,
  };
}

function prepareSums(visits: readonly EnrichedVisit[]): PreparedSums {
  const { rows, slots, sources } = sumBatch(visits);
  const places = new Map<string, number>();
  for (const { linkId } of rows) if (!places.has(linkId)) places.set(linkId, places.size);
  const linksOf = (of: readonly { linkId: string }[]) => Uint32Array.from(of, ({ linkId }) => places.get(linkId) ?? 0);
  return {
    linkIds: [...places.keys()],
    rows: {
      links: linksOf(rows),
      bucketsMs: Float64Array.from(rows, ({ bucketMs }) => bucketMs),
      classes: Uint8Array.from(rows, (row) => row.class),
      visits: Uint32Array.from(rows, ({ sum }) => sum.visits),
      his: Int32Array.from(rows, ({ sum }) => sum.hi),
      los: Int32Array.from(rows, ({ sum }) => sum.lo),
    },
    traffic: {
      linkIds: arrayLiteral(rows.map(({ linkId }) => linkId)),
      buckets: arrayLiteral(rows.map(({ bucketMs }) => toIso(bucketMs))),
      classes: arrayLiteral(rows.map((row) => row.class)),
      visits: arrayLiteral(rows.map(({ sum }) => sum.visits)),
      checksums: arrayLiteral(rows.map(({ sum }) => sum.checksum)),
    },
    slots: {
      links: linksOf(slots),
      linkIds: arrayLiteral(slots.map(({ linkId }) => linkId)),
      bots: arrayLiteral(slots.map(({ isBot }) => isBot)),
      visits: arrayLiteral(slots.map((slot) => slot.visits)),
    },
    sources: sources.map(prepareSource),
  };
}

function prepareSource({ source, minuteMs, sum: { visits, hi, lo } }: SourceRow): PreparedSource {
  return { source, minuteMs, visits, hi, lo };
}

/** Parameters of add-source-traffic.sql, but for the slot: of some visits and some others. */
export function sourceParameters(...parts: readonly (readonly PreparedSource[])[]): unknown[] {
  const sums = new Map<string, { source: string; minuteMs: number; sum: Sum }>();
  for (const part of parts.flat()) {
    const key = `${part.minuteMs} ${part.source}`;
    const row = sums.get(key) ?? { source: part.source, minuteMs: part.minuteMs, sum: new Sum() };
    row.sum.merge(part);
    sums.set(key, row);
  }
  const rows = [...sums.values()].sort(bySource);
  return [
    rows.map(({ source }) => source),
    rows.map(({ minuteMs }) => toIso(minuteMs)),
    rows.map(({ sum }) => sum.visits),
    rows.map(({ sum }) => sum.checksum),
  ];
}
