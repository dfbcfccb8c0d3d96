import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parseConfig } from '@hopcount/runtime';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Reader } from 'maxmind';
import { z } from 'zod';

import { geoDatabases } from '../geo-databases.js';
import { mmdbOf } from './mmdb.spec-helpers.js';
import { MmdbReader } from './mmdb-reader.js';

const ADDRESSES = 20_000;
const { geoDatabases: PACKAGED } = parseConfig(z.object({ GEO_DATABASES: geoDatabases }), {});

describe('a file of places, read by pages', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mmdb-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const written = (name: string, bytes: Buffer) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return file;
  };

  it.each(PACKAGED)('answers of each address what the library does: %s', (file) => {
    const library = new Reader<never>(readFileSync(file));
    const reader = new MmdbReader(file);
    expect([reader.ipVersion, reader.databaseType]).toEqual([
      library.metadata.ipVersion,
      library.metadata.databaseType,
    ]);
    const random = seededRandom(16);
    let known = 0;
    for (let nth = 0; nth < ADDRESSES; nth += 1) {
      const address = anAddress(random, reader.ipVersion);
      const expected: unknown = library.get(address);
      const found = reader.get(address);
      // Cheaper than a comparison by Jest of each.
      if (JSON.stringify(found) !== JSON.stringify(expected)) expect([address, found]).toEqual([address, expected]);
      if (found !== null) known += 1;
    }
    expect(known).toBeGreaterThan(ADDRESSES / 3);
  });

  it.each([24, 32] as const)('has numbers of %i bits in its tree, and values of each kind', (bits) => {
    const record = { name: 'Größe', long: 'x'.repeat(280), number: 77, below: { deep: { 'in it': 'a' } } };
    const networks = Array.from({ length: 300 }, (_, nth) => ({
      ...{ network: `${nth % 200}.${nth}.0.0`, bits: 16 },
      record: { ...record, nth },
    }));
    for (const version of [4, 6] as const) {
      const bytes = mmdbOf('test city', version, networks, bits);
      const [library, reader] = [new Reader<never>(bytes), new MmdbReader(written('a.mmdb', bytes))];
      for (const address of ['7.7.1.1', '7.207.0.1', '99.99.255.255', '230.1.1.1', '0.0.0.0', '255.255.255.255']) {
        expect(reader.get(address)).toEqual(library.get(address));
      }
      expect(reader.get('2001:db8::1')).toBeNull();
    }
  });

  it('that is damaged is refused or says so of an address, and answers of others go on', () => {
    const whole = mmdbOf('test city', 4, [{ network: '7.0.0.0', bits: 8, record: { city: 'Seven' } }]);
    const random = seededRandom(17);
    let answered = 0;
    for (let round = 0; round < 500; round += 1) {
      const bytes = Buffer.from(whole.subarray(0, round % 5 === 0 ? Math.floor(random() * whole.length) : undefined));
      for (let flips = 0; flips < 3 && bytes.length > 0; flips += 1) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      }
      try {
        new MmdbReader(written('damaged.mmdb', bytes)).get('7.1.2.3');
        answered += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(500);
  });

  it('that leads in circles is not followed for ever', () => {
    const bytes = mmdbOf('test city', 4, [{ network: '7.0.0.0', bits: 8, record: { city: 'x' } }]);
    // The record becomes a pointer to itself.
    const at = bytes.indexOf(Buffer.from([0xe1, 0x44]));
    bytes.set([0x20, 0x00], at);
    expect(() => new MmdbReader(written('circle.mmdb', bytes)).get('7.1.2.3')).toThrow(/circles/);
  });

  it('that is written over is read anew, and one in the making costs its places only', () => {
    const file = written('a.mmdb', mmdbOf('test city', 4, [{ network: '7.0.0.0', bits: 8, record: { city: 'One' } }]));
    const reader = new MmdbReader(file, 0);
    expect(reader.get('7.0.0.1')).toEqual({ city: 'One' });
    writeFileSync(file, 'half of');
    expect(() => reader.get('7.0.0.1')).toThrow(/format/);
    writeFileSync(file, mmdbOf('test city', 4, [{ network: '7.0.0.0', bits: 8, record: { city: 'Another' } }]));
    expect(reader.get('7.0.0.1')).toEqual({ city: 'Another' });
  });
});

/** Most of IPv6 belongs to nobody: half of them are below 2000::/7, near to what somebody has. */
function anAddress(random: () => number, ipVersion: 4 | 6): string {
  const group = (below = 65_536) => Math.floor(random() * below);
  if (ipVersion === 4) return [group(256), group(256), group(256), group(256)].join('.');
  const first = [0x2001, 0x2400, 0x2600, 0x2804, 0x2a00, 0x2a02, 0x2c0f, group()][group(8)]!;
  return `${[first, group(4_096), group(16), group()].map((one) => one.toString(16)).join(':')}::${group().toString(16)}`;
}

/** The same numbers in each run. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
