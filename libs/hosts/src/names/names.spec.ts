import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

import { UNKNOWN_HOST } from '@hopcount/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { hostName } from './host-name.js';
import { ancestorsOf, asciiOf, isBelow, parentOf, rangeBelow } from './labels.js';
import { type Host, normaliseByUrl, normaliseHost } from './normalise-host.js';
import { createReadHost, parseHostName, targetHostOf } from './read-host.js';
import { isListedSuffix, SITE_LIST_VERSION, siteOf } from './site-of.js';

const LONG = 'a'.repeat(63);
const keptAs = (text: string) => {
  const host = normaliseHost(text);
  return 'refused' in host ? host.refused : host.reversed;
};

describe('a host', () => {
  it.each([
    ['discuss.leetcode.com', 'com.leetcode.discuss'],
    ['Example.COM', 'com.example'],
    ['example.com.', 'com.example'],
    ['example.com/', 'com.example'],
    ['https://www.example.com', 'com.example.www'],
    ['HTTPS://user:p%40ss@WWW.Example.com:8443/a@b?c#d', 'com.example.www'],
    ['https:\\\\example.com\\x', 'com.example'],
    ['user@example.com', 'com.example'],
    ['example.com:8080', 'com.example'],
    ['http:8080', 'http'],
    ['//example.com/x', 'com.example'],
    ['  example.com\n', 'com.example'],
    ['ex%61mple.com', 'com.example'],
    ['example。com', 'com.example'],
    ['bücher.example', 'example.xn--bcher-kva'],
    ['İ.com', 'com.xn--i-9bb'],
    ['_dmarc.a_b.example', 'example.a_b._dmarc'],
    ['__proto__.com', 'com.__proto__'],
    ['constructor', 'constructor'],
    ['localhost:8080', 'localhost'],
    ['r3---sn-x.example', 'example.r3---sn-x'],
    ['a.1a', '1a.a'],
    ['XN--A.com', 'com.xn--a'],
    ['127.0.0.1', '~ip.127-0-0-1'],
    ['0x7f.1', '~ip.127-0-0-1'],
    ['http://2130706433/', '~ip.127-0-0-1'],
    ['127.0.0.1.', '~ip.127-0-0-1'],
    ['2001:DB8::1', '~ip.2001:db8::1'],
    ['fe80::1', '~ip.fe80::1'],
    ['[2001:db8:0::1]:443', '~ip.2001:db8::1'],
    [`${LONG}.com`, `com.${LONG}`],
  ])('given as %j is kept as %s', (text, reversed) => {
    expect(keptAs(text)).toBe(reversed);
  });

  it.each([
    ['', 'empty'],
    ['.', 'empty'],
    ['%2e', 'empty'],
    ['/path', 'empty'],
    ['///path', 'empty'],
    ['?q', 'empty'],
    ['a..b', 'label'],
    ['.example.com', 'label'],
    ['example.com..', 'label'],
    ['*.example.com', 'label'],
    ['-a.com', 'label'],
    ['a-.com', 'label'],
    ['~ip.192-0-2-7', 'label'],
    [UNKNOWN_HOST, 'label'],
    [`${LONG}a.com`, 'label'],
    [`${LONG}.${LONG}.${LONG}.${LONG}`, 'too-long'],
    ['x'.repeat(3_000), 'too-long'],
    ['a.1', 'unreadable'],
    ['a b', 'unreadable'],
    ['one\ntwo', 'unreadable'],
    ['a\0b', 'unreadable'],
    ['a%00b', 'unreadable'],
    ['example.com:65536', 'unreadable'],
    ['[::1', 'unreadable'],
    ['mailto:ann@example.com', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['app://open/x', 'scheme'],
  ])('is not in %j: %s', (text, reason) => {
    expect(keptAs(text)).toBe(reason);
  });

  it('of fed data has no user', () => {
    expect(normaliseHost('ann@example.com', { refuseCredentials: true })).toEqual({ refused: 'credentials' });
    expect(normaliseHost('example.com', { refuseCredentials: true })).toMatchObject({ ascii: 'example.com' });
  });
});

const labelLike = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab01-_xn.'), maxLength: 8 }),
  fc.constantFrom(
    'xn--',
    'xn--a',
    'xn--bcher-kva',
    '0x7f',
    '127',
    '',
    '*',
    'Ä',
    '。',
    LONG,
    `${LONG}a`,
    '%61',
    '~',
    'com',
  ),
);
const hostLike = fc
  .tuple(
    fc.constantFrom('', 'http://', 'https://', 'HTTP://', '//', 'ftp://', 'x:', 'u@', 'http://u:p@'),
    fc.array(labelLike, { maxLength: 5 }).map((labels) => labels.join('.')),
    fc.constantFrom('', '.', '..', '/', ':80', ':0', ':99999', ':8x', '?a', '#a', '/a:b@c', '\\', ' ', '\n'),
  )
  .map((parts) => parts.join(''));
const anyText = fc.oneof({ weight: 5, arbitrary: hostLike }, fc.webUrl(), fc.domain(), fc.string({ unit: 'binary' }));
const hosts = (visit: (host: Host) => void) =>
  fc.assert(
    fc.property(anyText, (text) => {
      const host = normaliseHost(text);
      if (!('refused' in host)) visit(host);
    }),
    { numRuns: 1_000 },
  );

describe('where visitors are sent to', () => {
  it.each([
    ['https://www.example.com:8443/x', 'www.example.com'],
    ['HTTP://[2001:db8::1]/', '[2001:db8::1]'],
    ['tel:112', UNKNOWN_HOST],
    ['sms:12345', UNKNOWN_HOST],
    ['mailto:ann@example.com', UNKNOWN_HOST],
    ['example.com:8080', UNKNOWN_HOST],
    ['', UNKNOWN_HOST],
  ])('by %j has the host %s', (url, host) => {
    expect(targetHostOf(url, createReadHost())).toBe(host);
  });
});

describe('a name that is counted', () => {
  it.each([
    ['android-app://com.google.android.gm', '~app.com-google-android-gm'],
    ['192.0.2.7', '~ip.192-0-2-7'],
    ['[2001:db8::1]', '~ip.2001:db8::1'],
    ['www.example.com', 'com.example.www'],
    ['~app', '~app'],
    ['~rest.~app', '~app.~rest'],
    ['~rest.~ip', '~ip.~rest'],
    ['~rest.example.com', 'com.example.~rest'],
    ['~unknown', '~unknown'],
  ])('is shown as %s, and found again by that', (shown, name) => {
    expect(asciiOf(name)).toBe(shown);
    expect(parseHostName(shown)).toEqual({ name });
    if (!shown.includes('~')) expect(hostName(shown)).toBe(name);
  });

  it.each([
    ['.b', 'b.'],
    ['b.', '.b'],
    ['.', '~ip.-'],
    ['a..b', 'b..a'],
  ])('may be one that visitors made up: %s', (shown, name) => {
    expect([hostName(shown), asciiOf(name)]).toEqual([name, shown]);
  });

  it('is of no more than 8 labels, and of none a client made up', () => {
    expect(hostName('j.i.h.g.f.e.d.c.b.a')).toBe('a.b.c.d.e.f.g.h');
    for (const made of ['', '~rest', 'x.~rest.com', 'android-app://~app']) expect(hostName(made)).toBe(UNKNOWN_HOST);
  });
});

describe('any text', () => {
  it('is the same host by the fast path as by the URL parser', () => {
    fc.assert(
      fc.property(anyText, (text) => expect(normaliseHost(text)).toEqual(normaliseByUrl(text))),
      { numRuns: 1_000 },
    );
  });

  it('is a host that stays the same, that browsers know, and that can be read back', () => {
    hosts((host) => {
      expect(normaliseHost(host.ascii)).toEqual(host);
      expect(new URL(`http://${host.ascii}/`).hostname).toBe(host.ascii);
      expect(asciiOf(host.reversed)).toBe(host.ascii);
      expect(isIP(host.ascii.replace(/^\[|\]$/g, '')) > 0).toBe(host.kind === 'ip');
      if (host.kind === 'ip') expect(parentOf(host.reversed)).toBe('~ip');
      else for (const label of host.ascii.split('.')) expect(label).toMatch(/^(?!-)[a-z0-9_-]{1,63}(?<!-)$/);
    });
  });

  it('is below its ancestors and no other name', () => {
    hosts(({ reversed }) => {
      const ancestors = ancestorsOf(reversed);
      expect(ancestors).toEqual(
        reversed
          .split('.')
          .slice(0, -1)
          .map((_, index, labels) => labels.slice(0, labels.length - index).join('.')),
      );
      for (const ancestor of ancestors) {
        expect(isBelow(reversed, ancestor)).toBe(true);
        const { from, before } = rangeBelow(ancestor);
        expect(from <= reversed && reversed < before).toBe(true);
        expect(from <= `${ancestor}-x.y` && `${ancestor}-x.y` < before).toBe(false);
        expect(isBelow(reversed, ancestor.slice(0, -1))).toBe(false);
      }
      expect(isBelow(reversed, reversed)).toBe(false);
    });
  });
});

describe('a site', () => {
  it.each([
    ['a.b.example.com', 'example.com'],
    ['www.example.co.uk', 'example.co.uk'],
    ['b.ann.github.io', 'ann.github.io'],
    ['github.io', 'github.io'],
    ['www.ck', 'www.ck'],
    ['a.b.ck', 'a.b.ck'],
    ['x.a.b.ck', 'a.b.ck'],
    ['i.us-east-1.compute.amazonaws.com', 'i.us-east-1.compute.amazonaws.com'],
    ['a.example.internal', 'example.internal'],
    ['localhost', 'localhost'],
    ['com', 'com'],
    ['x.constructor', 'x.constructor'],
    ['_dmarc.example.com', 'example.com'],
    ['192.0.2.7', '192.0.2.7'],
    ['[2001:db8::1]', '[2001:db8::1]'],
  ])('of %s is %s', (host, site) => {
    expect(asciiOf(siteOf(keptAs(host)))).toBe(site);
  });

  it.each([
    ['com', true],
    ['co.uk', true],
    ['github.io', true],
    ['example.com', false],
    ['www.github.io', false],
    ['internal', false],
    ['x7f3', false],
  ])('may be below %s: %s, by a rule of the list', (host, isSuffix) => {
    expect(isListedSuffix(keptAs(host))).toBe(isSuffix);
  });

  it('holds the unknown ones apart, and is by the list that is said', () => {
    expect(siteOf(UNKNOWN_HOST)).toBe(UNKNOWN_HOST);
    const path = new URL('../../package.json', import.meta.url);
    const { dependencies } = JSON.parse(readFileSync(path, 'utf8')) as { dependencies: Record<string, string> };
    expect(SITE_LIST_VERSION).toBe(`tldts ${dependencies.tldts}`);
  });
});
