import { describe, expect, it } from '@jest/globals';

import { PROBLEMS } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';

import { parseRange, type RangeInput } from './statistics-range.js';

const NOW = Date.parse('2026-11-21T11:22:33.456Z');

function range(input: RangeInput) {
  const { from, to, ...rest } = parseRange(input, NOW);
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...rest };
}

function codeOf(input: RangeInput): string {
  try {
    parseRange(input, NOW);
  } catch (error) {
    if (error instanceof AppError && error.code in PROBLEMS) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('the range of a statistics request', () => {
  it('is by default the last 30 days up to the next boundary', () => {
    expect(range({})).toEqual({
      from: '2026-10-22T00:00:00.000Z',
      to: '2026-11-22T00:00:00.000Z',
      timeZone: 'UTC',
      interval: 'day',
    });
    expect(range({ interval: 'hour', timeZone: 'Asia/Kolkata' })).toMatchObject({
      from: '2026-10-21T18:30:00.000Z',
      to: '2026-11-21T11:30:00.000Z',
    });
    expect(range({ interval: 'week' }).to).toBe('2026-11-23T00:00:00.000Z');
    expect(range({ interval: 'month' }).to).toBe('2026-12-01T00:00:00.000Z');
    expect(range({ endDate: '2026-03-31' }).from).toBe('2026-03-02T00:00:00.000Z');
  });

  it('takes a date as end whole, in the zone given', () => {
    const one = { startDate: '2026-03-08', endDate: '2026-03-08', timeZone: 'America/New_York' };
    expect(range(one)).toMatchObject({ from: '2026-03-08T05:00:00.000Z', to: '2026-03-09T04:00:00.000Z' });
    expect(range({ startDate: '2018-11-04', endDate: '2018-11-04', timeZone: 'America/Sao_Paulo' })).toMatchObject({
      from: '2018-11-04T03:00:00.000Z',
      to: '2018-11-05T02:00:00.000Z',
    });
  });

  it.each([
    ['2026-06-01T10:00:00Z', '2026-06-01T10:00:00.000Z'],
    ['2026-06-01T10:00:00.5+02:00', '2026-06-01T08:00:00.500Z'],
    ['2026-06-01T10:00:00 02:00', '2026-06-01T08:00:00.000Z'],
    ['2026-06-01t10:00:00z', '2026-06-01T10:00:00.000Z'],
    ['2026-06-01T10:00', '2026-06-01T04:30:00.000Z'],
    ['2026-06-01 10:00:00.0000001', '2026-06-01T04:30:00.001Z'],
    ['2026-06-01', '2026-05-31T18:30:00.000Z'],
  ])('reads %s', (startDate, from) => {
    expect(range({ startDate, endDate: '2026-07-01', timeZone: 'Asia/Calcutta' }).from).toBe(from);
  });

  it('may be empty, or wholly in the future', () => {
    expect(range({ startDate: '2026-06-01T10:00:00Z', endDate: '2026-06-01T10:00:00Z' })).toMatchObject({
      from: '2026-06-01T10:00:00.000Z',
      to: '2026-06-01T10:00:00.000Z',
    });
    expect(range({ startDate: '2031-01-01' })).toMatchObject({ to: '2031-01-02T00:00:00.000Z' });
  });

  it.each([
    [{ startDate: '2026-06-02', endDate: '2026-06-01T00:00:00Z' }],
    [{ startDate: 'yesterday' }],
    [{ startDate: '' }],
    [{ startDate: '2026-02-30' }],
    [{ startDate: '2026-06-01T25:00:00Z' }],
    [{ startDate: '2026-06-01T10:00:00+99:99' }],
    [{ startDate: '0000-01-01', endDate: '0000-01-02' }],
    [{ startDate: '+275760-09-13T00:00:00Z' }],
    [{ startDate: '2026-06-01T00:00:00[Europe/Berlin]' }],
    [{ startDate: '2010-01-01', endDate: '2026-01-01' }],
    [{ startDate: '2024-01-01', endDate: '2026-01-01', interval: 'hour' }],
  ])('refuses %j', (input) => {
    expect(codeOf(input)).toBe('invalid-range');
  });

  it.each(['Mars/Olympus', '+02:00', '', '2020-01-01T00:00[Asia/Tokyo]', "UTC'; --", 'x'.repeat(5000)])(
    'refuses the zone %s',
    (timeZone) => {
      expect(codeOf({ timeZone })).toBe('invalid-time-zone');
    },
  );

  it.each(['UTC', 'Asia/Calcutta', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
    'knows the zone %s',
    (timeZone) => {
      expect(range({ timeZone }).timeZone).toBe(timeZone);
    },
  );

  it('refuses an unknown interval', () => {
    expect(codeOf({ interval: 'decade' })).toBe('invalid-data');
  });

  it.each([
    ['2026-09-10', '2026-09-09'],
    ['2026-09-10', '2026-08-01'],
    ['2026-09-10T10:00:00', '2026-09-09'],
    ['2026-09-10T10:00:00Z', '2026-09-10T09:59:59.999Z'],
    ['2026-09-10T10:00:00+02:00', '2026-09-10T07:00:00Z'],
  ])('refuses a range from %s to %s: it is reversed', (startDate, endDate) => {
    expect(() => parseRange({ startDate, endDate, timeZone: 'Europe/Berlin' }, Date.UTC(2026, 10))).toThrow(
      expect.objectContaining({ code: 'invalid-range', details: { invalidElements: ['startDate', 'endDate'] } }),
    );
  });

  it('takes a range of one day, and one that is empty at an instant', () => {
    const day = parseRange({ startDate: '2026-09-10', endDate: '2026-09-10' }, Date.UTC(2026, 10));
    expect(day.to - day.from).toBe(86_400_000);
    const at = '2026-09-10T10:00:00Z';
    expect(parseRange({ startDate: at, endDate: at }, Date.UTC(2026, 10))).toMatchObject({
      from: Date.parse(at),
      to: Date.parse(at),
    });
  });

  it.each([
    '2026-09-10T23:59:60Z',
    '2026-09-10T23:59:60',
    '2026-09-10T23:60:00Z',
    '2026-09-10T24:00:00Z',
    '2026-02-30',
    '2026-02-30T10:00:00Z',
    '2026-09-10T10:00:00+24:00',
    '2026-09-10T10:00:00+02:60',
    '2026-09-10T10:00:00 02:60',
  ])('refuses %s, as start and as end: there is no such moment', (text) => {
    for (const element of ['startDate', 'endDate'])
      expect(() => parseRange({ [element]: text }, Date.UTC(2026, 10))).toThrow(
        expect.objectContaining({ code: 'invalid-range', details: { invalidElements: [element] } }),
      );
  });
});
