import { describe, expect, it } from '@jest/globals';
import { isAppError } from '@hopcount/runtime';

import { parseCustomSlug } from './custom-slug.js';
import { RESERVED_SLUGS } from './reserved-slugs.js';

function refusal(slug: string): string {
  try {
    return `taken as ${parseCustomSlug(slug)}`;
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
}

describe('a custom slug', () => {
  it.each([
    ['my-slug', 'my-slug'],
    ['my cool slug', 'my-cool-slug'],
    ['foo/bar', 'foo-bar'],
    ['  padded ', 'padded'],
    ['CaseIsKept', 'CaseIsKept'],
    ['🦣🦣🦣', '🦣🦣🦣'],
    ['👨‍👩‍👧', '👨‍👩‍👧'],
    ['größe', 'größe'],
    ['e\u0301', '\u00e9'],
    ['распродажа', 'распродажа'],
    ['προσφορά', 'προσφορά'],
    ['東京-sale', '東京-sale'],
    ['a.b_c~d', 'a.b_c~d'],
    ['apis', 'apis'],
    ['api-docs', 'api-docs'],
    ...['kız', 'ısı', 'm²', '№5', 'ﬁn', '1½', 'ⅳ', 'ªº', '①'].map((word): [string, string] => [word, word]),
    ['x'.repeat(256), 'x'.repeat(256)],
  ])('%j becomes %j', (slug, code) => {
    expect(parseCustomSlug(slug)).toBe(code);
  });

  it.each([
    ...['', ' ', 'a:b', 'a?b', 'a#b', 'a[b', 'a]b', 'a@b', '100%', '%41', 'a\\b', 'x'.repeat(257)],
    ...['a\u0000b', 'a\nb', 'a\u202eb', 'a\u200bb', 'a\ud800b', '\ufeffa', 'a\u2066b'],
  ])('%j is refused', (slug) => {
    expect(refusal(slug)).toBe('invalid-data');
  });

  // By themselves, in another width, or one letter among others.
  it.each(['ѕаӏе', 'ｓａｌｅ', 'рот', 'ορ', 'ⓢⓐⓛⓔ', '𝐬𝐚𝐥𝐞', 'ɡood', 'sаlе', 'Ρaypal', 'ꮪale'])(
    '%j, which reads like another slug, is refused',
    (slug) => {
      expect(refusal(slug)).toBe('invalid-data');
    },
  );

  it('that is published is taken whatever it looks like, but for reserved ones', () => {
    expect(parseCustomSlug('рот', true)).toBe('рот');
    expect(() => parseCustomSlug('аpi', true)).toThrow('reserved');
  });

  it.each([
    ...['api', 'API', 'Api', '%61pi', 'api/', '/api', 'a/../api', '..', '.', '%2e%2e', '_x', '_next', 'x.php', 'x.PHP'],
    ...[
      'ａｐｉ',
      'аpi',
      'apı',
      'аdmin',
      'ⓐⓟⓘ',
      ' health ',
      'robots.txt',
      'Robots.TXT',
      '.well-known',
      'favicon.ico',
      '.env',
    ],
  ])('%j is reserved', (slug) => {
    expect(refusal(slug)).toBe('reserved-slug');
  });

  it('may be no word of the list, in any letter case', () => {
    for (const word of RESERVED_SLUGS) expect([word, refusal(word.toUpperCase())]).toEqual([word, 'reserved-slug']);
  });
});
