import { describe, expect, it } from '@jest/globals';

import { parseUrl } from './parse-url.js';

describe('parsing a URL', () => {
  it('answers the ten thousandth time as the first', () => {
    const hosts = new Set<string | undefined>();
    for (let n = 0; n < 10_000; n += 1) hosts.add(parseUrl('https://müller.example/ü')?.host);
    expect([...hosts]).toEqual(['xn--mller-kva.example']);
  });

  it.each(['', 'x', '//a.test', 'https://', 'https://a b', 'http://[::1'])('%j is none', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });
});
