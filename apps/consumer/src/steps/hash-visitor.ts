import { createHmac } from 'node:crypto';

import { LRUCache } from 'lru-cache';

const CACHE_ENTRIES = 20_000;

/**
 * Visitor id → signed 64-bit number as text: the first 8 bytes of a keyed hash. Stable for ever (the
 * key depends on HOPCOUNT_SECRET only), so that visitors of any range can be told apart; 64 bits
 * collide once in a few billion visitors of one link.
 */
export function createHashVisitor(secret: string) {
  const key = createHmac('sha256', secret).update('hopcount visitor hash v1').digest();
  const cache = new LRUCache<string, string>({ max: CACHE_ENTRIES });
  return function hashVisitor(visitorId: string | null): string | null {
    if (visitorId === null) return null;
    let hash = cache.get(visitorId);
    if (hash === undefined) {
      hash = createHmac('sha256', key).update(visitorId).digest().readBigInt64BE(0).toString();
      cache.set(visitorId, hash);
    }
    return hash;
  };
}

/** The gateway's 16 hex digits as the signed 64-bit number PostgreSQL keeps. */
export function readIpHash(clientIpHash: string | null): string | null {
  return clientIpHash === null ? null : BigInt.asIntN(64, BigInt(`0x${clientIpHash}`)).toString();
}
