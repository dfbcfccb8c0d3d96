import { describe, expect, it } from '@jest/globals';

import {
  formatChange,
  formatCount,
  formatInstant,
  formatPoint,
  formatShare,
  countryName,
  regionOf,
  UNKNOWN,
} from './format.js';

describe('a language', () => {
  it.each([
    ['en', ['de-DE', 'en-GB', 'en-US'], 'en-GB'],
    ['en', ['de'], 'en'],
    ['zh-CN', ['zh-TW', 'zh'], 'zh'],
    ['zh-CN', ['zh-HK'], 'zh-CN'],
  ])('%s of a browser that asks for %j is written as %s', (language, asked, expected) =>
    expect(regionOf(language, asked)).toBe(expected),
  );
});

describe('numbers', () => {
  it('are written as the language does, and unknown ones never as 0', () => {
    expect([formatCount(1_234_567, 'en'), formatCount(1_234_567, 'de'), formatCount(0, 'en')]).toEqual([
      ...['1,234,567', '1.234.567', '0'],
    ]);
    expect([formatCount(undefined, 'en'), formatCount(null, 'zh-CN'), formatShare(0, 0, 'en')]).toEqual(
      Array.from({ length: 3 }, () => UNKNOWN),
    );
  });

  it('say how much more or less there is, and nothing where there was none before', () => {
    expect([formatChange(150, 100, 'en'), formatChange(99, 100, 'en'), formatChange(7, 7, 'en')]).toEqual([
      ...['+50%', '-1%', '0%'],
    ]);
    expect(formatChange(5, 0, 'en')).toBe(UNKNOWN);
    expect([formatShare(1, 3, 'en'), formatShare(1, 1_000, 'en')]).toEqual(['33%', '0.1%']);
  });
});

describe('times', () => {
  it('are those of the zone that is looked at, also when a clock shows an hour twice', () => {
    const place = { language: 'en-GB', zone: 'Europe/Berlin' };
    expect(formatPoint('2026-10-25T01:00:00+02:00', 'hour', place)).toMatch(/01:00$/);
    expect(formatPoint('2026-10-25T02:00:00+02:00', 'hour', place)).toMatch(/02:00.*GMT\+2$/);
    expect(formatPoint('2026-10-25T02:00:00+01:00', 'hour', place)).toMatch(/02:00.*GMT\+1$/);
    expect(formatPoint('2026-10-25T03:00:00+01:00', 'hour', place)).toMatch(/03:00$/);
    const half = { language: 'en-GB', zone: 'Australia/Lord_Howe' };
    expect(formatPoint('2026-04-05T01:45:00+11:00', '15min', half)).toMatch(/GMT\+11$/);
    expect(formatPoint('2026-04-05T01:45:00+10:30', '15min', half)).toMatch(/GMT\+10:30$/);
    expect(formatPoint('2026-03-01T00:00:00+01:00', 'day', place)).toMatch(/Sun.*1 Mar/);
    expect(formatInstant('2026-03-01T00:00:00Z', 'dateTime', { language: 'en-GB', zone: 'Asia/Tokyo' })).toContain(
      '09:00',
    );
    expect(formatInstant(null, 'date', { language: 'en' })).toBe(UNKNOWN);
  });
});

describe('countries', () => {
  it('have their name in the language of the page, and what is no code stays as it is', () => {
    expect([countryName('DE', 'en'), countryName('DE', 'zh-CN'), countryName('<b>', 'en')]).toEqual([
      ...['Germany', '德国', undefined],
    ]);
  });
});
