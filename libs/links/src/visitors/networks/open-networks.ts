import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { env } from '@hopcount/runtime';

import { MmdbReader } from '../mmdb/mmdb-reader.js';
import { type OpenGeoOptions, reportBroken } from '../open-geo-sources.js';
import { networkName, type NetworkSource, NetworkTable } from './network-table.js';

/** Names no network. */
const NONE = 'none';
/** The setting NETWORK_DATABASES: files in MaxMind's format with AS numbers, the first that knows answers; `none`; or the package's. */
export const networkDatabases = env.list();

/**
 * A file that cannot be used costs its networks, never the process. Those of the package are read when the first address of
 * their kind comes (0.4 s and 8 MB for IPv4, 0.2 s and 6 MB for IPv6): behind a proxy that is not trusted none ever does.
 */
export function openNetworks(files: readonly string[], options: OpenGeoOptions): NetworkSource[] {
  if (files.includes(NONE)) return [];
  const opened = <Source>(name: string, open: () => Source): Source[] => {
    try {
      return [open()];
    } catch (error) {
      reportBroken(name, error, options);
      return [];
    }
  };
  if (files.length > 0) return files.flatMap((file) => opened(file, () => new NetworksOfMaxMind(file)));
  return PACKAGED.map(({ file, family }) => {
    let tables: NetworkTable[] | undefined;
    return {
      find: (address) => {
        if (address.family !== family) return undefined;
        tables ??= opened(file, () => new NetworkTable(readFileSync(join(packageFolder(), file)), family));
        return tables[0]?.find(address);
      },
    };
  });
}

const PACKAGED = [
  { file: 'asn-ipv4.csv', family: 4 },
  { file: 'asn-ipv6.csv', family: 6 },
] as const;

function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('@ip-location-db/asn/package.json'));
}

class NetworksOfMaxMind implements NetworkSource {
  readonly #reader: MmdbReader;

  constructor(file: string) {
    this.#reader = new MmdbReader(file);
    const { databaseType } = this.#reader;
    if (!/asn|isp/i.test(databaseType)) throw new RangeError(`it is a ${databaseType}, and has no AS numbers`);
  }

  find({ text }: Parameters<NetworkSource['find']>[0]): string | undefined {
    const found = this.#reader.get(text) as Record<string, unknown> | null;
    const { autonomous_system_number: asNumber, autonomous_system_organization: name } = found ?? {};
    return typeof asNumber === 'number' ? networkName(asNumber, typeof name === 'string' ? name : '') : undefined;
  }
}
