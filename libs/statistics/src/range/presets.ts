import type { RangePreset } from '@hopcount/contracts';
import type { InstantRange } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';

import { dateAt, startOf } from './intervals.js';

type Dates = { from: Temporal.PlainDate; to: Temporal.PlainDate };
type Preset = (today: Temporal.PlainDate) => Dates;

const tomorrow = (today: Temporal.PlainDate) => today.add({ days: 1 });
const days =
  (count: number): Preset =>
  (today) => ({
    from: today.subtract({ days: count - 1 }),
    to: tomorrow(today),
  });
const week = (today: Temporal.PlainDate) => today.subtract({ days: today.dayOfWeek - 1 });
const month = (today: Temporal.PlainDate) => today.with({ day: 1 });
const year = (today: Temporal.PlainDate) => today.with({ day: 1, month: 1 });

const PRESETS: Record<RangePreset, Preset> = {
  today: days(1),
  yesterday: (today) => ({ from: today.subtract({ days: 1 }), to: today }),
  last7days: days(7),
  last30days: days(30),
  last90days: days(90),
  last365days: days(365),
  thisWeek: (today) => ({ from: week(today), to: week(today).add({ days: 7 }) }),
  lastWeek: (today) => ({ from: week(today).subtract({ days: 7 }), to: week(today) }),
  thisMonth: (today) => ({ from: month(today), to: month(today).add({ months: 1 }) }),
  lastMonth: (today) => ({ from: month(today).subtract({ months: 1 }), to: month(today) }),
  thisYear: (today) => ({ from: year(today), to: year(today).add({ years: 1 }) }),
  lastYear: (today) => ({ from: year(today).subtract({ years: 1 }), to: year(today) }),
  weekToDate: (today) => ({ from: week(today), to: tomorrow(today) }),
  monthToDate: (today) => ({ from: month(today), to: tomorrow(today) }),
  yearToDate: (today) => ({ from: year(today), to: tomorrow(today) }),
};

/** What may stand for a range: a word, or dates. */
export interface NamedRange {
  range?: RangePreset | undefined;
  startDate?: string | null | undefined;
  endDate?: string | null | undefined;
}

/**
 * The whole days of the zone that a word names; those up to today end with it. Undefined without a word.
 * @throws AppError `invalid-data`: dates are named as well
 */
export function presetRange(given: NamedRange, timeZone: string, now: number): InstantRange | undefined {
  const { range: name, startDate, endDate } = given;
  if (name === undefined) return undefined;
  if ((startDate ?? endDate ?? undefined) !== undefined) {
    throw new AppError('invalid-data', 'range stands instead of startDate and endDate: leave either out.', {
      details: { invalidElements: ['range'] },
    });
  }
  const { from, to } = PRESETS[name](dateAt(now, timeZone));
  return { from: startOf(from, timeZone), to: startOf(to, timeZone) };
}

/** What comes right before the range and is as long, of whole days as many of them; or the same dates and clock times a year earlier. */
export function comparedRange(range: InstantRange, timeZone: string, against: 'previous' | 'year'): InstantRange {
  const { from, to } = range;
  if (against === 'previous') return { from: previousStart(range, timeZone), to: from };
  const start = yearBefore(from, timeZone);
  if (from === to) return { from: start, to: start };
  // A day that the range ends with is the last one of its dates: the 28th of February stays in, whatever follows it.
  const lastDate = dateAt(to - 1, timeZone).subtract({ years: 1 });
  const end = isDayStart(to, timeZone) ? startOf(lastDate.add({ days: 1 }), timeZone) : yearBefore(to, timeZone);
  // From the 28th of February, 18:00, to the 29th, 06:00: in other years both are on the 28th.
  return { from: start, to: Math.max(start, end) };
}

function previousStart({ from, to }: InstantRange, timeZone: string): number {
  if (!isDayStart(from, timeZone) || !isDayStart(to, timeZone)) return from - (to - from);
  const first = dateAt(from, timeZone);
  return startOf(first.subtract(first.until(dateAt(to, timeZone), { largestUnit: 'day' })), timeZone);
}

function yearBefore(instant: number, timeZone: string): number {
  const at = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  return at.subtract({ years: 1 }).epochMilliseconds;
}

function isDayStart(instant: number, timeZone: string): boolean {
  return startOf(dateAt(instant, timeZone), timeZone) === instant;
}
