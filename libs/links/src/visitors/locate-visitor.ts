import { UNKNOWN } from '@hopcount/contracts';

import { memoised } from './memoised.js';
import { isUnroutable, normaliseAddress } from './routable-address.js';
import { type GeoRecord, readGeoRecord } from './geo-record.js';

export interface Place {
  /** The address as PostgreSQL's `inet` takes it; null when it is none. */
  clientIp: string | null;
  country: string;
  region: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
}

/** One database file. */
export interface GeoSource {
  /** 4: the file knows nothing of IPv6 and would answer with some IPv4 network's place. */
  ipVersion: 4 | 6;
  get(address: string): unknown;
}

/** What is known of a visitor without an address. */
export const NOWHERE: Place = Object.freeze({
  clientIp: null,
  country: UNKNOWN,
  region: UNKNOWN,
  city: UNKNOWN,
  latitude: null,
  longitude: null,
});
const CACHE_ENTRIES = 20_000;

/**
 * Address → place, from local files; the first file that knows a field answers it. What no file
 * knows, private and reserved addresses and codes that name no country are `unknown`. Never throws.
 */
export function createLocateVisitor(sources: readonly GeoSource[], onFailure: () => void = () => undefined) {
  const placeOf = memoised((clientIp) => lookUp(clientIp, sources, onFailure), CACHE_ENTRIES);
  return function locateVisitor(clientIp: string | null): Place {
    return clientIp === null ? NOWHERE : placeOf(clientIp);
  };
}

function lookUp(clientIp: string, sources: readonly GeoSource[], onFailure: () => void): Place {
  const address = normaliseAddress(clientIp);
  if (address === null) return NOWHERE;
  if (isUnroutable(address)) return { ...NOWHERE, clientIp: address.text };
  const found: GeoRecord = {};
  for (const source of sources) {
    if (source.ipVersion === 4 && address.family === 6) continue;
    try {
      fillGaps(found, readGeoRecord(source.get(address.text)));
    } catch {
      // A damaged record inside a file that opened well.
      onFailure();
    }
  }
  return {
    clientIp: address.text,
    country: found.country ?? UNKNOWN,
    region: found.region ?? UNKNOWN,
    city: found.city ?? UNKNOWN,
    latitude: found.latitude ?? null,
    longitude: found.longitude ?? null,
  };
}

function fillGaps(found: GeoRecord, more: GeoRecord): void {
  // A second file that places the address in another country may not add its cities to the first's.
  if (found.country !== undefined && more.country !== undefined && found.country !== more.country) return;
  found.country ??= more.country;
  found.region ??= more.region;
  found.city ??= more.city;
  if (found.latitude === undefined) {
    found.latitude = more.latitude;
    found.longitude = more.longitude;
  }
}
