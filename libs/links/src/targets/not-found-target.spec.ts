import { describe, expect, it } from '@jest/globals';

import { NotFoundTarget, notFoundSettings, parseNotFoundTarget } from './not-found-target.js';

const OWN = ['s.test', '127.0.0.1:8080'];
const isOwn = (authority: string) => OWN.includes(authority);
const reasonOf = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    const { code, details } = error as { code: string; details: { reason?: string } };
    return details.reason ?? code;
  }
};

describe('where visitors go who found nothing', () => {
  it.each([
    ['https://example.com/home', 'https://example.com/home'],
    ['https://example.com/{ORIGINAL_PATH}', 'https://example.com/a/b%20c'],
    ['https://example.com/old{ORIGINAL_PATH}', 'https://example.com/olda/b%20c'],
    ['https://example.com/from/{DOMAIN}/{ORIGINAL_PATH}', 'https://example.com/from/s.test:8080/a/b%20c'],
    ['https://example.com/ü/{DOMAIN}', 'https://example.com/%C3%BC/s.test:8080'],
    ['https://example.com/?d={DOMAIN}&p={ORIGINAL_PATH}', 'https://example.com/?d=s.test%3A8080&p=%2Fa%2Fb%2520c'],
    ['https://example.com/#{DOMAIN}', 'https://example.com/#s.test%3A8080'],
    ['https://example.com/{OTHER}', 'https://example.com/{OTHER}'],
  ])('%s leads to %s', (url, location) => {
    const stored = parseNotFoundTarget(url, OWN, 'baseUrlRedirect');
    expect(NotFoundTarget.of(stored, isOwn)?.fill('s.test:8080', '/a/b%20c')).toBe(location);
  });

  it.each([
    ['https://s.test/x', 'loop'],
    ['https://S.test.:9999/x', 'loop'],
    ['http://127.0.0.1:8080/', 'loop'],
    ['javascript:alert(1)', 'scheme'],
    ['https://user@example.com/', 'userinfo'],
    ['/relative', 'invalid-data'],
    ['https://{DOMAIN}/', 'invalid-data'],
    ['https://www.{DOMAIN}/x', 'invalid-data'],
    ['https://example.com{ORIGINAL_PATH}', 'invalid-data'],
    ['https://%7BDOMAIN%7D/', 'invalid-data'],
  ])('is never %s: %s', (url, reason) => {
    expect(reasonOf(() => parseNotFoundTarget(url, OWN, 'baseUrlRedirect'))).toBe(reason);
    expect(NotFoundTarget.of(url, isOwn)).toBeUndefined();
  });

  it('is one header line, whatever was asked for, and always of the host that was named', () => {
    const target = NotFoundTarget.of('https://example.com/{ORIGINAL_PATH}?{ORIGINAL_PATH}', isOwn)!;
    for (const path of [
      '',
      '/',
      '//evil.test/',
      '/\\evil.test',
      '/\u00e9\u0000\r\n',
      '/../..',
      '/{DOMAIN}',
      '/$&',
      '/?#',
    ]) {
      const location = target.fill('s.test', path);
      expect(location).toMatch(/^https:\/\/example\.com\/[!-~]*$/);
      expect(new URL(location).host).toBe('example.com');
    }
    const raw = Buffer.from('/\u00fc').toString('latin1');
    expect(target.fill('s.test', raw)).toBe('https://example.com/%C3%BC?%2F%C3%BC');
    expect(target.fill('s.test', `/${'x'.repeat(3_000)}`)).toBe('https://example.com/?');
  });

  it('is a setting that is refused at the start when it is wrong', () => {
    const { DEFAULT_BASE_URL_REDIRECT: schema } = notFoundSettings;
    expect([schema.parse(undefined), schema.parse(' ')]).toEqual([null, null]);
    expect(schema.parse('https://example.com/{DOMAIN}')).toBe('https://example.com/{DOMAIN}');
    expect(schema.safeParse('ftp://example.com').error?.issues[0]?.message).toContain('scheme');
  });
});
