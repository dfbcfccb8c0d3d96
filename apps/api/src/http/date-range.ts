import { RANGE_PRESETS } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';
import { expectOrder, parseEnd, parseStart, parseTimeZone, presetRange } from '@hopcount/statistics';
import { z } from 'zod';

import { queryText } from './input.js';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const SECOND_MS = 1_000;

/** Of whatever takes a range. */
const queryRange = z
  .enum(RANGE_PRESETS)
  .optional()
  .meta({ description: 'Instead of startDate and endDate: whole days of the zone.', example: 'last7days' });

/** Blank is not absent: whoever sends an empty zone has a bug that a default would hide. */
const dateText = z.string().max(100).optional();
export const queryTimeZone = dateText.meta({
  description: 'IANA name; default: the reporting zone.',
  example: 'Europe/Berlin',
});

/** Of numbers. */
export const statisticsDates = {
  range: queryRange,
  startDate: dateText.meta({
    description: 'First instant: RFC 3339, or a date or local time in `timeZone`. Default: 30 days before the end.',
    example: '2026-11-01',
  }),
  endDate: dateText.meta({
    description: 'First instant after the range; a date includes its day. Default: the end of the current interval.',
    example: '2026-11-30',
  }),
  timeZone: queryTimeZone,
};

/** Of a list. */
export const inclusiveDates = (since = 'At or after', until = 'Up to and including') => ({
  range: queryRange,
  startDate: queryText.meta({ description: `${since}: RFC 3339, or a date.` }),
  endDate: queryText.meta({ description: `${until}: RFC 3339, or a date.` }),
  timeZone: queryTimeZone,
});

type InclusiveDates = z.output<z.ZodObject<ReturnType<typeof inclusiveDates>>>;

/**
 * The range of a list as [from, to) in epoch milliseconds, open where a limit is absent. Clients write
 * both ends in whole seconds and mean them inclusively, so the second named as the end is part of it.
 * @throws AppError `invalid-range`, `invalid-time-zone`, `invalid-data`: dates beside a word
 */
export function inclusiveRange(
  given: InclusiveDates,
  reportingTimeZone: string,
): { from: number | undefined; to: number | undefined } {
  const timeZone = parseTimeZone(given.timeZone ?? reportingTimeZone);
  const named = presetRange(given, timeZone, Date.now());
  if (named !== undefined) return named;
  const from = given.startDate === null ? undefined : parseStart(given.startDate, timeZone);
  if (given.endDate === null) return { from, to: undefined };
  const end = parseEnd(given.endDate, timeZone);
  const to = DATE.test(given.endDate) ? end : Math.floor(end / SECOND_MS) * SECOND_MS + SECOND_MS;
  if (from !== undefined) expectOrder({ endDate: given.endDate }, from, to);
  return { from, to };
}

/** @throws AppError `invalid-data` */
export function expectNoRange(given: Partial<Record<'range' | 'startDate' | 'endDate', string | undefined>>): void {
  const said = (['range', 'startDate', 'endDate'] as const).find((name) => given[name] !== undefined);
  if (said === undefined) return;
  throw new AppError('invalid-data', 'A range cannot be named beside all time or a window: leave out one of them.', {
    details: { invalidElements: [said] },
  });
}
