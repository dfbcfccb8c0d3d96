import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';

/**
 * Cookie `hc_visitor` = `v1.<id>.<visitor key>.<signature>`, each of the three 22 base64url
 * characters (128 bits and more):
 * - id: random, one per cookie; makes every cookie different even when the key is the same;
 * - visitor key: what is counted. It is the key the visitor had on the request that had no cookie,
 *   so a browser is one visitor from its first visit on, and a client that drops its cookies stays
 *   the same visitor for the day instead of becoming a new one on every request;
 * - signature: HMAC over id, key and domain: a cookie made up, altered, or set for another domain is
 *   worth nothing.
 */
export const VISITOR_COOKIE = 'hc_visitor';
const SHAPE = /^v1\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{22})$/;
const COOKIE_LENGTH = 2 + 3 * 23;
const MAX_AGE_SECONDS = 400 * 24 * 3_600; // browsers keep no cookie longer
/** Cookies of our name looked at in one request; more can only be an attack on our CPU. */
const MAX_CANDIDATES = 3;
const KEY_LENGTH = 22;

/** Keys derived from HOPCOUNT_SECRET, one per use, so that one hash never stands in for another. */
export interface VisitorKeys {
  cookie: Buffer;
  visitor: Buffer;
  ip: Buffer;
}

export function deriveVisitorKeys(secret: string): VisitorKeys {
  const derive = (use: string) => createHmac('sha256', secret).update(`hopcount/${use}/v1`).digest();
  return { cookie: derive('cookie'), visitor: derive('visitor'), ip: derive('ip') };
}

function sign(keys: VisitorKeys, id: string, visitorKey: string, domain: string): string {
  return shortened(createHmac('sha256', keys.cookie).update(`${id}.${visitorKey}.${domain}`));
}

/** The first 132 of 256 bits. Straight to text: by way of a Buffer it costs half as much again. */
function shortened(mac: Hmac): string {
  return mac.digest('base64url').slice(0, KEY_LENGTH);
}

/** @param id 22 base64url characters of fresh randomness. */
export function makeVisitorCookie(keys: VisitorKeys, id: string, visitorKey: string, domain: string): string {
  return `v1.${id}.${visitorKey}.${sign(keys, id, visitorKey, domain)}`;
}

/** The visitor key inside a cookie that we issued for this domain; undefined for anything else. */
export function verifyVisitorCookie(keys: VisitorKeys, cookie: string, domain: string): string | undefined {
  if (cookie.length !== COOKIE_LENGTH) return undefined;
  const [, id, visitorKey, signature] = SHAPE.exec(cookie) ?? [];
  if (id === undefined || visitorKey === undefined || signature === undefined) return undefined;
  const expected = sign(keys, id, visitorKey, domain);
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature)) ? visitorKey : undefined;
}

/** Values of our cookie in a Cookie header, first three at most. */
export function visitorCookiesOf(header: string): string[] {
  const found: string[] = [];
  const prefix = `${VISITOR_COOKIE}=`;
  let at = header.indexOf(prefix);
  while (at !== -1 && found.length < MAX_CANDIDATES) {
    const end = header.indexOf(';', at);
    if (at === 0 || header[at - 1] === ' ' || header[at - 1] === ';') {
      found.push(header.slice(at + prefix.length, end === -1 ? undefined : end).trim());
    }
    at = end === -1 ? -1 : header.indexOf(prefix, end);
  }
  return found;
}

/** What a visitor without a valid cookie is called for one UTC day. */
export function dailyVisitorKey(
  keys: VisitorKeys,
  facts: { address: string; userAgent: string; acceptLanguage: string; domain: string; day: string },
): string {
  // Lengths first: no value can pass for the end of another.
  const { address, userAgent, acceptLanguage, domain, day } = facts;
  const text = `${address.length}.${userAgent.length}.${acceptLanguage.length}.${domain.length}:${address}${userAgent}${acceptLanguage}${domain}${day}`;
  return shortened(createHmac('sha256', keys.visitor).update(text));
}

/** 16 hex digits; the secret is stable, so distinct addresses stay exact over any range of days. */
export function hashClientAddress(keys: VisitorKeys, address: string): string {
  return createHmac('sha256', keys.ip).update(address).digest('hex').slice(0, 16);
}

/** Value of Set-Cookie. No Domain attribute: the cookie belongs to this host alone. */
export function setVisitorCookie(cookie: string, secure: boolean): string {
  return `${VISITOR_COOKIE}=${cookie}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
