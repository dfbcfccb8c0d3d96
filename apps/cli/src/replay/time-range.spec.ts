import { describe, expect, it } from '@jest/globals';

import { parseDuration, parseInstant } from './time-range.js';

describe('instants and durations', () => {
  it('reads instants that name their offset', () => {
    expect(parseInstant('2026-11-21T10:00:00Z')).toBe(Date.UTC(2026, 10, 21, 10));
    expect(parseInstant('2026-11-21T10:00+02:00')).toBe(Date.UTC(2026, 10, 21, 8));
    const none = ['2026-02-30T00:00Z', '2026-11-21T23:59:60Z', '2026-11-21T24:00Z', '2026-11-21T10:00+24:00'];
    for (const text of ['2026-11-21', '2026-11-21T10:00:00', 'yesterday', '2026-13-01T00:00Z', ...none]) {
      expect(() => parseInstant(text)).toThrow(/offset/);
    }
  });

  it('reads durations', () => {
    expect(['90s', '15m', '2h', '1d'].map(parseDuration)).toEqual([90_000, 900_000, 7_200_000, 86_400_000]);
    for (const text of ['0m', '15', '1.5h', '-2h', '1w']) expect(() => parseDuration(text)).toThrow(/duration/);
  });
});
