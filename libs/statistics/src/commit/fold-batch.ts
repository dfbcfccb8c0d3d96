import { checksumText, eventIdChecksum, isPotentialBot, visitClassNumber } from '@hopcount/contracts';

import type { EnrichedVisit } from './enriched-visit.js';

const BUCKET_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;
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
export function foldBatch(visits: readonly EnrichedVisit[]): BatchSums {
  const traffic = new Map<string, { linkId: string; bucketMs: number; class: number; sum: Sum }>();
  const slots = new Map<string, { linkId: string; bot: boolean; visits: number }>();
  const sources = new Map<string, { source: string; minuteMs: number; sum: Sum }>();
  const changes = new Map<string, { linkId: string; hourMs: number }>();
  for (const visit of visits) {
    const checksum = eventIdChecksum(visit.eventId);
    const classNumber = visitClassNumber(visit.class);
    const bucketMs = visit.occurredAtMs - (visit.occurredAtMs % BUCKET_MS);
    const hourMs = visit.occurredAtMs - (visit.occurredAtMs % HOUR_MS);
    const minuteMs = visit.occurredAtMs - (visit.occurredAtMs % MINUTE_MS);
    const bot = isPotentialBot(visit.class);
    const { linkId, source } = visit;
    entry(traffic, `${linkId} ${bucketMs} ${classNumber}`, () => ({
      linkId,
      bucketMs,
      class: classNumber,
      sum: new Sum(),
    })).sum.add(checksum);
    entry(slots, `${linkId} ${bot}`, () => ({ linkId, bot, visits: 0 })).visits += 1;
    entry(sources, `${minuteMs} ${source}`, () => ({ source, minuteMs, sum: new Sum() })).sum.add(checksum);
    entry(changes, `${linkId} ${hourMs}`, () => ({ linkId, hourMs }));
  }
  return {
    ...sortedTraffic([...traffic.values()]),
    ...sortedSlots([...slots.values()]),
    ...sortedSources([...sources.values()]),
    ...sortedChanges([...changes.values()]),
  };
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

const iso = (ms: number) => new Date(ms).toISOString();

function sortedTraffic(
  rows: { linkId: string; bucketMs: number; class: number; sum: Sum }[],
): Pick<BatchSums, 'traffic'> {
  rows.sort((a, b) => compareIds(a.linkId, b.linkId) || a.bucketMs - b.bucketMs || a.class - b.class);
  return {
    traffic: {
      linkIds: rows.map((row) => row.linkId),
      buckets: rows.map((row) => iso(row.bucketMs)),
      classes: rows.map((row) => row.class),
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

function sortedSources(rows: { source: string; minuteMs: number; sum: Sum }[]): Pick<BatchSums, 'sources'> {
  rows.sort((a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : 0) || a.minuteMs - b.minuteMs);
  return {
    sources: {
      sources: rows.map((row) => row.source),
      minutes: rows.map((row) => iso(row.minuteMs)),
      visits: rows.map((row) => row.sum.visits),
      checksums: rows.map((row) => row.sum.checksum),
    },
  };
}

function sortedChanges(rows: { linkId: string; hourMs: number }[]): Pick<BatchSums, 'changes'> {
  return { changes: { linkIds: rows.map((row) => row.linkId), hours: rows.map((row) => iso(row.hourMs)) } };
}
