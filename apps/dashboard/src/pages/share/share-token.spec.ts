import { describe, expect, it } from '@jest/globals';

import { isOtherToken } from './share-token.js';

describe('the page of a share link', () => {
  it.each([
    ['#other', true],
    ['#shown', false],
    ['#', false],
    ['', false],
  ])('begins anew with %j: %p', (hash, isOther) => {
    expect(isOtherToken(hash, 'shown')).toBe(isOther);
  });
});
