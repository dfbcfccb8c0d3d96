import { describe, expect, it } from '@jest/globals';

import { decideRedirect } from './decide-redirect.js';
import { normaliseHost, readRequestTarget } from './request-target.js';

const to = (longUrl: string) => {
  const link = { id: '1', domain: 'a.test', code: 'x', longUrl, groupId: null, policy: null, version: '1' };
  const decision = decideRedirect({ outcome: 'found', link });
  return decision.outcome === 'redirect' ? decision.location : undefined;
};

describe('decideRedirect', () => {
  it('sends a plain target as it was written', () => {
    for (const url of ['https://example.com', 'HTTP://Example.com/a?b=%20c#d', 'https://example.com/a//b']) {
      expect(to(url)).toBe(url);
    }
  });

  it('sends ASCII, whatever is stored', () => {
    expect(to('https://müller.example/ü?q=ß#é')).toBe('https://xn--mller-kva.example/%C3%BC?q=%C3%9F#%C3%A9');
    expect(to('https://example.com/a b')).toBe('https://example.com/a%20b');
    expect(to('https:/evil.com')).toBe('https://evil.com/');
    expect(to('https://example.com/\r\nset-cookie: x')).toBe('https://example.com/set-cookie:%20x');
  });

  it.each(['javascript:alert(1)', ' java\tscript:x', 'data:text/html,x', 'file:///etc/passwd', '//evil', 'x', ''])(
    'never sends %j',
    (url) => {
      expect(to(url)).toBeUndefined();
    },
  );

  it('knows nothing of an unknown link', () => {
    expect(decideRedirect({ outcome: 'unknown' })).toEqual({ outcome: 'not-found' });
  });
});

describe('readRequestTarget', () => {
  it('reads code and raw query', () => {
    expect(readRequestTarget('/abc?x=%20y?z')).toEqual({ code: 'abc', query: 'x=%20y?z' });
    expect(readRequestTarget('/a%20b')).toEqual({ code: 'a b', query: '' });
    expect(readRequestTarget('/%2541').code).toBe('%41');
    expect(readRequestTarget(`/${'%F0%9F%98%80'.repeat(128)}`).code).toBe('\u{1f600}'.repeat(128));
    expect(readRequestTarget('/Gru%CC%88n').code).toBe('Gr\u00fcn');
  });

  it.each([
    '/',
    '',
    '*',
    'abc',
    'http://a.test/abc',
    '/a/b',
    '/a/',
    '//a',
    '/a%2Fb',
    '/a%5Cb',
    '/a%00b',
    '/a%0Ab',
    '/%',
    '/%E0%A4%A',
    '/%ED%A0%80',
    `/${'x'.repeat(257)}`,
    `/${'%20'.repeat(257)}`,
    `/${'x'.repeat(100_000)}`,
  ])('%# means no code', (url) => {
    expect(readRequestTarget(url).code).toBeUndefined();
  });
});

describe('normaliseHost', () => {
  it.each([
    ['a.test', 'http', 'a.test'],
    ['A.Test', 'http', 'a.test'],
    ['a.test.', 'http', 'a.test'],
    ['a.test.:8080', 'http', 'a.test:8080'],
    ['a.test:80', 'http', 'a.test'],
    ['a.test:443', 'https', 'a.test'],
    ['a.test:443', 'http', 'a.test:443'],
    ['a.test:8443', 'https', 'a.test:8443'],
    ['MÜLLER.example', 'http', 'xn--mller-kva.example'],
    ['[::1]:8080', 'http', '[::1]:8080'],
    ['127.0.0.1:8080', 'http', '127.0.0.1:8080'],
  ] as const)('%s under %s is %s', (host, scheme, authority) => {
    expect(normaliseHost(host, scheme)).toBe(authority);
  });

  it.each([undefined, '', ' ', 'a b', 'user@a.test', 'a.test/x', 'a'.repeat(5_000), 'a.test:99999', '%', '::1'])(
    '%# is no host',
    (host) => {
      expect(normaliseHost(host, 'http')).toBeUndefined();
    },
  );
});
