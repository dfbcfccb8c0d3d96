import { describe, expect, it } from '@jest/globals';

import { changeOf } from './shortcuts.js';
import { toDateDays } from './to-date.js';

// A Sunday; in Kiritimati the Monday has begun, which is the first of a month.
const NOW = Date.parse('2026-05-31T12:00:00Z');

describe('ranges to date', () => {
  it.each([
    ['weekToDate', 'UTC', '2026-05-25', '2026-05-31'],
    ['monthToDate', 'UTC', '2026-05-01', '2026-05-31'],
    ['yearToDate', 'UTC', '2026-01-01', '2026-05-31'],
    ['weekToDate', 'Pacific/Kiritimati', '2026-06-01', '2026-06-01'],
    ['monthToDate', 'Pacific/Kiritimati', '2026-06-01', '2026-06-01'],
  ] as const)('%s in %s', (range, zone, startDate, endDate) =>
    expect(toDateDays(range, zone, NOW)).toEqual({ startDate, endDate }),
  );
});

describe('keys', () => {
  it('choose a range instead of other days, and turn comparison on and off', () => {
    expect(changeOf('m', { from: '2026-01-01', to: '2026-01-02' })).toEqual({
      ...{ range: 'monthToDate', from: undefined, to: undefined },
    });
    expect(changeOf('x', {})).toEqual({ compare: 'previous' });
    expect(changeOf('x', { compare: 'year' })).toEqual({ compare: undefined });
    expect(changeOf('q', {})).toBeUndefined();
  });
});
