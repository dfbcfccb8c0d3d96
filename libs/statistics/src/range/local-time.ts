import type { VisitFilter } from '@hopcount/archive';
import type { TimeDimension } from '@hopcount/contracts';
import { BUCKET_MS, bucketOf, isBucketStart } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';

import { seriesStarts } from './intervals.js';
import { MAX_SERIES_POINTS, type StatisticsRange } from './statistics-range.js';
import { ZoneOffsets } from './time-zone.js';

/** Stretches of a range whose visits have the same local time, as far as it is asked for. */
export interface LocalTimes {
  starts: readonly number[];
  /** Of each stretch: the hour from 0, the day of the week from 1 (Monday). */
  labels: Record<TimeDimension, readonly number[]>;
}

/** All labels there are, in their order. */
export const LABELS: Record<TimeDimension, readonly number[]> = {
  hour: Array.from({ length: 24 }, (_, hour) => hour),
  weekday: [1, 2, 3, 4, 5, 6, 7],
};

/** As clients see it. */
export function nameOfLabel(dimension: TimeDimension, label: number): string {
  return dimension === 'hour' ? String(label).padStart(2, '0') : String(label);
}

/** @throws AppError `invalid-range`: too many stretches, or some that are no whole quarters of an hour (before 1972) */
export function localTimes(range: StatisticsRange, dimensions: readonly TimeDimension[]): LocalTimes {
  const starts = seriesStarts(range, dimensions.includes('hour') ? 'hour' : 'day', range.timeZone);
  if (starts.length > MAX_SERIES_POINTS) {
    throw invalidRange(`By hour, the range may have ${MAX_SERIES_POINTS} hours at most.`);
  }
  if (!starts.slice(1).every(isBucketStart)) {
    throw invalidRange('In this time zone there are hours in the range that do not begin with a quarter of an hour.');
  }
  const offsets = new ZoneOffsets(range.timeZone);
  const local = starts.map((start) => new Date(start + offsets.offsetMsAt(start)));
  return {
    starts,
    labels: {
      hour: local.map((date) => date.getUTCHours()),
      weekday: local.map((date) => ((date.getUTCDay() + 6) % 7) + 1),
    },
  };
}

/** Visits at some hours or on some days of the week, by the clock of a zone; or those that are not. */
export interface TimeFilter {
  dimension: TimeDimension;
  /** As clients see them. */
  values: readonly string[];
  isExcluded: boolean;
}

/** Visits of a range that all filters let through, by the quarters of an hour they are in. @throws as localTimes() */
export function quarterHoursAt(range: StatisticsRange, filters: readonly TimeFilter[]): VisitFilter {
  const { starts, labels } = localTimes(range, ['hour']);
  const values = starts.flatMap((start, stretch) => {
    const isChosen = filters.every(({ dimension, values, isExcluded }) => {
      const label = nameOfLabel(dimension, labels[dimension][stretch] ?? 0);
      return values.includes(label) !== isExcluded;
    });
    if (!isChosen) return [];
    const [from, to] = [bucketOf(start), starts[stretch + 1] ?? range.to];
    return Array.from({ length: Math.ceil((to - from) / BUCKET_MS) }, (_, nth) => String(from + nth * BUCKET_MS));
  });
  return { dimension: 'quarterHour', values, prefixes: [], isExcluded: false };
}

function invalidRange(message: string): AppError {
  return new AppError('invalid-range', message, { details: { invalidElements: ['startDate', 'endDate'] } });
}
