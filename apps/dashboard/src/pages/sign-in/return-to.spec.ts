import { describe, expect, it } from '@jest/globals';

import { safeReturnTo } from './return-to.js';

describe('where somebody goes who has signed in', () => {
  it.each([
    ['/links?search=a#b', '', '/links?search=a#b'],
    ['/api/links', '/api', '/api/links'],
    [undefined, '/api', '/api/'],
    ['https://evil.example/', '', '/'],
    ['//evil.example/', '', '/'],
    ['/\\evil.example/', '', '/'],
    ['/%09/evil.example', '', '/%09/evil.example'],
    ['/\t/evil.example', '', '/'],
    ['javascript:alert(1)', '', '/'],
    ['/elsewhere', '/api', '/api/'],
    ['/api/../elsewhere', '/api', '/api/'],
  ])('is an address of these pages: %s under "%s" is %s', (given, basePath, expected) => {
    expect(safeReturnTo(given, basePath)).toBe(expected);
  });
});
