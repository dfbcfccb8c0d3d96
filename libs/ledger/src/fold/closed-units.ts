import { HOUR_MS, hourOf, type InstantRange, isBucketStart } from '../buckets.js';
import type { Unit, UnitKind } from './fold-unit.js';

/** The day of the reporting zone that holds the instant. Zones are not known here: whoever folds brings them. */
export type DayOf = (instant: number) => InstantRange;

/** A link's hour that was visited. */
export interface TouchedHour {
  linkId: string;
  hour: number;
}

/** Start of the unit that is still open (or within its grace) at `now`; everything before is closed. */
export function openUnitStart(kind: UnitKind, now: number, graceMs: number, dayOf: DayOf): number {
  return kind === 'hour' ? hourOf(now - graceMs) : dayOf(now - graceMs).from;
}

export function hourUnits(touched: readonly TouchedHour[]): Unit[] {
  return touched.map(({ linkId, hour }) => ({ kind: 'hour', linkId, from: hour, to: hour + HOUR_MS }));
}

/** The days of the reporting zone the hours touch (two where midnight is not at a full UTC hour), each once, if closed. */
export function dayUnits(touched: readonly TouchedHour[], dayOf: DayOf, openDayStart: number): Unit[] {
  const daysByHour = new Map<number, InstantRange[]>();
  const units = new Map<string, Unit>();
  for (const { linkId, hour } of touched) {
    let days = daysByHour.get(hour);
    if (days === undefined) {
      days = [dayOf(hour), dayOf(hour + HOUR_MS - 1)];
      daysByHour.set(hour, days);
    }
    for (const day of days) {
      if (day.to <= openDayStart && isWholeBuckets(day))
        units.set(`${linkId} ${day.from}`, { kind: 'day', linkId, ...day });
    }
  }
  return [...units.values()];
}

/** Days of before an offset was a multiple of 15 minutes are no sums of buckets: hours and ledger answer them. */
export function isWholeBuckets(unit: InstantRange): boolean {
  return isBucketStart(unit.from) && isBucketStart(unit.to);
}

/** Limits of the adjoining units that lie in [from, to) whole; fewer than two when there is none. */
export function unitLimits(kind: UnitKind, { from, to }: InstantRange, dayOf: DayOf): number[] {
  const unitAt = (instant: number): InstantRange =>
    kind === 'hour' ? { from: hourOf(instant), to: hourOf(instant) + HOUR_MS } : dayOf(instant);
  const first = unitAt(from);
  const limits: number[] = [];
  for (let limit = first.from < from ? first.to : first.from; limit <= to; limit = unitAt(limit).to) limits.push(limit);
  return limits;
}
