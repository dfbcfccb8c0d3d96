import { eventIdChecksum, VISIT_CLASSES, visitClassNumber } from '@hopcount/contracts';
import { arrayLiteral } from '@hopcount/postgres';

import { toIso } from '../buckets.js';
import { type HostChanges, HostSums } from '../hosts/record-host-changes.js';
import type { EnrichedVisit } from './enriched-visit.js';
import { foldHours, type HourDelta } from './fold-hours.js';
import { BatchSums, bySource, type Counted, type SourceRow, Sum } from './sum-batch.js';
import { addVisitRow, newVisitRows, readVisitRow } from './visit-rows.js';

/**
 * What a commit needs of the visits of a batch if all of them are new: their rows, and sums as parameters of statements, made before
 * it begins. Plain data: a thread that does not commit can make it and hand it over.
 */
export interface PreparedVisits {
  /** Of the visits that were given; an event that stands in them twice was taken once. */
  readonly given: number;
  /** In the order of the ledger's key. */
  readonly eventIds: readonly string[];
  /** For stage-visits.sql. */
  readonly rows: Uint8Array<ArrayBuffer>;
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

export function visitsInHand(given: readonly EnrichedVisit[]): VisitSource {
  const visits = new VisitsToPrepare();
  for (const visit of given) visits.add(visit);
  return visits.end();
}

/**
 * Visits become rows and sums one by one, and a row is read again where a visit is asked for: none of their objects lives until
 * the commit, so that the garbage collector has no batches to copy.
 */
export class VisitsToPrepare {
  readonly #rows = newVisitRows();
  readonly #sums = new BatchSums();
  readonly #hosts = new HostSums();
  /** Event ids, each once, with the number of its row. */
  readonly #ids = new Map<string, number>();
  /** Of each row. */
  readonly #linkIds: string[] = [];
  readonly #byClass = VISIT_CLASSES.map(() => 0);
  #given = 0;
  #oldestMs = Infinity;

  add(visit: EnrichedVisit): void {
    this.#given += 1;
    const { eventId, occurredAtMs } = visit;
    if (this.#ids.has(eventId)) return;
    this.#ids.set(eventId, this.#ids.size);
    addVisitRow(this.#rows, visit);
    const checksum = eventIdChecksum(eventId);
    this.#linkIds.push(this.#sums.add(visit, checksum));
    this.#hosts.add(visit, checksum);
    this.#byClass[visitClassNumber(visit.class)]! += 1;
    if (occurredAtMs < this.#oldestMs) this.#oldestMs = occurredAtMs;
  }

  end(): VisitSource {
    const eventIds = [...this.#ids.keys()].sort();
    const order = eventIds.map((id) => this.#ids.get(id)!);
    const { bytes: rows, starts } = this.#rows.end(order);
    return new StoredVisits(
      {
        ...{ given: this.#given, eventIds, rows, byClass: this.#byClass, oldestMs: this.#oldestMs },
        sums: prepareSums(this.#sums.end()),
        hostChanges: this.#hosts.end(),
      },
      starts,
      order.map((row) => this.#linkIds[row]!),
    );
  }
}

class StoredVisits implements VisitSource {
  readonly #bytes: Buffer;

  constructor(
    readonly prepared: PreparedVisits,
    private readonly starts: Uint32Array,
    private readonly linkIds: readonly string[],
  ) {
    this.#bytes = Buffer.from(prepared.rows.buffer);
  }

  pick(which: WhichVisits): Promise<readonly EnrichedVisit[]> {
    const { eventIds } = this.prepared;
    const isAsked =
      'eventIds' in which
        ? (place: number) => which.eventIds.has(eventIds[place]!)
        : (place: number) => which.linkIds.has(this.linkIds[place]!);
    return Promise.resolve(this.#read(isAsked));
  }

  foldHours(foldedFrom: ReadonlyMap<string, number>): Promise<readonly HourDelta[]> {
    const isAsked = (place: number) => foldedFrom.has(this.linkIds[place]!);
    return Promise.resolve(foldHours(this.#read(isAsked), (linkId) => foldedFrom.get(linkId)));
  }

  #read(isAsked: (place: number) => boolean): EnrichedVisit[] {
    const read: EnrichedVisit[] = [];
    this.starts.forEach((start, place) => {
      if (isAsked(place)) read.push(readVisitRow(this.#bytes, start, this.prepared.eventIds[place]!));
    });
    return read;
  }
}

function prepareSums({ rows, slots, sources }: ReturnType<BatchSums['end']>): PreparedSums {
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
