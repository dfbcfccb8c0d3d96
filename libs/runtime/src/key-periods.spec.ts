import { describe, expect, it } from '@jest/globals';

import { KeyPeriods, keyRotations } from './key-periods.js';
import { createHashAddress, createHashVisitor } from './visitor-hashes.js';

const at = (text: string) => Date.parse(`${text}Z`);
const day = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 10));
const periodsOf = (text: string) => new KeyPeriods(keyRotations.parse(text));
const hashing = 'a secret for tests that is long enough';

describe('key periods', () => {
  const periods = periodsOf('2027-01-01/30, 2027-03-15,2028-01-01/1');

  it.each([
    ['2026-12-31T23:59:59.999', undefined],
    ['2027-01-01T00:00', '2027-01-01'],
    ['2027-01-30T23:59:59.999', '2027-01-01'],
    ['2027-01-31T00:00', '2027-01-31'],
    ['2027-03-14T23:59', '2027-03-02'],
    ['2027-03-15T00:00', '2027-03-15'],
    ['2027-12-31T23:59', '2027-03-15'],
    ['2028-02-29T12:00', '2028-02-29'],
  ])('at %s since %s', (instant, start) => {
    expect(day(periods.startAt(at(instant)))).toBe(start);
  });

  it('names the changes within a range, not those at its ends', () => {
    const changes = (from: string, before: string, atMost?: number) =>
      periods.changes({ fromMs: at(from), beforeMs: at(before) }, atMost).map(day);
    expect(changes('2026-01-01', '2027-12-31')).toEqual(['2027-01-01', '2027-01-31', '2027-03-02', '2027-03-15']);
    expect(changes('2027-01-01', '2027-01-31')).toEqual([]);
    expect(changes('2027-01-30T23:00', '2027-03-02T00:01')).toEqual(['2027-01-31', '2027-03-02']);
    expect(changes('2028-01-05', '2029-01-01', 2)).toEqual(['2028-01-06', '2028-01-07']);
    expect(periodsOf('').changes({ fromMs: -Infinity, beforeMs: Infinity })).toEqual([]);
    const begun = periods.changes({ fromMs: -Infinity, beforeMs: at('2028-01-03') });
    expect(begun.map(day).slice(-3)).toEqual(['2027-03-15', '2028-01-01', '2028-01-02']);
  });

  it('are written as they are read, and say from when on others differ', () => {
    expect(String(periods)).toBe('2027-01-01/30,2027-03-15,2028-01-01/1');
    const differ = (one: string, other: string, before = '2029-01-01') =>
      day(periodsOf(one).firstDifference(periodsOf(other), at(before)));
    expect(differ('2027-01-01/30', '2027-01-01')).toBe('2027-01-31');
    expect(differ('2027-01-01', '2027-01-01/30')).toBe('2027-01-31');
    expect(differ('2027-01-05', '2027-01-01')).toBe('2027-01-01');
    expect(differ('', '2027-01-01')).toBe('2027-01-01');
    // The same days in other words.
    expect(differ('2027-01-01/30,2027-01-31/30', '2027-01-01/30')).toBeUndefined();
    expect(differ('2027-01-01', '2027-01-01,2028-01-01', '2028-01-01')).toBeUndefined();
  });

  it.each([
    'tomorrow',
    '2019-12-31',
    '0001-01-01/1',
    '2027-02-31',
    '2027-01-01/0',
    '2027-01-01/9999',
    '2027-01-01/30d',
    '2027-02-01,2027-01-01',
  ])('are not read from %s', (text) => {
    expect(keyRotations.safeParse(text).error?.issues[0]?.message).toContain('2027-01-01/30');
  });

  it('decide the hashes of people by the time of the visit alone: read again, or by another process, they are the same', () => {
    const rotated = { hashing, keyPeriods: periods };
    const [once, again] = [createHashVisitor(rotated), createHashVisitor(rotated)];
    const instants = ['2026-06-01', '2027-01-05', '2027-02-05', '2027-03-03', '2027-06-01', '2028-01-01', '2028-01-02'];
    const hashes = instants.map((instant) => once('a visitor', at(instant)));
    expect(new Set(hashes).size).toBe(instants.length);
    expect([...instants].reverse().map((instant) => again('a visitor', at(instant)))).toEqual([...hashes].reverse());
    // Before the first rotation as without any: nobody counts anew because rotations were planned.
    const never = { hashing, keyPeriods: new KeyPeriods() };
    expect(hashes[0]).toBe(createHashVisitor(never)('a visitor', at('2028-01-01')));
    const [hashAddress, unrotated] = [createHashAddress(rotated), createHashAddress(never)];
    const addresses = instants.map((instant) => hashAddress('203.0.113.7', at(instant)));
    expect(new Set(addresses).size).toBe(instants.length);
    expect(addresses[0]).toBe(unrotated('203.0.113.7', at('2028-01-01')));
    expect(addresses[1]).toBe(hashAddress('203.0.113.7', at('2027-01-30T23:59')));
  });
});
