import { UNKNOWN } from '@hopcount/contracts';

import { memoised } from '../memoised.js';
import { isUnroutable, normaliseAddress } from '../routable-address.js';
import type { NetworkSource } from './network-table.js';

const CACHE_ENTRIES = 20_000;

/** Address → its network as `AS64500 Example Ltd`, of the first source that knows; else `unknown`. Never throws. */
export function createFindNetwork(sources: readonly NetworkSource[], onFailure: () => void = () => undefined) {
  const networkOf = memoised((clientIp) => lookUp(clientIp, sources, onFailure), CACHE_ENTRIES);
  return function findNetwork(clientIp: string | null): string {
    return clientIp === null || sources.length === 0 ? UNKNOWN : networkOf(clientIp);
  };
}

function lookUp(clientIp: string, sources: readonly NetworkSource[], onFailure: () => void): string {
  const address = normaliseAddress(clientIp);
  if (address === null || isUnroutable(address)) return UNKNOWN;
  for (const source of sources) {
    try {
      const found = source.find(address);
      if (found !== undefined) return found;
    } catch {
      // A damaged record inside a file that opened well.
      onFailure();
    }
  }
  return UNKNOWN;
}
