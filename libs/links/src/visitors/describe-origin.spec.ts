import { describe, expect, it } from '@jest/globals';

import { createReadLanguage, createReadReferrerHost } from './describe-origin.js';

describe('readReferrerHost', () => {
  const readReferrerHost = createReadReferrerHost();
  it.each([
    [null, 'direct'],
    ['', 'direct'],
    ['  ', 'direct'],
    ['https://www.Example.ORG/path?x=1', 'example.org'],
    ['http://news.example.org:8080/', 'news.example.org'],
    ['https://example.org./', 'example.org'],
    ['https://www.com/', 'com'],
    ['android-app://com.google.android.gm/', 'android-app://com.google.android.gm'],
    ['android-app://www.example/', 'android-app://www.example'],
    ['android-app://a b/', 'unknown'],
    ['http://direct/', 'unknown'],
    ['https://müller.example/', 'xn--mller-kva.example'],
    ['https://[2001:db8::1]/', '[2001:db8::1]'],
    ['about:client', 'unknown'],
    ['file:///etc/passwd', 'unknown'],
    ['javascript:alert(1)', 'unknown'],
    ['example.org/no-scheme', 'unknown'],
    ['https://', 'unknown'],
    [`https://${'a'.repeat(1_000)}.example/`, 'a'.repeat(253)],
  ])('%p comes from %s', (referrer, host) => {
    expect(readReferrerHost(referrer)).toBe(host);
    expect(readReferrerHost(referrer)).toBe(host);
  });
});

describe('readLanguage', () => {
  const readLanguage = createReadLanguage();
  it.each([
    [null, 'unknown'],
    ['', 'unknown'],
    ['*', 'unknown'],
    ['de-CH,de;q=0.9,en;q=0.5', 'de'],
    ['en;q=0.5, fr', 'fr'],
    ['EN-us', 'en'],
    ['de;q=0.2,fr;q=0.8,it;q=0.8', 'fr'],
    ['de;q=0, en;q=0.1', 'en'],
    ['zh-Hant-TW', 'zh'],
    ['fil-PH', 'fil'],
    ['*;q=1, pt;q=0.3', 'pt'],
    ['x-klingon, 1234, en ; q = 0.4', 'en'],
    ['de;q=abc, en;q=0.9', 'en'],
  ])('%p prefers %s', (header, language) => {
    expect(readLanguage(header)).toBe(language);
  });
});
