import { describe, expect, it } from '@jest/globals';

import { readMoment } from './moment.js';

const NO_MOMENTS = [
  '2026-02-30',
  '2025-02-29',
  '1900-02-29',
  '2026-04-31',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2026-1-1',
  '2026-09-10T24:00:00Z',
  '2026-09-10T23:60:00Z',
  '2026-09-10T23:59:60Z',
  '2016-12-31T23:59:60Z',
  '2026-09-10T23:59:61+02:00',
  '2026-02-30T10:00:00Z',
  '2026-09-10T10:00:00+24:00',
  '2026-09-10T10:00:00-99:00',
  '2026-09-10T10:00:00+01:60',
  '2026-09-10T10:00:00z+01:00',
  '2026-09-10T10',
  '2026-09-10T10:00:00.Z',
  '2026-09-10Z',
  '2026-09-10+01:00',
  '10.09.2026',
  '2026-09-10T10:00:00 Z',
  ' 2026-09-10',
  '+002026-09-10',
  'today',
  '',
];

describe('a date that somebody wrote', () => {
  it.each(NO_MOMENTS)('is refused where there is no such moment: "%s"', (text) => {
    expect(readMoment(text)).toBeUndefined();
  });

  it.each([
    ['2026-09-10', 'date', '2026-09-10T00:00:00.000Z'],
    ['2024-02-29', 'date', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', 'date', '0001-01-01T00:00:00.000Z'],
    ['2026-09-10T23:59', 'local', '2026-09-10T23:59:00.000Z'],
    ['2026-09-10 23:59:59', 'local', '2026-09-10T23:59:59.000Z'],
    ['2026-09-10T23:59:59Z', 'instant', '2026-09-10T23:59:59.000Z'],
    ['2026-09-10t00:30:00.1239+02:00', 'instant', '2026-09-09T22:30:00.123Z'],
    ['2026-09-10T00:30:00-0530', 'instant', '2026-09-10T06:00:00.000Z'],
  ] as const)('is read as it stands: "%s"', (text, kind, at) => {
    expect(readMoment(text)).toEqual({ kind, atMs: Date.parse(at) });
  });

  it('is the moment the platform says, for every moment that the platform writes', () => {
    for (let n = 0; n < 2_000; n += 1) {
      const at = new Date(Math.floor((Math.random() * 9_000 + 100) * 365.25 * 86_400_000) - 62_135_596_800_000);
      expect(readMoment(at.toISOString())).toEqual({ kind: 'instant', atMs: at.getTime() });
    }
  });
});
