import { Temporal } from 'temporal-polyfill';

import type { InstantRange } from '@hopcount/ledger';

type Dates = { from: Temporal.PlainDate; to: Temporal.PlainDate };
type Preset = (today: Temporal.PlainDate) => Dates;

const days =
  (count: number): Preset =>
  (today) => ({
    from: today.subtract({ days: count - 1 }),
    to: today.add({ days: 1 }),
  });
const week = (today: Temporal.PlainDate) => today.subtract({ days: today.dayOfWeek - 1 });
const month = (today: Temporal.PlainDate) => today.with({ day: 1 });
const year = (today: Temporal.PlainDate) => today.with({ day: 1, month: 1 });

const PRESETS = {
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
} as const satisfies Record<string, Preset>;

export type RangePreset = keyof typeof PRESETS;
export const RANGE_PRESETS = Object.keys(PRESETS) as RangePreset[];

/** Whole days of the zone; those up to today end with it. */
export function presetRange(name: RangePreset, timeZone: string, now: number): InstantRange {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  const { from, to } = PRESETS[name](today);
  return { from: startOf(from, timeZone), to: startOf(to, timeZone) };
}

/** The range as long that ends where this one begins, or the same dates and clock times a year earlier. */
export function comparedRange(
  { from, to }: InstantRange,
  timeZone: string,
  against: 'previous' | 'year',
): InstantRange {
  if (against === 'previous') return { from: from - (to - from), to: from };
  const earlier = (instant: number) =>
    Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).subtract({ years: 1 })
      .epochMilliseconds;
  return { from: earlier(from), to: earlier(to) };
}

function startOf(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds;
}
