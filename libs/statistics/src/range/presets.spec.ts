import { describe, expect, it } from '@jest/globals';

import { comparedRange, presetRange, RANGE_PRESETS } from './presets.js';
import { formatRanges } from './time-zone.js';

/** A Thursday, already the 27th in Auckland. */
const NOW = Date.parse('2026-11-26T12:00:00Z');

describe('named ranges', () => {
  it.each([
    ['today', '2026-11-26', '2026-11-27'],
    ['yesterday', '2026-11-25', '2026-11-26'],
    ['last7days', '2026-11-20', '2026-11-27'],
    ['thisWeek', '2026-11-23', '2026-11-30'],
    ['lastWeek', '2026-11-16', '2026-11-23'],
    ['lastMonth', '2026-10-01', '2026-11-01'],
    ['thisYear', '2026-01-01', '2027-01-01'],
  ] as const)('%s', (name, from, to) => {
    const [range] = formatRanges([presetRange(name, 'Europe/Berlin', NOW)], 'Europe/Berlin');
    expect([range?.startDate.slice(0, 19), range?.endDate.slice(0, 19)]).toEqual([
      `${from}T00:00:00`,
      `${to}T00:00:00`,
    ]);
  });

  it('are of the zone', () => {
    const [range] = formatRanges([presetRange('today', 'Pacific/Auckland', NOW)], 'Pacific/Auckland');
    expect(range?.startDate).toBe('2026-11-27T00:00:00+13:00');
    for (const name of RANGE_PRESETS)
      expect(presetRange(name, 'UTC', NOW).to).toBeGreaterThan(presetRange(name, 'UTC', NOW).from);
  });
});

describe('what a range is compared with', () => {
  it('is as long and ends where it begins, or has the same dates a year earlier', () => {
    const range = { from: Date.parse('2026-03-01T00:00:00+01:00'), to: Date.parse('2026-04-01T00:00:00+02:00') };
    const previous = comparedRange(range, 'Europe/Berlin', 'previous');
    expect([previous.to - previous.from, previous.to]).toEqual([range.to - range.from, range.from]);
    expect(formatRanges([comparedRange(range, 'Europe/Berlin', 'year')], 'Europe/Berlin')).toEqual([
      { startDate: '2025-03-01T00:00:00+01:00', endDate: '2025-04-01T00:00:00+02:00' },
    ]);
  });
});
