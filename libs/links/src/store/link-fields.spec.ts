import { describe, expect, it } from '@jest/globals';

import { canonicalAuthority, parseAuthority } from './authority.js';
import { normalizeGroupId, normalizeTags, normalizeTitle } from './link-fields.js';

const invalid = (field: string) =>
  expect.objectContaining({ code: 'invalid-data', details: { invalidElements: [field] } }) as unknown as Error;

describe('tags', () => {
  it('are lower-cased, trimmed, joined by dashes and kept in order, once each', () => {
    expect(normalizeTags(['fo o', '  bar', 'UUU', 'Aäa', 'BAR', '', '  '])).toEqual(['fo-o', 'bar', 'uuu', 'aäa']);
  });

  it('are refused when they cannot be stored', () => {
    expect(() => normalizeTags(['a\u0000'])).toThrow(invalid('tags'));
    expect(() => normalizeTags(['\ud800'])).toThrow(invalid('tags'));
    expect(() => normalizeTags(['x'.repeat(257)])).toThrow(invalid('tags'));
    expect(() => normalizeTags(Array.from({ length: 101 }, (_, index) => `t${index}`))).toThrow(invalid('tags'));
  });
});

describe('a title', () => {
  it('is trimmed and cut at 512 characters, never through an emoji', () => {
    expect(normalizeTitle(`  ${'x'.repeat(600)}`)).toBe('x'.repeat(512));
    expect(normalizeTitle(`${'x'.repeat(511)}😀`)).toBe('x'.repeat(511));
    expect(normalizeTitle('   ')).toBeNull();
    expect(normalizeTitle(null)).toBeNull();
    expect(() => normalizeTitle('a\u0000')).toThrow(invalid('title'));
  });
});

describe('a group id', () => {
  it('has at most 64 characters', () => {
    expect(normalizeGroupId(' g1 ')).toBe('g1');
    expect(() => normalizeGroupId('x'.repeat(65))).toThrow(invalid('groupId'));
  });
});

describe('a domain', () => {
  it.each([
    ['Sho.RT', 'sho.rt'],
    ['sho.rt:8080', 'sho.rt:8080'],
    ['sho.rt:80', 'sho.rt:80'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['sho.rt.', 'sho.rt'],
  ])('%j is filed as %j', (given, authority) => {
    expect(parseAuthority(given)).toBe(authority);
  });

  it.each([
    'localhost:80000',
    '127.0.0.1',
    '???/&%$&',
    'a b.c',
    'user@sho.rt',
    'sho.rt/x',
    '[::1]',
    'localhost',
    '',
    '2130706433',
  ])('%j is refused', (given) => {
    expect(() => parseAuthority(given)).toThrow(invalid('domain'));
  });

  it('of our own may be this machine', () => {
    expect(canonicalAuthority('localhost:8080')).toBe('localhost:8080');
    expect(canonicalAuthority('127.0.0.1:8080')).toBe('127.0.0.1:8080');
    expect(canonicalAuthority('[::1]:8080')).toBe('[::1]:8080');
  });
});
