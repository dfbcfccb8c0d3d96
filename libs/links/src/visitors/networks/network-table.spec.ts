import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { createLogger, parseConfig } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { createFindNetwork } from './find-network.js';
import { mmdbOf } from '../mmdb/mmdb.spec-helpers.js';
import { NetworkTable } from './network-table.js';
import { networkDatabases, openNetworks } from './open-networks.js';

const IPV4 = `1.0.0.0,1.0.0.255,13335,"Cloud ""flare"", Inc."\n1.0.4.0,1.0.7.255,38803,Gtelecom\n255.0.0.0,255.255.255.255,7,Größe\n`;
const IPV6 = `2001::,2001::ffff:ffff:ffff:ffff:ffff:ffff,6939,Hurricane\n2001:4:112::,2001:4:112:ffff:ffff:ffff:ffff:ffff,13335,Other name\n`;
const ipv4 = new NetworkTable(Buffer.from(IPV4), 4);
const ipv6 = new NetworkTable(Buffer.from(IPV6), 6);

describe('networks of addresses', () => {
  it.each([
    ['1.0.0.0', 'AS13335 Cloud "flare", Inc.'],
    ['1.0.0.255', 'AS13335 Cloud "flare", Inc.'],
    ['0.255.255.255', undefined],
    ['1.0.1.0', undefined],
    ['1.0.3.255', undefined],
    ['1.0.5.77', 'AS38803 Gtelecom'],
    ['1.0.8.0', undefined],
    ['255.255.255.255', 'AS7 Größe'],
    ['2001::', 'AS6939 Hurricane'],
    ['2001:0:0:0:0:0:0:1', 'AS6939 Hurricane'],
    ['2001::FFFF:ffff:ffff:ffff:ffff:ffff', 'AS6939 Hurricane'],
    ['2001:1::', undefined],
    ['2001:4:112:1::8', 'AS13335 Other name'],
    ['2001:4:113::', undefined],
    ['::1', undefined],
    ['2001:4:112::1.2.3.4', undefined],
  ])('%s: %s', (text, network) => {
    const isIPv6 = text.includes(':');
    expect((isIPv6 ? ipv6 : ipv4).find({ text, family: isIPv6 ? 6 : 4 })).toBe(network);
    expect((isIPv6 ? ipv4 : ipv6).find({ text, family: isIPv6 ? 6 : 4 })).toBe(undefined);
  });

  it.each([
    ['a file of something else', 'ip,country\n1,2\n'],
    ['ranges without an order', '1.0.4.0,1.0.4.255,1,A\n1.0.0.0,1.0.1.0,2,B\n'],
    ['a range that ends before it begins', '1.0.0.9,1.0.0.1,1,A\n'],
    ['nothing', ''],
  ])('are not read from %s', (_, csv) => {
    expect(() => new NetworkTable(Buffer.from(csv), 4)).toThrow(RangeError);
  });

  it('are those that the package says, of the first, the last and the gaps of its ranges', () => {
    const folder = dirname(createRequire(import.meta.url).resolve('@ip-location-db/asn/package.json'));
    const networks = openNetworks([], quiet());
    for (const [name, family] of [
      ['asn-ipv4.csv', 'ipv4'],
      ['asn-ipv6.csv', 'ipv6'],
    ] as const) {
      const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
      for (let nth = 0; nth < lines.length; nth += 2_003) {
        const [start = '', end = '', asNumber] = lines[nth]!.split(',');
        for (const text of [start, end]) {
          const address = { text, family: family === 'ipv4' ? 4 : 6 } as const;
          const found = networks.map((source) => source.find(address)).find(Boolean);
          expect([text, found?.split(' ')[0]]).toEqual([text, `AS${asNumber}`]);
          const range = new BlockList();
          range.addRange(start, end, family);
          expect(range.check(text, family)).toBe(true);
        }
      }
    }
  });

  it.each([4, 6] as const)(
    'are read from files in the format of MaxMind (a tree of IPv%s), the first that knows',
    (ipVersion) => {
      const folder = mkdtempSync(join(tmpdir(), 'networks-'));
      const write = (name: string, bytes: Buffer) => {
        writeFileSync(join(folder, name), bytes);
        return join(folder, name);
      };
      const asn = (asNumber: number, name?: string) => ({
        ...{ autonomous_system_number: asNumber, ...(name !== undefined && { autonomous_system_organization: name }) },
      });
      const files = [
        write(
          'own.mmdb',
          mmdbOf('GeoLite2-ASN', ipVersion, [
            {
              network: '1.0.4.0',
              bits: 22,
              record: asn(64_500, 'Größe & Söhne, of a name longer than a control byte holds'),
            },
            { network: '81.2.69.0', bits: 24, record: asn(64_501) },
            { network: '81.2.70.0', bits: 24, record: { isp: 'without a number' } },
          ]),
        ),
        write(
          'other.mmdb',
          mmdbOf('GeoIP2-ISP', ipVersion, [{ network: '81.0.0.0', bits: 8, record: asn(64_502, 'Other') }]),
        ),
        write('cities.mmdb', mmdbOf('GeoLite2-City', ipVersion, [{ network: '9.0.0.0', bits: 8, record: asn(1) }])),
      ];
      const broken: string[] = [];
      const { networkDatabases: read } = parseConfig(z.object({ NETWORK_DATABASES: networkDatabases }), {
        NETWORK_DATABASES: files.join(', '),
      });
      const findNetwork = createFindNetwork(
        openNetworks(
          read,
          quiet((name) => broken.push(name)),
        ),
      );
      expect(broken).toEqual([files[2]]);
      expect(
        ['1.0.4.0', '1.0.7.255', '1.0.8.0', '81.2.69.7', '81.2.70.1', '81.255.0.1', '9.9.9.9', '2001::1'].map(
          findNetwork,
        ),
      ).toEqual([
        'AS64500 Größe & Söhne, of a name longer than a control byte holds',
        'AS64500 Größe & Söhne, of a name longer than a control byte holds',
        ...['unknown', 'AS64501', 'AS64502 Other', 'AS64502 Other', 'unknown', 'unknown'],
      ]);
      rmSync(folder, { recursive: true });
    },
  );

  it('are unknown of private addresses, of nobody, and where a file cannot be used, which is said', () => {
    const folder = mkdtempSync(join(tmpdir(), 'networks-'));
    const file = join(folder, 'broken.mmdb');
    writeFileSync(file, 'no database');
    const broken: string[] = [];
    const sources = openNetworks(
      [file, join(folder, 'missing.mmdb')],
      quiet((name) => broken.push(name)),
    );
    expect([sources, broken]).toEqual([[], [file, join(folder, 'missing.mmdb')]]);
    rmSync(folder, { recursive: true });
    expect(openNetworks(['none'], quiet())).toEqual([]);
    const damaged = {
      find: () => {
        throw new Error('damaged');
      },
    };
    let failures = 0;
    const findNetwork = createFindNetwork([damaged, ipv4], () => (failures += 1));
    expect(['1.0.5.0', '::ffff:1.0.5.1', '10.0.0.1', 'x', null, '9.9.9.9'].map(findNetwork)).toEqual([
      ...['AS38803 Gtelecom', 'AS38803 Gtelecom', 'unknown', 'unknown', 'unknown', 'unknown'],
    ]);
    expect(failures).toBe(3);
  });
});

function quiet(onBroken: (file: string) => void = () => undefined) {
  return { logger: createLogger({ name: 'test', level: 'silent' }), onBroken };
}
