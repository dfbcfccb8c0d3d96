import type { Interval } from '@hopcount/contracts';

import { ZoneOffsets } from './time-zone.js';
import { BUCKET_MS, HOUR_MS, type InstantRange, isBucketStart, nextBucketAt } from '@hopcount/ledger';

/** The day of the zone that holds the instant: 23, 24, 24.5 or 25 hours, from 00:00 or, where that is skipped, 01:00. */
export function dayOf(instant: number, timeZone: string): InstantRange {
  const date = dateAt(instant, timeZone);
  const from = startOf(date, timeZone);
  let next = date.add({ days: 1 });
  // Pacific/Apia had no 30 December 2011: its start is the start of the 31st, which the 29th must not share.
  while (startOf(next, timeZone) <= from) next = next.add({ days: 1 });
  return { from, to: startOf(next, timeZone) };
}

/** The first boundary after the instant; a week starts on Monday (ISO 8601). */
export function nextIntervalStart(instant: number, interval: Interval, timeZone: string): number {
  if (interval === '15min') return nextBucketAt(instant + 1);
  if (interval === 'hour') return hourStarts(instant + 1, instant + 2 * HOUR_MS, timeZone)[0] ?? instant + HOUR_MS;
  let date = firstDateOf(dateAt(instant, timeZone), interval);
  do date = date.add(STEPS[interval]);
  while (startOf(date, timeZone) <= instant);
  return startOf(date, timeZone);
}

/**
 * Where the points of a series over [from, to) start: at `from`, then at every boundary of the zone
 * inside. The repeated hour of a long day is two points; a local hour cut short by a transition is a
 * short point. Empty for an empty range.
 */
export function seriesStarts(range: InstantRange, interval: Interval, timeZone: string): number[] {
  const { from, to } = range;
  if (from >= to) return [];
  if (interval === '15min') return [from, ...bucketStarts(range)];
  const inside = interval === 'hour' ? hourStarts(from + 1, to, timeZone) : dateStarts(range, interval, timeZone);
  return [from, ...inside];
}

type DateInterval = Exclude<Interval, '15min' | 'hour'>;

const STEPS = {
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
} as const;

/** Offsets of zones are multiples of a bucket, so its starts are quarters of an hour in all of them. */
function bucketStarts({ from, to }: InstantRange): number[] {
  const first = nextBucketAt(from + 1);
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / BUCKET_MS)) }, (_, n) => first + n * BUCKET_MS);
}

function dateStarts({ from, to }: InstantRange, interval: DateInterval, timeZone: string): number[] {
  const starts: number[] = [];
  let last = from;
  let date = firstDateOf(dateAt(from, timeZone), interval);
  for (;;) {
    const start = startOf(date, timeZone);
    if (start >= to) return starts;
    if (start > last) {
      starts.push(start);
      last = start;
    }
    date = date.add(STEPS[interval]);
  }
}

/** Instants in [from, to) at which the zone's clock shows a full hour, and transitions that fall on a bucket. */
function hourStarts(from: number, to: number, timeZone: string): number[] {
  const offsets = new ZoneOffsets(timeZone);
  const starts: number[] = [];
  for (let segment = from; segment < to;) {
    const offsetMs = offsets.offsetMsAt(segment);
    const change = offsets.nextChangeAfter(segment);
    const end = Math.min(change, to);
    const first = Math.ceil((segment + offsetMs) / HOUR_MS) * HOUR_MS - offsetMs;
    for (let start = first; start < end; start += HOUR_MS) if (start !== starts.at(-1)) starts.push(start);
    // Lord Howe goes from 02:00 back to 01:30: that half hour is a point of its own.
    if (change < to && isBucketStart(change)) starts.push(change);
    segment = end;
  }
  return starts;
}

export function dateAt(instant: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** The first instant of the date: 01:00 where midnight is skipped, the earlier midnight where it comes twice. */
export function startOf(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds;
}

function firstDateOf(date: Temporal.PlainDate, interval: DateInterval): Temporal.PlainDate {
  switch (interval) {
    case 'day':
      return date;
    case 'week':
      return date.subtract({ days: date.dayOfWeek - 1 });
    case 'month':
      return date.with({ day: 1 });
    case 'quarter':
      return date.with({ day: 1, month: date.month - ((date.month - 1) % 3) });
    case 'year':
      return date.with({ day: 1, month: 1 });
  }
}
