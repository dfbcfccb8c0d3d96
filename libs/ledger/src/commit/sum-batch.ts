import { checksumText, type eventIdChecksum, isPotentialBot, visitClassNumber } from '@hopcount/contracts';

import { bucketOf, floorTo } from '../buckets.js';
import type { EnrichedVisit } from './enriched-visit.js';

const MINUTE_MS = 60_000;

export type Checksum = ReturnType<typeof eventIdChecksum>;

/** A number of visits and the XOR of their ids' random bits, in two halves; plain, so that threads can hand it over. */
export interface Counted {
  visits: number;
  hi: number;
  lo: number;
}

/** A count and its checksum; XOR makes the order of visits irrelevant. */
export class Sum implements Counted {
  visits = 0;
  hi = 0;
  lo = 0;

  add({ hi, lo }: Checksum): void {
    this.visits += 1;
    this.hi ^= hi;
    this.lo ^= lo;
  }

  merge({ visits, hi, lo }: Counted): void {
    this.visits += visits;
    this.hi ^= hi;
    this.lo ^= lo;
  }

  get checksum(): string {
    return checksumText(this.hi, this.lo);
  }
}

/**
 * Pre-aggregates the visits a batch newly inserted (2,000 visits of a hot link become one row): rows of `link_traffic`, of the
 * slots and of `source_traffic`. Keys are sorted as PostgreSQL would visit them, so that concurrent batches lock rows in one order.
 */
export class BatchSums {
  readonly #traffic = new Map<string, TrafficRow[]>();
  readonly #sources = new Map<string, SourceRow[]>();

  /** @returns its link's id, the same text for all visits of a link */
  add(visit: EnrichedVisit, checksum: Checksum): string {
    const row = trafficRow(entry(this.#traffic, visit.linkId, newList<TrafficRow>), visit);
    row.sum.add(checksum);
    sourceRow(entry(this.#sources, visit.source, newList<SourceRow>), visit).sum.add(checksum);
    return row.linkId;
  }

  end() {
    const rows = [...this.#traffic.values()]
      .flat()
      .sort((a, b) => compareIds(a.linkId, b.linkId) || a.bucketMs - b.bucketMs || a.class - b.class);
    const slots = slotsOf(rows).sort((a, b) => compareIds(a.linkId, b.linkId) || Number(a.isBot) - Number(b.isBot));
    return { rows, slots, sources: [...this.#sources.values()].flat().sort(bySource) };
  }
}

export interface TrafficRow {
  linkId: string;
  bucketMs: number;
  class: number;
  isBot: boolean;
  sum: Sum;
}

export interface SourceRow {
  source: string;
  minuteMs: number;
  sum: Sum;
}

export function bySource(a: SourceRow, b: SourceRow): number {
  return compareTexts(a.source, b.source) || a.minuteMs - b.minuteMs;
}

export function newList<Row>(): Row[] {
  return [];
}

/** Looked for from the end: visits come in the order of their time, so it is among the last few. */
function trafficRow(ofLink: TrafficRow[], { linkId, occurredAtMs, class: visitClass }: EnrichedVisit): TrafficRow {
  const bucketMs = bucketOf(occurredAtMs);
  const classNumber = visitClassNumber(visitClass);
  const found = ofLink.findLast((row) => row.bucketMs === bucketMs && row.class === classNumber);
  if (found !== undefined) return found;
  const { linkId: known = linkId } = ofLink[0] ?? {};
  const row = { linkId: known, bucketMs, class: classNumber, isBot: isPotentialBot(visitClass), sum: new Sum() };
  ofLink.push(row);
  return row;
}

function sourceRow(ofSource: SourceRow[], { source, occurredAtMs }: EnrichedVisit): SourceRow {
  const minuteMs = floorTo(occurredAtMs, MINUTE_MS);
  const found = ofSource.findLast((row) => row.minuteMs === minuteMs);
  if (found !== undefined) return found;
  const row = { source, minuteMs, sum: new Sum() };
  ofSource.push(row);
  return row;
}

/** From the traffic rows, not the visits: a hot link has few of the former. */
function slotsOf(traffic: readonly TrafficRow[]) {
  const slots = new Map<string, { linkId: string; isBot: boolean; visits: number }>();
  for (const { linkId, isBot, sum } of traffic) {
    entry(slots, isBot ? `${linkId}b` : linkId, () => ({ linkId, isBot, visits: 0 })).visits += sum.visits;
  }
  return [...slots.values()];
}

export function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Numeric order of positive decimal text. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
