import { timingSafeEqual } from 'node:crypto';

import { createFastHmac, type FastHmac, type Secrets, VISITOR_COOKIE_SHAPE } from '@hopcount/runtime';

import { cookiesNamed } from '../cookies.js';
import { deriveKey, signatureOf, type SigningKey, signingKeys } from '../signing-keys.js';

/**
 * Cookie `hc_visitor` = `v1.<id>.<visitor key>.<signature>`, each of the three 22 base64url characters
 * (128 bits and more); once the first secret was replaced `v2.<key id>.<id>.<visitor key>.<signature>`:
 * - key id: 4 characters that say which secret signed it;
 * - id: random, one per cookie; makes every cookie different even when the key is the same;
 * - visitor key: what is counted. It is the key the visitor had on the request that had no cookie,
 *   so a browser is one visitor from its first visit on, and a client that drops its cookies stays
 *   the same visitor for the day instead of becoming a new one on every request;
 * - signature: HMAC over id, key and domain: a cookie made up, altered, or set for another domain is
 *   worth nothing.
 */
export const VISITOR_COOKIE = 'hc_visitor';
const MAX_COOKIE_LENGTH = 2 + 5 + 3 * 23;
const MAX_AGE_SECONDS = 400 * 24 * 3_600; // browsers keep no cookie longer

export interface VisitorKeys {
  /** Whether cookies say which key signed them: not before there was a second one. */
  namesKey: boolean;
  /** The first signs; the others are believed. */
  cookies: readonly [SigningKey, ...SigningKey[]];
  visitor: FastHmac;
}

export function deriveVisitorKeys(secrets: Pick<Secrets, 'signing' | 'hashing'>): VisitorKeys {
  const {
    signing: [first, ...others],
    hashing,
  } = secrets;
  return {
    namesKey: first !== hashing || others.length > 0,
    cookies: signingKeys(secrets, 'cookie'),
    visitor: createFastHmac(deriveKey(hashing, 'visitor')),
  };
}

function sign({ mac }: SigningKey, id: string, visitorKey: string, domain: string): string {
  return signatureOf(mac, `${id}.${visitorKey}.${domain}`);
}

/** @param id 22 base64url characters of fresh randomness. */
export function makeVisitorCookie(keys: VisitorKeys, id: string, visitorKey: string, domain: string): string {
  const [key] = keys.cookies;
  const version = keys.namesKey ? `v2.${key.id}` : 'v1';
  return `${version}.${id}.${visitorKey}.${sign(key, id, visitorKey, domain)}`;
}

/** What a cookie says that we issued for this domain. */
export interface KnownVisitor {
  visitorKey: string;
  /** Signed with a secret that no longer signs: the visitor gets another cookie with the same key. */
  isOutdated: boolean;
}

/** Undefined for anything else than a cookie of ours. Where it says no key, each is tried. */
export function verifyVisitorCookie(keys: VisitorKeys, cookie: string, domain: string): KnownVisitor | undefined {
  if (cookie.length > MAX_COOKIE_LENGTH) return undefined;
  const { keyId, id = '', visitorKey = '', signature = '' } = VISITOR_COOKIE_SHAPE.exec(cookie)?.groups ?? {};
  if (signature === '') return undefined;
  const signer = keys.cookies
    .filter((key) => keyId === undefined || key.id === keyId)
    .find((key) => timingSafeEqual(Buffer.from(sign(key, id, visitorKey, domain)), Buffer.from(signature)));
  return signer === undefined ? undefined : { visitorKey, isOutdated: signer !== keys.cookies[0] };
}

/** Values of our cookie in a Cookie header, first three at most. */
export function visitorCookiesOf(header: string): string[] {
  return cookiesNamed(VISITOR_COOKIE, header);
}

/** What a visitor without a valid cookie is called for one UTC day. */
export function dailyVisitorKey(
  keys: VisitorKeys,
  facts: { address: string; userAgent: string; acceptLanguage: string; domain: string; day: string },
): string {
  // Lengths first: no value can pass for the end of another.
  const { address, userAgent, acceptLanguage, domain, day } = facts;
  const text = `${address.length}.${userAgent.length}.${acceptLanguage.length}.${domain.length}:${address}${userAgent}${acceptLanguage}${domain}${day}`;
  return signatureOf(keys.visitor, text);
}

/** Value of Set-Cookie. No Domain attribute: the cookie belongs to this host alone. */
export function setVisitorCookie(cookie: string, secure: boolean): string {
  return `${VISITOR_COOKIE}=${cookie}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}
