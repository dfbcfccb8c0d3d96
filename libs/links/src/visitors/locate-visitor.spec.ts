import { createLogger } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { isUnroutable, normaliseAddress } from './routable-address.js';
import { readGeoRecord } from './geo-record.js';
import { createLocateVisitor, type GeoSource } from './locate-visitor.js';
import { openGeoSources } from './open-geo-sources.js';

const FLAT = {
  city: 'Midrand (Midridge Park)',
  state1: 'Gauteng',
  country_code: 'ZA',
  latitude: -25.9,
  longitude: 28.1,
};
const NESTED = {
  country: { iso_code: 'DE', names: { en: 'Germany' } },
  subdivisions: [{ iso_code: 'HE', names: { en: 'Hesse', de: 'Hessen' } }],
  city: { names: { en: 'Frankfurt am Main' } },
  location: { latitude: 50.1, longitude: 8.6 },
};

function source(records: Record<string, unknown>, ipVersion: 4 | 6 = 4): GeoSource {
  return { ipVersion, get: (address) => records[address] ?? null };
}

describe('readGeoRecord', () => {
  it('reads flat and nested records alike', () => {
    const place = { country: 'ZA', region: 'Gauteng', city: 'Midrand', latitude: -25.9, longitude: 28.1 };
    expect(readGeoRecord(FLAT)).toEqual(place);
    const nested = { country: 'DE', region: 'Hesse', city: 'Frankfurt am Main', latitude: 50.1, longitude: 8.6 };
    expect(readGeoRecord(NESTED)).toEqual(nested);
  });

  it.each(['XX', 'T1', 'A1', 'A2', 'O1', 'ZZ', 'EU', 'AP', 'QM', 'AA', '', 'USA', null, 7])(
    'finds no country in %p, and then no place at all',
    (code) => {
      expect(readGeoRecord({ ...FLAT, country_code: code })).toEqual({});
    },
  );

  it('keeps Kosovo, and passes over empty names and impossible coordinates', () => {
    const record = { country_code: 'xk', city: '', state1: '-', latitude: 91, longitude: 0 };
    expect(readGeoRecord(record)).toEqual({ country: 'XK', region: undefined, city: undefined });
    for (const nonsense of [null, undefined, 'text', 4, []]) expect(readGeoRecord(nonsense)).toEqual({});
  });
});

describe('addresses', () => {
  it.each(['10.1.2.3', '127.0.0.1', '172.20.0.0', '192.168.7.0', '100.64.0.0', '169.254.0.1', '198.51.100.0'])(
    '%s means nothing outside',
    (text) => expect(isUnroutable(normaliseAddress(text)!)).toBe(true),
  );
  it.each([
    '::1',
    '2001:db8::',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '::ffff:10.0.0.1',
    '203.0.113.9',
    '0.1.2.3',
    '240.0.0.1',
  ])('%s means nothing outside', (text) => expect(isUnroutable(normaliseAddress(text)!)).toBe(true));
  it.each(['8.8.8.0', '172.32.0.0', '100.128.0.0', '192.1.2.0', '2a00:1450:4001::', '::ffff:8.8.8.8', '198.20.0.0'])(
    '%s is somebody',
    (text) => expect(isUnroutable(normaliseAddress(text)!)).toBe(false),
  );
  it.each(['', 'localhost', '1.2.3', '1.2.3.4, 5.6.7.8', 'fe80::1%eth0', '999.1.1.1'])('%p is none', (text) => {
    expect(normaliseAddress(text)).toBeNull();
  });
});

describe('locateVisitor', () => {
  const nowhere = { country: 'unknown', region: 'unknown', city: 'unknown', latitude: null, longitude: null };

  it('merges files: the first that knows a field answers it', () => {
    const countryOnly = source({ '8.8.8.0': { country: { iso_code: 'ZA' } } });
    const locateVisitor = createLocateVisitor([countryOnly, source({ '8.8.8.0': FLAT })]);
    expect(locateVisitor('8.8.8.0')).toMatchObject({ country: 'ZA', city: 'Midrand', latitude: -25.9 });
  });

  it('adds no city of another country', () => {
    const first = source({ '8.8.8.0': { country: { iso_code: 'US' } } });
    const locateVisitor = createLocateVisitor([first, source({ '8.8.8.0': FLAT })]);
    expect(locateVisitor('8.8.8.0')).toMatchObject({ ...nowhere, country: 'US' });
  });

  it('never asks an IPv4 file for an IPv6 address', () => {
    const records = { '2a00:1450:4001::': FLAT };
    expect(createLocateVisitor([source(records, 4)])('2a00:1450:4001::')).toMatchObject(nowhere);
    expect(createLocateVisitor([source(records, 6)])('2a00:1450:4001::')).toMatchObject({ country: 'ZA' });
  });

  it('L9: answers unknown for private, missing and malformed addresses, keeping what PostgreSQL can hold', () => {
    const locateVisitor = createLocateVisitor([source({ '10.0.0.0': FLAT })]);
    expect(locateVisitor(null)).toEqual({ ...nowhere, clientIp: null });
    expect(locateVisitor('not an address')).toEqual({ ...nowhere, clientIp: null });
    expect(locateVisitor('10.0.0.0')).toEqual({ ...nowhere, clientIp: '10.0.0.0' });
    expect(locateVisitor('8.8.4.0')).toEqual({ ...nowhere, clientIp: '8.8.4.0' });
  });

  it('survives a damaged record, and counts it', () => {
    let failures = 0;
    const damaged: GeoSource = {
      ipVersion: 4,
      get: () => {
        throw new RangeError('offset out of range');
      },
    };
    const locateVisitor = createLocateVisitor([damaged, source({ '8.8.8.0': FLAT })], () => (failures += 1));
    expect(locateVisitor('8.8.8.0')).toMatchObject({ country: 'ZA' });
    expect(failures).toBe(1);
    locateVisitor('8.8.8.0');
    expect(failures).toBe(1);
  });

  it('L8: does without files that are missing or no databases', () => {
    const broken: string[] = [];
    const files = ['/nowhere/city.mmdb', '/nowhere/city-ipv6.mmdb', new URL(import.meta.url).pathname];
    const logger = createLogger({ name: 'test', level: 'silent' });
    expect(openGeoSources(files, { logger, onBroken: (file) => broken.push(file) })).toEqual([]);
    expect(broken).toEqual(files);
  });
});
