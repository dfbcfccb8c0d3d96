import { describe, expect, it } from '@jest/globals';

import { toETag, versionFromIfMatch } from './if-match.js';

describe('If-Match', () => {
  it('names a version, or any', () => {
    expect(versionFromIfMatch(toETag('12'))).toBe('12');
    expect(versionFromIfMatch(' "12" ')).toBe('12');
    expect(versionFromIfMatch('*')).toBeUndefined();
    expect(versionFromIfMatch(undefined)).toBeUndefined();
  });

  it.each(['12', 'W/"12"', '"1", "2"', '"abc"', '', '"9999999999999999999"'])('%j is refused', (header) => {
    expect(() => versionFromIfMatch(header)).toThrow(expect.objectContaining({ code: 'invalid-data' }));
  });
});
