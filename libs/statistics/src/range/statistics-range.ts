import { type Interval, INTERVALS, readMoment } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';

import { dayOf, nextIntervalStart, seriesStarts } from './intervals.js';
import { type NamedRange, presetRange } from './presets.js';
import { parseTimeZone } from './time-zone.js';
import { BUCKET_MS, DAY_MS, type InstantRange } from '@hopcount/ledger';

/** What a client may write; every part optional. */
export interface RangeInput extends Pick<NamedRange, 'range'> {
  startDate?: string | undefined;
  endDate?: string | undefined;
  timeZone?: string | undefined;
  interval?: string | undefined;
}

export interface StatisticsRange extends InstantRange {
  timeZone: string;
  interval: Interval;
}

export const MAX_SERIES_POINTS = 10_000;
/** Ten years and a few leap days. */
export const MAX_RANGE_MS = 3_660 * DAY_MS;
const DEFAULT_DAYS = 30;
/** Instants a UUIDv7 and PostgreSQL's timestamptz both hold, with a day to spare for the offsets. */
const EARLIEST = -DAY_MS;
const LATEST = Date.UTC(9999, 0, 1);

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:\d{2})$/;
/** A "+" that was not percent-encoded arrives as a space. */
const SPACE_OF_PLUS = /(?<=:\d{2}(?:\.\d{1,9})?) (\d{2}:\d{2})$/;

/**
 * The range [from, to) a client asks for: the days that a word names, or from a start to an end. RFC 3339 instants mean themselves; a date-time without an
 * offset and a date are local to `timeZone` (default UTC); a date as end includes that day. Default end:
 * the next interval boundary after now; default start: the start of the day 30 days earlier.
 * @throws AppError `invalid-time-zone`, `invalid-range` (unreadable, reversed, over ten years, over
 * 10,000 points), `invalid-data` for an unknown interval, or dates beside a word
 */
export function parseRange(input: RangeInput, now: number): StatisticsRange {
  const timeZone = parseTimeZone(input.timeZone ?? 'UTC');
  const interval = parseInterval(input.interval ?? 'day');
  const named = presetRange(input, timeZone, now);
  const start = input.startDate === undefined ? named?.from : parseStart(input.startDate, timeZone);
  const end = input.endDate === undefined ? named?.to : parseEnd(input.endDate, timeZone);
  // A range that only starts, and in the future, is empty rather than wrong.
  const to = end ?? nextIntervalStart(Math.max(now, start ?? now), interval, timeZone);
  const from = start ?? daysBefore(end ?? now, DEFAULT_DAYS, timeZone);
  expectOrder(input, from, to);
  if (to - from > MAX_RANGE_MS) throw invalidRange('The range is longer than ten years.', 'startDate', 'endDate');
  const range = { from, to, timeZone, interval };
  expectFewPoints(range, interval, timeZone);
  return range;
}

/** @throws AppError `invalid-range`: the series would have over 10,000 points */
export function expectFewPoints(range: InstantRange, interval: Interval, timeZone: string): void {
  // A point is a quarter of an hour at least, but for the first and the last.
  const mayHaveTooMany = range.to - range.from > (MAX_SERIES_POINTS - 2) * BUCKET_MS;
  if (mayHaveTooMany && seriesStarts(range, interval, timeZone).length > MAX_SERIES_POINTS) {
    throw invalidRange(`The series would have more than ${MAX_SERIES_POINTS} points.`, 'interval');
  }
}

/**
 * A date as end includes its day, so what begins where that day ended is reversed, too.
 * @throws AppError `invalid-range`
 */
export function expectOrder({ endDate }: Pick<RangeInput, 'endDate'>, from: number, to: number): void {
  const isReversed = from > to || (from === to && endDate !== undefined && DATE.test(endDate));
  if (isReversed)
    throw invalidRange(
      'The start of the range is after its end: exchange startDate and endDate.',
      'startDate',
      'endDate',
    );
}

/** First instant a start names. @throws AppError `invalid-range` */
export function parseStart(text: string, timeZone: string): number {
  return parseInstant(text, timeZone, 'startDate');
}

/** First instant after the end: of a date, the start of the next day. @throws AppError `invalid-range` */
export function parseEnd(text: string, timeZone: string): number {
  const instant = parseInstant(text, timeZone, 'endDate');
  return DATE.test(text) ? dayOf(instant, timeZone).to : instant;
}

/** Whether a range may begin or end there. */
export function isInstantOfRange(instant: number): boolean {
  return instant >= EARLIEST && instant <= LATEST;
}

function parseInterval(text: string): Interval {
  const interval = INTERVALS.find((known) => known === text);
  if (interval !== undefined) return interval;
  throw new AppError('invalid-data', `The interval must be one of ${INTERVALS.join(', ')}.`, {
    details: { invalidElements: ['interval'] },
  });
}

function parseInstant(text: string, timeZone: string, element: string): number {
  const instant = readInstant(text, timeZone);
  if (instant !== undefined && isInstantOfRange(instant)) return instant;
  throw invalidRange(
    `${element} must be an existing date (2026-10-25), a local date and time (2026-10-25T13:30:00) or an RFC 3339 instant.`,
    element,
  );
}

function readInstant(given: string, timeZone: string): number | undefined {
  const text = given.replace(SPACE_OF_PLUS, '+$1');
  // Temporal takes second 60 for 59.
  if (readMoment(text) === undefined) return undefined;
  try {
    if (DATE.test(text)) return Temporal.PlainDate.from(text).toZonedDateTime(timeZone).epochMilliseconds;
    if (DATE_TIME.test(text)) {
      return wholeMs(Temporal.PlainDateTime.from(text.toUpperCase()).toZonedDateTime(timeZone).toInstant());
    }
    const [, dateTime, offset] = INSTANT.exec(text) ?? [];
    if (dateTime === undefined || offset === undefined) return undefined;
    return wholeMs(Temporal.Instant.from(`${dateTime}${offset}`.toUpperCase()));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Visits happen at whole milliseconds, so the first at or after the instant is at its ceiling. */
function wholeMs(instant: Temporal.Instant): number {
  return instant.round({ smallestUnit: 'millisecond', roundingMode: 'ceil' }).epochMilliseconds;
}

function daysBefore(instant: number, days: number, timeZone: string): number {
  const date = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone).toPlainDate();
  return date.subtract({ days }).toZonedDateTime(timeZone).epochMilliseconds;
}

function invalidRange(message: string, ...invalidElements: string[]): AppError {
  return new AppError('invalid-range', message, { details: { invalidElements } });
}
