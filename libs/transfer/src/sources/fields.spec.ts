import { describe, expect, it } from '@jest/globals';

import { Fields } from './fields.js';

const read = (value: unknown) => new Fields({ createdAt: value }).instant('createdAt');

describe('the day on which something happened', () => {
  const inHours = (hours: number) => Date.now() + hours * 3_600_000;
  const written = (ms: number) => [new Date(ms).toISOString(), String(Math.floor(ms / 1_000)), ms];

  it.each([...written(inHours(25)), '2033-05-18', '1999999999', '1999999999000', '9999/12/31'])(
    '%s is refused, as it is more than a day from now',
    (value) => {
      expect(() => new Fields({ createdAt: value }).past('createdAt')).toThrow(/^createdAt is more than a day in the/);
    },
  );

  it.each(written(inHours(23)))('%s is taken: zones differ', (value) => {
    expect(new Fields({ createdAt: value }).past('createdAt')).not.toBeNull();
  });
});

describe('a date that is a number', () => {
  it.each([
    ['946684800', '2000-01-01T00:00:00.000Z'],
    ['1714999999', '2024-05-06T12:53:19.000Z'],
    [1_714_999_999, '2024-05-06T12:53:19.000Z'],
    ['1714999999123', '2024-05-06T12:53:19.123Z'],
    ['1893456000', '2030-01-01T00:00:00.000Z'],
    ['1999999999', '2033-05-18T03:33:19.000Z'],
  ])('%s is seconds or milliseconds since 1970', (text, expected) => {
    expect(new Date(read(text) ?? Number.NaN).toISOString()).toBe(expected);
  });

  it.each(['2024050612', '2000010100', '2033123123', '2099022823', 2_024_050_612])(
    '%s may be a day and an hour, and is refused with what to write',
    (text) => {
      expect(() => read(text)).toThrow(
        /^createdAt is seconds since 1970 or a day and an hour: write it as 20\d\d-\d\d-\d\dT/,
      );
    },
  );

  it.each(['100000000', '946684799', '2024130612', '2024050624', '9999999999', '0946684799999', '9999999999999'])(
    '%s is of no likely time, and is refused',
    (text) => {
      expect(() => read(text)).toThrow(/^createdAt is no number of seconds or milliseconds since 1970/);
    },
  );

  it.each(['20240506', '202405061230', '20240506123015'])('%s is no such number', (text) => {
    expect(() => read(text)).toThrow(/^createdAt is no date/);
  });
});
