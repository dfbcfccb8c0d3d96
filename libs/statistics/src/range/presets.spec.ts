import { RANGE_PRESETS, type RangePreset } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';

import { comparedRange, presetRange } from './presets.js';
import { parseStart } from './statistics-range.js';
import { formatRanges } from './time-zone.js';

/** A Thursday, already the 27th in Auckland. */
const NOW = Date.parse('2026-11-26T12:00:00Z');

describe('named ranges', () => {
  const named = (range: RangePreset, zone: string, now = NOW) => {
    const found = presetRange({ range }, zone, now);
    return formatRanges(found === undefined ? [] : [found], zone)[0];
  };

  it.each([
    ['today', '2026-11-26', '2026-11-27'],
    ['yesterday', '2026-11-25', '2026-11-26'],
    ['last7days', '2026-11-20', '2026-11-27'],
    ['thisWeek', '2026-11-23', '2026-11-30'],
    ['lastWeek', '2026-11-16', '2026-11-23'],
    ['lastMonth', '2026-10-01', '2026-11-01'],
    ['thisYear', '2026-01-01', '2027-01-01'],
    ['weekToDate', '2026-11-23', '2026-11-27'],
    ['monthToDate', '2026-11-01', '2026-11-27'],
    ['yearToDate', '2026-01-01', '2026-11-27'],
  ] as const)('%s', (name, from, to) => {
    const range = named(name, 'Europe/Berlin');
    expect([range?.startDate.slice(0, 19), range?.endDate.slice(0, 19)]).toEqual([
      `${from}T00:00:00`,
      `${to}T00:00:00`,
    ]);
  });

  it('are of the zone', () => {
    expect(named('today', 'Pacific/Auckland')?.startDate).toBe('2026-11-27T00:00:00+13:00');
    // A Sunday; in Kiritimati the Monday has begun, which is the first of a month.
    const sunday = Date.parse('2026-05-31T12:00:00Z');
    for (const range of ['weekToDate', 'monthToDate'] as const)
      expect(named(range, 'Pacific/Kiritimati', sunday)).toMatchObject({
        startDate: expect.stringMatching(/^2026-06-01T/),
        endDate: expect.stringMatching(/^2026-06-02T/),
      });
    for (const name of RANGE_PRESETS) {
      const { startDate, endDate } = named(name, 'UTC')!;
      expect(Date.parse(endDate)).toBeGreaterThan(Date.parse(startDate));
    }
  });
});

describe('what a range is compared with', () => {
  const BERLIN = 'Europe/Berlin';

  it.each([
    // 31 days, one of which has 23 hours.
    ['2026-03-01T00:00', '2026-04-01T00:00', 'previous', '2026-01-29T00:00', '2026-03-01T00:00'],
    // The day after the short one, and the one after the long one.
    ['2026-03-30T00:00', '2026-03-31T00:00', 'previous', '2026-03-29T00:00', '2026-03-30T00:00'],
    ['2026-10-26T00:00', '2026-10-27T00:00', 'previous', '2026-10-25T00:00', '2026-10-26T00:00'],
    // No whole days: as many hours.
    ['2026-03-29T06:00', '2026-03-30T06:00', 'previous', '2026-03-28T05:00', '2026-03-29T06:00'],
    ['2026-03-01T00:00', '2026-03-01T00:00', 'previous', '2026-03-01T00:00', '2026-03-01T00:00'],
    ['2026-03-01T00:00', '2026-04-01T00:00', 'year', '2025-03-01T00:00', '2025-04-01T00:00'],
    // 28 February stays in, whether or not a 29th follows.
    ['2024-02-01T00:00', '2024-02-29T00:00', 'year', '2023-02-01T00:00', '2023-03-01T00:00'],
    ['2024-02-01T00:00', '2024-03-01T00:00', 'year', '2023-02-01T00:00', '2023-03-01T00:00'],
    ['2025-02-01T00:00', '2025-03-01T00:00', 'year', '2024-02-01T00:00', '2024-02-29T00:00'],
    ['2024-02-29T00:00', '2024-02-29T00:00', 'year', '2023-02-28T00:00', '2023-02-28T00:00'],
    ['2024-02-28T18:00', '2024-02-29T06:00', 'year', '2023-02-28T18:00', '2023-02-28T18:00'],
    ['2024-05-01T06:00', '2024-05-02T07:00', 'year', '2023-05-01T06:00', '2023-05-02T07:00'],
  ] as const)('%s to %s against %s: %s to %s', (from, to, against, before, after) => {
    const at = (local: string) => parseStart(local, BERLIN);
    const [found] = formatRanges([comparedRange({ from: at(from), to: at(to) }, BERLIN, against)], BERLIN);
    expect([found?.startDate.slice(0, 16), found?.endDate.slice(0, 16)]).toEqual([before, after]);
  });
});
