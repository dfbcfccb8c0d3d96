import { describe, expect, it } from '@jest/globals';
import { ClientAddress, KeyPeriods, type Secrets } from '@hopcount/runtime';

import { VisitorIdentifier, type VisitorRequest } from './identify-visitor.js';
import {
  deriveVisitorKeys,
  makeVisitorCookie,
  setVisitorCookie,
  verifyVisitorCookie,
  visitorCookiesOf,
} from './visitor-cookie.js';

const SECRET = 'a secret that is long enough for the tests';
const NEXT = 'another secret that is long enough for the tests';
const secretsWith = (...signing: Secrets['signing']): Secrets => ({
  signing,
  hashing: SECRET,
  keyPeriods: new KeyPeriods(),
});
const SECRETS = secretsWith(SECRET);
const keys = deriveVisitorKeys(SECRETS);
const ID = 'A'.repeat(22);
const KEY = 'b'.repeat(22);
const DAY_MS = 24 * 3_600_000;

describe('visitor cookies', () => {
  const cookie = makeVisitorCookie(keys, ID, KEY, 'a.test');

  it('give their visitor key back on their own domain only', () => {
    expect(verifyVisitorCookie(keys, cookie, 'a.test')).toEqual({ visitorKey: KEY, isOutdated: false });
    expect(verifyVisitorCookie(keys, cookie, 'b.test')).toBeUndefined();
    expect(
      verifyVisitorCookie(deriveVisitorKeys({ signing: [`${SECRET}!`], hashing: SECRET }), cookie, 'a.test'),
    ).toBeUndefined();
  });

  it('are worth nothing once a character is changed', () => {
    for (let at = 0; at < cookie.length; at += 1) {
      const changed = cookie.slice(0, at) + (cookie[at] === 'x' ? 'y' : 'x') + cookie.slice(at + 1);
      expect(verifyVisitorCookie(keys, changed, 'a.test')).toBeUndefined();
    }
  });

  it.each(['', 'v1', 'x'.repeat(300), `${cookie}x`, cookie.slice(1), cookie.replace('v1', 'v3'), '\u00e9'.repeat(71)])(
    'made up (%#) are refused',
    (value) => {
      expect(verifyVisitorCookie(keys, value, 'a.test')).toBeUndefined();
    },
  );

  it('are found among others, three at most', () => {
    expect(visitorCookiesOf('a=1; hc_visitor=one; b=2')).toEqual(['one']);
    expect(visitorCookiesOf('hc_visitor=one;hc_visitor=two; hc_visitor=')).toEqual(['one', 'two', '']);
    expect(visitorCookiesOf('xhc_visitor=no; hc_visitor=yes')).toEqual(['yes']);
    expect(visitorCookiesOf('hc_visitor=1; '.repeat(9))).toHaveLength(3);
    expect(visitorCookiesOf('nothing')).toEqual([]);
  });

  it('are Secure under https', () => {
    expect(setVisitorCookie('c', true)).toMatch(/; Secure$/);
    expect(setVisitorCookie('c', false)).not.toContain('Secure');
  });
});

describe('VisitorIdentifier', () => {
  const request = (more: Partial<VisitorRequest> = {}): VisitorRequest => ({
    address: new ClientAddress('203.0.113.9', '203.0.113.0'),
    userAgent: 'agent',
    acceptLanguage: 'en',
    cookieHeader: undefined,
    domain: 'a.test',
    doNotTrack: false,
    secure: false,
    nowMs: 1_800_000_000_000,
    ...more,
  });
  const cookieOf = (setCookie: string | undefined) => setCookie?.split(';')[0];

  it('keeps a visitor from the first visit on, for all later days and agents', () => {
    const identifier = new VisitorIdentifier(SECRETS);
    const first = identifier.identify(request());
    const later = identifier.identify(
      request({ cookieHeader: cookieOf(first.setCookie), userAgent: 'new', nowMs: request().nowMs + 90 * DAY_MS }),
    );
    expect(later).toMatchObject({ visitorId: first.visitorId, setCookie: undefined });
  });

  it('gives every cookie another value and the same key', () => {
    const identifier = new VisitorIdentifier(SECRETS);
    const [one, two] = [
      identifier.identify(request()),
      identifier.identify(request({ cookieHeader: 'hc_visitor=v1' })),
    ];
    expect(one.visitorId).toBe(two.visitorId);
    expect(one.setCookie).not.toBe(two.setCookie);
  });

  it.each([
    { address: new ClientAddress('203.0.113.10', '203.0.113.0') },
    { userAgent: 'other' },
    { acceptLanguage: 'de' },
    { domain: 'b.test' },
    { nowMs: request().nowMs + DAY_MS },
    { address: undefined },
  ])('tells visitors apart by %j', (difference) => {
    const identifier = new VisitorIdentifier(SECRETS);
    expect(identifier.identify(request(difference)).visitorId).not.toBe(identifier.identify(request()).visitorId);
  });

  it('tells visitors apart by where the language ends and the agent begins', () => {
    const [one, two] = [
      { acceptLanguage: 'de', userAgent: 'en agent' },
      { acceptLanguage: 'de en', userAgent: 'agent' },
    ];
    const identifier = new VisitorIdentifier(SECRETS);
    expect(identifier.identify(request(one)).visitorId).not.toBe(identifier.identify(request(two)).visitorId);
  });

  it('replaces a cookie of another domain', () => {
    const identifier = new VisitorIdentifier(SECRETS);
    const other = identifier.identify(request({ domain: 'b.test' }));
    const here = identifier.identify(request({ cookieHeader: cookieOf(other.setCookie) }));
    expect(here.visitorId).not.toBe(other.visitorId);
    expect(here.setCookie).toBeDefined();
  });

  it('keeps every visitor while the secret is replaced, step by step, and afterwards', () => {
    const steps = [SECRETS, secretsWith(SECRET, NEXT), secretsWith(NEXT, SECRET), secretsWith(NEXT)];
    const gateways = steps.map((secrets) => new VisitorIdentifier(secrets));
    // Two processes are never more than one step apart, and a visitor meets both.
    gateways.slice(1).forEach((after, index) => {
      const before = gateways[index]!;
      let cookieHeader: string | undefined;
      const ids = [before, after, before, after, after].map((gateway) => {
        const { visitorId, clientIpHash, setCookie } = gateway.identify(request({ cookieHeader }));
        cookieHeader = cookieOf(setCookie) ?? cookieHeader;
        return `${visitorId} ${clientIpHash}`;
      });
      expect(new Set(ids).size).toBe(1);
    });
    const first = gateways[0]!.identify(request());
    const later = (gateway: VisitorIdentifier, cookie?: string) =>
      gateway.identify(request({ cookieHeader: cookie, userAgent: 'new', nowMs: request().nowMs + 9 * DAY_MS }));
    const renewed = later(gateways[2]!, cookieOf(first.setCookie));
    expect([renewed.visitorId, renewed.setCookie]).toEqual([first.visitorId, expect.any(String)]);
    expect(later(gateways[3]!, cookieOf(renewed.setCookie))).toMatchObject({
      ...{ visitorId: first.visitorId, setCookie: undefined },
    });
    expect(later(gateways[3]!, cookieOf(first.setCookie)).visitorId).not.toBe(first.visitorId);
  });

  it('says in a cookie which secret signed it, once there were two', () => {
    const cookieBy = (signing: [string, ...string[]]) =>
      makeVisitorCookie(deriveVisitorKeys({ signing, hashing: SECRET }), ID, KEY, 'a.test');
    const [first, second, other] = [cookieBy([SECRET]), cookieBy([SECRET, NEXT]), cookieBy([NEXT])];
    expect(first).toMatch(/^v1\./);
    expect([second, other].map((cookie) => /^v2\.[\w-]{4}\./.test(cookie))).toEqual([true, true]);
    const renamed = second.replace(/^v2\.[\w-]{4}/, other.slice(0, 7));
    const both = deriveVisitorKeys({ signing: [NEXT, SECRET], hashing: SECRET });
    const verify = (cookie: string) => verifyVisitorCookie(both, cookie, 'a.test')?.isOutdated;
    // A process that was not restarted yet knows the first secret alone.
    expect(verifyVisitorCookie(keys, second, 'a.test')).toEqual({ visitorKey: KEY, isOutdated: false });
    expect([first, second, other, renamed].map(verify)).toEqual([true, true, false, undefined]);
  });

  it('names nobody who asks not to be tracked, cookie or not', () => {
    const identifier = new VisitorIdentifier(SECRETS);
    const cookieHeader = cookieOf(identifier.identify(request()).setCookie);
    const visitor = identifier.identify(request({ doNotTrack: true, cookieHeader }));
    expect(visitor).toEqual({ visitorId: null, clientIpHash: null, setCookie: undefined });
  });

  it('hashes the whole address to 16 hex digits, the same on every process', () => {
    const [one, two] = [new VisitorIdentifier(SECRETS), new VisitorIdentifier(SECRETS)].map((i) =>
      i.identify(request()),
    );
    expect(one?.clientIpHash).toMatch(/^[0-9a-f]{16}$/);
    expect(one?.clientIpHash).toBe(two?.clientIpHash);
  });

  it('hashes addresses with the key of the time of the visit, whichever came before, and keeps the visitor', () => {
    const { nowMs } = request();
    const startMs = nowMs - (nowMs % DAY_MS);
    const rotated = () =>
      new VisitorIdentifier({ ...SECRETS, keyPeriods: new KeyPeriods([{ startMs, days: undefined }]) });
    const gateway = rotated();
    const hashAt = (atMs: number, on = gateway) => on.identify(request({ nowMs: atMs })).clientIpHash;
    const [before, after] = [hashAt(startMs - 1), hashAt(startMs)];
    expect(before).toBe(new VisitorIdentifier(SECRETS).identify(request()).clientIpHash);
    expect(after).not.toBe(before);
    expect([hashAt(startMs - 1), hashAt(startMs), hashAt(startMs, rotated())]).toEqual([before, after, after]);
    expect(gateway.hashAddress(request().address, startMs)).toBe(after);
    const cookieHeader = cookieOf(gateway.identify(request({ nowMs: startMs - 1 })).setCookie);
    const [earlier, later] = [startMs - 1, startMs].map((atMs) =>
      gateway.identify(request({ nowMs: atMs, cookieHeader })),
    );
    expect(later?.visitorId).toBe(earlier?.visitorId);
  });
});
