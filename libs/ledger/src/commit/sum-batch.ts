import { checksumText, eventIdChecksum, isPotentialBot, type VisitClass, visitClassNumber } from '@hopcount/contracts';

import { bucketOf, floorTo, hourOf, toIso } from '../buckets.js';
import type { EnrichedVisit } from './enriched-visit.js';

const MINUTE_MS = 60_000;

/** Columns of the upserts of one batch; every group of arrays is parallel and in key order. */
export interface BatchSums {
  traffic: { linkIds: string[]; buckets: string[]; classes: number[]; visits: number[]; checksums: string[] };
  slots: { linkIds: string[]; bots: boolean[]; visits: number[] };
  sources: { sources: string[]; minutes: string[]; visits: number[]; checksums: string[] };
  changes: { linkIds: string[]; hours: string[] };
}

/** A count and its checksum; XOR makes the order of visits irrelevant. */
class Sum {
  visits = 0;
  #hi = 0;
  #lo = 0;

  add(checksum: { hi: number; lo: number }): void {
    this.visits += 1;
    this.#hi ^= checksum.hi;
    this.#lo ^= checksum.lo;
  }

  get checksum(): string {
    return checksumText(this.#hi, this.#lo);
  }
}

/**
 * Pre-aggregates the visits a batch newly inserted (2,000 visits of a hot link become one row). Keys
 * are sorted as PostgreSQL would visit them, so that concurrent batches lock rows in one order.
 */
export function sumBatch(visits: readonly EnrichedVisit[]): BatchSums {
  const traffic = new Map<string, TrafficRow>();
  const sources = new Map<string, SourceRow>();
  for (const visit of visits) {
    const checksum = eventIdChecksum(visit.eventId);
    const { linkId, source, occurredAtMs } = visit;
    const bucketMs = bucketOf(occurredAtMs);
    const minuteMs = floorTo(occurredAtMs, MINUTE_MS);
    entry(traffic, `${linkId} ${bucketMs} ${visit.class}`, () => ({
      linkId,
      bucketMs,
      class: visit.class,
      sum: new Sum(),
    })).sum.add(checksum);
    entry(sources, `${minuteMs} ${source}`, () => ({ source, minuteMs, sum: new Sum() })).sum.add(checksum);
  }
  const rows = [...traffic.values()];
  return {
    ...sortedTraffic(rows),
    ...sortedSlots(slotsOf(rows)),
    ...sortedSources([...sources.values()]),
    ...sortedChanges(changesOf(rows)),
  };
}

interface TrafficRow {
  linkId: string;
  bucketMs: number;
  class: VisitClass;
  sum: Sum;
}

interface SourceRow {
  source: string;
  minuteMs: number;
  sum: Sum;
}

/** From the traffic rows, not the visits: a hot link has few of the former. */
function slotsOf(traffic: readonly TrafficRow[]) {
  const slots = new Map<string, { linkId: string; bot: boolean; visits: number }>();
  for (const { linkId, class: visitClass, sum } of traffic) {
    const bot = isPotentialBot(visitClass);
    entry(slots, bot ? `${linkId}b` : linkId, () => ({ linkId, bot, visits: 0 })).visits += sum.visits;
  }
  return [...slots.values()];
}

function changesOf(traffic: readonly TrafficRow[]) {
  const changes = new Map<string, { linkId: string; hourMs: number }>();
  for (const { linkId, bucketMs } of traffic) {
    const hourMs = hourOf(bucketMs);
    entry(changes, `${linkId} ${hourMs}`, () => ({ linkId, hourMs }));
  }
  return [...changes.values()];
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Numeric order of positive decimal text. */
function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function sortedTraffic(rows: TrafficRow[]): Pick<BatchSums, 'traffic'> {
  const classOf = (row: TrafficRow) => visitClassNumber(row.class);
  rows.sort((a, b) => compareIds(a.linkId, b.linkId) || a.bucketMs - b.bucketMs || classOf(a) - classOf(b));
  return {
    traffic: {
      linkIds: rows.map((row) => row.linkId),
      buckets: rows.map((row) => toIso(row.bucketMs)),
      classes: rows.map(classOf),
      visits: rows.map((row) => row.sum.visits),
      checksums: rows.map((row) => row.sum.checksum),
    },
  };
}

function sortedSlots(rows: { linkId: string; bot: boolean; visits: number }[]): Pick<BatchSums, 'slots'> {
  rows.sort((a, b) => compareIds(a.linkId, b.linkId) || Number(a.bot) - Number(b.bot));
  return {
    slots: {
      linkIds: rows.map((row) => row.linkId),
      bots: rows.map((row) => row.bot),
      visits: rows.map((row) => row.visits),
    },
  };
}

function sortedSources(rows: SourceRow[]): Pick<BatchSums, 'sources'> {
  rows.sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0) || a.minuteMs - b.minuteMs);
  return {
    sources: {
      sources: rows.map((row) => row.source),
      minutes: rows.map((row) => toIso(row.minuteMs)),
      visits: rows.map((row) => row.sum.visits),
      checksums: rows.map((row) => row.sum.checksum),
    },
  };
}

function sortedChanges(rows: { linkId: string; hourMs: number }[]): Pick<BatchSums, 'changes'> {
  return { changes: { linkIds: rows.map((row) => row.linkId), hours: rows.map((row) => toIso(row.hourMs)) } };
}
