import type { IncomingMessage } from 'node:http';

import { describe, expect, it } from '@jest/globals';

import { settleRequestHead } from './request-head.js';

const settle = (url: string, rawHeaders: string[] = ['Host', 'asked.test']) => {
  const request = { url, rawHeaders, headers: { host: rawHeaders[1] } } as unknown as IncomingMessage;
  return settleRequestHead(request) ? [request.headers.host, request.url] : 'refused';
};

describe('settleRequestHead', () => {
  it.each<[string, string[] | string]>([
    ['/code?a=b', ['asked.test', '/code?a=b']],
    ['/', ['asked.test', '/']],
    ['*', ['asked.test', '*']],
    ['//other.test/code', ['asked.test', '//other.test/code']],
    ['/http://other.test/code', ['asked.test', '/http://other.test/code']],
    ['http://other.test/code?a=b', ['other.test', '/code?a=b']],
    ['HTTP://Other.Test:8080/code', ['Other.Test:8080', '/code']],
    ['https://other.test:443/code', ['other.test', '/code']],
    ['http://other.test:80/code', ['other.test', '/code']],
    ['http://other.test:443/code', ['other.test:443', '/code']],
    ['http://other.test', ['other.test', '/']],
    ['http://other.test?a=b', ['other.test', '/?a=b']],
    ['http://other.test/code#part', ['other.test', '/code']],
    ['http://[::1]:8080/code', ['[::1]:8080', '/code']],
    ['http:///code', 'refused'],
    ['http://', 'refused'],
    ['http://user@other.test/code', 'refused'],
    ['http://good.test\\@other.test/code', 'refused'],
    ['ftp://other.test/code', 'refused'],
    ['javascript://other.test/code', 'refused'],
  ])('%s is %j', (url, expected) => {
    expect(settle(url)).toEqual(expected);
  });

  it.each([
    [['Host', 'a.test', 'hOST', 'b.test']],
    [['Host', 'a.test', 'Accept', '*/*', 'Host', 'a.test']],
    [['host', '', 'HOST', 'a.test']],
  ])('refuses two Host headers, also of one name: %j', (rawHeaders) => {
    expect(settle('/code', rawHeaders)).toBe('refused');
    expect(settle('http://a.test/code', rawHeaders)).toBe('refused');
  });

  it('takes a value that looks like a name', () => {
    expect(settle('/code', ['Host', 'a.test', 'X-Which', 'host'])).toEqual(['a.test', '/code']);
    expect(settle('/code', [])).toEqual([undefined, '/code']);
  });
});
