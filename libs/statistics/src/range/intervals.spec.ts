import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { INTERVALS } from '@hopcount/contracts';

import { dayOf, nextIntervalStart, seriesStarts } from './intervals.js';
import { ZoneOffsets } from './time-zone.js';
import { BUCKET_MS, bucketOf, DAY_MS, HOUR_MS, hourOf, isBucketStart, nextBucketAt } from '@hopcount/ledger';

const ZONES = Intl.supportedValuesOf('timeZone');
const at = (text: string) => Date.parse(text);
const anyInstant = fc.integer({ min: at('2016-01-01T00:00:00Z'), max: at('2034-01-01T00:00:00Z') });
const anyZone = fc.constantFrom(...ZONES);

/** To make one takes longer than to ask it a hundred times. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** What the zone's clock shows, from Intl: another reading of the zone data than the one under test. */
function clockAt(instant: number, timeZone: string): string {
  const clock =
    clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  clocks.set(timeZone, clock);
  return clock.format(instant);
}

describe('buckets', () => {
  it('are quarters of an hour in UTC, before 1970 too', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 4e12 }), (instant) => {
        const bucket = bucketOf(instant);
        expect(isBucketStart(bucket)).toBe(true);
        expect(instant - bucket).toBeGreaterThanOrEqual(0);
        expect(instant - bucket).toBeLessThan(BUCKET_MS);
        expect(nextBucketAt(instant)).toBe(bucket === instant ? bucket : bucket + BUCKET_MS);
        expect(hourOf(instant)).toBeLessThanOrEqual(bucket);
      }),
    );
  });
});

describe('days', () => {
  const hours = (text: string, timeZone: string) => {
    const { from, to } = dayOf(at(text), timeZone);
    return { hours: (to - from) / HOUR_MS, start: new ZoneOffsets(timeZone).format(from) };
  };

  it.each([
    ['America/New_York', '2026-03-08T12:00:00Z', 23, '2026-03-08T00:00:00-05:00'],
    ['America/New_York', '2026-11-01T12:00:00Z', 25, '2026-11-01T00:00:00-04:00'],
    ['Australia/Lord_Howe', '2026-04-05T02:00:00Z', 24.5, '2026-04-05T00:00:00+11:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:00:00Z', 23.5, '2026-10-04T00:00:00+10:30'],
    ['America/Sao_Paulo', '2018-11-04T12:00:00Z', 23, '2018-11-04T01:00:00-02:00'],
    ['Africa/Cairo', '2026-04-24T12:00:00Z', 23, '2026-04-24T01:00:00+03:00'],
    ['Africa/Cairo', '2026-10-29T21:30:00Z', 25, '2026-10-29T00:00:00+03:00'],
    ['Asia/Kathmandu', '2026-06-01T12:00:00Z', 24, '2026-06-01T00:00:00+05:45'],
    ['Pacific/Apia', '2011-12-30T09:00:00Z', 24, '2011-12-29T00:00:00-10:00'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', 24, '2011-12-31T00:00:00+14:00'],
  ])('of %s at %s have %d hours and start at %s', (timeZone, text, length, start) => {
    expect(hours(text, timeZone)).toEqual({ hours: length, start });
  });

  it('adjoin each other and hold the instant, in every zone', () => {
    fc.assert(
      fc.property(anyInstant, anyZone, (instant, timeZone) => {
        const day = dayOf(instant, timeZone);
        expect(day.from).toBeLessThanOrEqual(instant);
        expect(day.to).toBeGreaterThan(instant);
        expect(dayOf(day.to, timeZone).from).toBe(day.to);
        expect(dayOf(day.from - 1, timeZone).to).toBe(day.from);
        expect(clockAt(day.from, timeZone).slice(0, 10)).toBe(clockAt(instant, timeZone).slice(0, 10));
        expect(clockAt(day.to, timeZone).slice(0, 10) > clockAt(instant, timeZone).slice(0, 10)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('series', () => {
  it('rest on offsets that are multiples of a bucket, in every zone', () => {
    for (const timeZone of ZONES) {
      const offsets = new ZoneOffsets(timeZone);
      for (const text of ['2016-01-01', '2026-07-01']) {
        expect([timeZone, Math.abs(offsets.offsetMsAt(at(text)) % BUCKET_MS)]).toEqual([timeZone, 0]);
      }
    }
  });

  it('start at from, ascend, and cut at every boundary of the clock and only there', () => {
    fc.assert(
      fc.property(
        anyInstant,
        fc.integer({ min: 1, max: 20 * DAY_MS }),
        anyZone,
        fc.constantFrom(...INTERVALS),
        (from, length, timeZone, interval) => {
          const to = from + length;
          const starts = seriesStarts({ from, to }, interval, timeZone);
          expect(starts[0]).toBe(from);
          starts.forEach((start, index) => {
            const end = starts[index + 1] ?? to;
            expect(end).toBeGreaterThan(start);
            if (index > 0) {
              expect(isBucketStart(start)).toBe(true);
              expect(nextIntervalStart(start - 1, interval, timeZone)).toBe(start);
            }
            expect(nextIntervalStart(start, interval, timeZone)).toBeGreaterThanOrEqual(end);
            const width = { '15min': 16, hour: 13, day: 10, week: 0, month: 7, quarter: 4, year: 4 }[interval];
            const label = (instant: number) =>
              clockAt(instant - (interval === '15min' ? instant % BUCKET_MS : 0), timeZone).slice(0, width);
            // Antarctica/Casey put its clock forward at 00:01 in 2020: that point goes on to the next full hour.
            const change = new ZoneOffsets(timeZone).nextChangeAfter(start);
            if (change >= end || isBucketStart(change)) expect(label(end - 1)).toBe(label(start));
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  const formatted = (from: string, to: string, timeZone: string, interval: (typeof INTERVALS)[number]) => {
    const offsets = new ZoneOffsets(timeZone);
    return seriesStarts({ from: at(from), to: at(to) }, interval, timeZone).map((start) => offsets.format(start));
  };

  it('show the repeated hour as two points and skip the missing one', () => {
    expect(formatted('2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', 'Europe/Berlin', 'hour')).toEqual([
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
      '2026-10-25T03:00:00+01:00',
    ]);
    expect(formatted('2026-03-29T00:00:00Z', '2026-03-29T02:00:00Z', 'Europe/Berlin', 'hour')).toEqual([
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
    ]);
  });

  it('know the half hour of Lord Howe', () => {
    expect(formatted('2026-04-04T14:00:00Z', '2026-04-04T16:30:00Z', 'Australia/Lord_Howe', 'hour')).toEqual([
      '2026-04-05T01:00:00+11:00',
      '2026-04-05T01:30:00+10:30',
      '2026-04-05T02:00:00+10:30',
    ]);
  });

  it('start weeks on Monday and months on the first, zones with :45 too', () => {
    expect(formatted('2026-06-03T00:00:00Z', '2026-06-16T00:00:00Z', 'Asia/Kathmandu', 'week')).toEqual([
      '2026-06-03T05:45:00+05:45',
      '2026-06-08T00:00:00+05:45',
      '2026-06-15T00:00:00+05:45',
    ]);
    expect(formatted('2026-01-31T00:00:00Z', '2026-03-02T00:00:00Z', 'UTC', 'month')).toEqual([
      '2026-01-31T00:00:00+00:00',
      '2026-02-01T00:00:00+00:00',
      '2026-03-01T00:00:00+00:00',
    ]);
  });

  it('go from quarters of an hour to years', () => {
    expect(formatted('2026-06-01T00:10:00Z', '2026-06-01T00:45:00Z', 'Asia/Kathmandu', '15min')).toEqual([
      '2026-06-01T05:55:00+05:45',
      '2026-06-01T06:00:00+05:45',
      '2026-06-01T06:15:00+05:45',
    ]);
    expect(formatted('2026-02-10T00:00:00Z', '2026-08-01T00:00:00Z', 'UTC', 'quarter')).toEqual([
      '2026-02-10T00:00:00+00:00',
      '2026-04-01T00:00:00+00:00',
      '2026-07-01T00:00:00+00:00',
    ]);
    expect(formatted('2025-02-10T00:00:00Z', '2026-08-01T00:00:00Z', 'Europe/Berlin', 'year')).toEqual([
      '2025-02-10T01:00:00+01:00',
      '2026-01-01T00:00:00+01:00',
    ]);
  });

  it('are empty for an empty range', () => {
    expect(seriesStarts({ from: 5, to: 5 }, 'hour', 'UTC')).toEqual([]);
  });
});
