import { createHmac } from 'node:crypto';

import { createFastHmac } from './fast-hmac.js';
import { MadePerPeriod } from './key-periods.js';
import type { HashKeys } from './secrets.js';

/** Of the cookie by which a gateway knows a visitor again; see the gateway's visitor-cookie.ts. */
export const VISITOR_COOKIE_SHAPE =
  /^(?:v1|v2\.(?<keyId>[\w-]{4}))\.(?<id>[\w-]{22})\.(?<visitorKey>[\w-]{22})\.(?<signature>[\w-]{22})$/;

/**
 * Visitor id and the visit's time → signed 64-bit number as text: the first 8 bytes of HMAC-SHA256. Stable for ever (the
 * key depends on HOPCOUNT_SECRET and the key period of the visit only), so that visitors of any range within a period
 * can be told apart; 64 bits collide once in a few billion visitors of one link. No cache: most visitors come once.
 */
export function createHashVisitor({ hashing, keyPeriods }: HashKeys) {
  const hmacs = new MadePerPeriod(keyPeriods, (period) =>
    createFastHmac(createHmac('sha256', hashing).update(`hopcount visitor hash v1${period}`).digest()),
  );
  return function hashVisitor(visitorId: string | null, atMs: number): string | null {
    return visitorId === null ? null : hmacs.at(atMs).int64(visitorId).toString();
  };
}

/** The gateway's 16 hex digits as the signed 64-bit number PostgreSQL keeps. */
export function readIpHash(clientIpHash: string | null): string | null {
  return clientIpHash === null ? null : BigInt.asIntN(64, BigInt(`0x${clientIpHash}`)).toString();
}

/** Address and the visit's time → 16 hex digits, which gateways put into events. Distinct addresses are exact over any range within a key period. */
export function createHashAddress({ hashing, keyPeriods }: HashKeys) {
  const hmacs = new MadePerPeriod(keyPeriods, (period) =>
    createFastHmac(createHmac('sha256', hashing).update(`hopcount/ip/v1${period}`).digest()),
  );
  return function hashAddress(address: string, atMs: number): string {
    return hmacs.at(atMs).text(address, 'hex').slice(0, 16);
  };
}
